"""Sequence: the state of one request in the engine (waiting, running, finished), its tokens and KV blocks."""

from __future__ import annotations

import dataclasses
from enum import Enum, auto
from typing import Any

from batching.beam import BeamSearch, Branch, Complete
from batching.errors import BatchingError
from batching.requests.completion import FinishReason, Timings, TokenLogprob
from batching.requests.detokenize import Tokenizer
from batching.requests.pictures import PreparedPictures
from batching.requests.repetition_limit import RepetitionWatch
from batching.requests.request import Prompt
from batching.requests.rope_positions import Rope
from batching.requests.sampling_params import SamplingParams
from batching.requests.sequence_timings import Clock
from batching.requests.stop_strings import StopStrings
from batching.sampling.guide_matcher import GuideMatcher
from batching.sampling.prompt_lookup import Drafter
from batching.step_plan import RowResult


class Phase(Enum):
    """Where a sequence is; a preempted one waits again."""

    WAITING = auto()
    RUNNING = auto()
    FINISHED = auto()


class Sequence:
    """Its KV is in the blocks of its branches; a finished one holds no block, image or feature.

    Without beam search it has one branch, whose tokens are its own; with it, as many as beams after the prompt, and its
    output comes at the end.
    """

    def __init__(
        self,
        seq_id: int,
        prompt: Prompt,
        params: SamplingParams,
        *,
        capacity: int,
        label: str = "",
        tokenizer: Tokenizer | None = None,
        matcher: GuideMatcher | None = None,
    ) -> None:
        """It waits; its output ends where `capacity` tokens of KV would not hold it.

        A prompt without tokens gets them with its pictures.
        """
        self.seq_id = seq_id
        self.prompt = prompt
        self.params = params
        self.label = label
        self.tokens = prompt.token_ids  # prompt, then output
        self.pixels: PreparedPictures | None = None  # held from their preparation to their encoding
        self.features: Any = None  # of the pictures; held from their encoding to the end of its prefill
        self.rope: Rope | None = None
        self.stops = StopStrings(params.stop, tokenizer) if params.stop and tokenizer is not None else None
        self.repetition = RepetitionWatch(params.repetition) if params.repetition is not None else None
        self.matcher = matcher  # of its guide
        self._capacity = capacity
        self._begin()
        self.drafter: Drafter | None = None
        self.repeatable = prompt.image is None and prompt.recompute_beyond is None and params.num_beams == 1
        """Whether its keys and values are those of any sequence that begins with the same tokens."""
        self.phase = Phase.WAITING
        self.finish_reason: FinishReason | None = None
        self.error: BatchingError | None = None
        self.num_preempted = 0
        self.sum_logprob = 0.0
        self.token_logprobs: list[float] = []  # of the output; empty with beam search
        self.logprobs: list[TokenLogprob] = []  # filled if asked for
        self.clock = Clock()

    @property
    def output(self) -> list[int]:
        """A copy of the tokens generated so far."""
        return self.tokens[self.num_prompt :]

    @property
    def num_output(self) -> int:
        """How many tokens were generated so far."""
        return len(self.tokens) - self.num_prompt

    @property
    def admissible(self) -> bool:
        """Whether its image, if it has one, is ready for the encoder."""
        return self.prompt.image is None or self.pixels is not None

    @property
    def decoding(self) -> bool:
        """Whether its next step is one token of its own output in each branch."""
        for branch in self.branches:  # noqa: SIM110 # read of each sequence in each step; a generator takes thrice as long
            if not branch.num_computed == len(branch.tokens) - 1 >= self.num_prompt:
                return False
        return True

    def num_to_prefill(self, branch: Branch) -> int:
        """Tokens to compute before its branches decode together, or before its next token."""
        num_tokens = len(branch.tokens)
        decodes_last = self.beams is not None or self._outgrown(branch)  # that may need a block more
        return branch.num_due - (decodes_last and num_tokens > self.num_prompt)

    def take_pictures(self, pictures: PreparedPictures) -> None:
        """Its pictures are ready for the encoder; after a preemption they are so again."""
        if not self.num_prompt:
            self.tokens.extend(pictures.token_ids or ())
            self._begin()
            if self.matcher is not None:
                self.matcher.begin(self.num_prompt)
        self.prompt = dataclasses.replace(self.prompt, num_patches=pictures.num_patches)
        self.pixels, self.rope = pictures, pictures.rope

    def keep_features(self, features: Any) -> None:
        """Those of its image, if it has been encoded, for the rest of its prefill."""
        if features is not None:
            self.pixels = None
        self.features = features

    def recompute_if_outgrown(self) -> None:
        """Drop what was computed when the token that just came was one more than `Prompt.recompute_beyond`."""
        if self._outgrown(self.branches[0]):
            for branch in self.branches:
                branch.num_computed = 0

    def append(self, result: RowResult, now: float) -> FinishReason | None:
        """Add one token, generated `now`; the reason to end, if it is one."""
        token_id = result.token_id
        assert token_id is not None
        self.clock.token(now)
        self.tokens.append(token_id)
        self.sum_logprob += result.logprob
        self.token_logprobs.append(result.logprob)
        if self.params.logprobs is not None:
            self.logprobs.append(TokenLogprob(token_id, result.logprob, result.top))
        if token_id in self.prompt.stop_token_ids or (self.stops is not None and self.stops.push(token_id)):
            return FinishReason.STOP
        if self.repetition is not None and self.repetition.push(token_id):
            return FinishReason.REPETITION
        return self.reason_of_length() if len(self.tokens) - self.num_prompt >= self.max_tokens else None

    def reason_of_length(self) -> FinishReason:
        """Why it ends if it may have no more tokens."""
        satisfied = self.matcher is None or self.matcher.satisfied(self.tokens)
        return FinishReason.LENGTH if satisfied else FinishReason.INCOMPLETE

    def take_best(self, best: Complete, now: float) -> FinishReason:
        """Take the best output of a beam search that ended `now` for its own; why that ended."""
        self.clock.token(now)
        self.tokens.extend(best.output)
        self.sum_logprob = best.sum_logprob
        return FinishReason.STOP if best.output[-1] in self.prompt.stop_token_ids else FinishReason.LENGTH

    def finish(self, reason: FinishReason, error: BatchingError | None) -> None:
        """It has ended; its image and its source of chance are let go."""
        self.phase, self.finish_reason, self.error = Phase.FINISHED, reason, error
        self.prompt = dataclasses.replace(self.prompt, image=None, generator=None)
        self.clock.finish()

    def timings(self) -> Timings:
        """Seconds since submit."""
        return self.clock.timings(0 if self.beams is not None else self.num_output - 1)

    def _begin(self) -> None:
        """By the tokens of its prompt, as far as they are known."""
        prompt, params = self.prompt, self.params
        self.num_prompt = len(self.tokens)
        room = self._capacity - self.num_prompt + 1  # the last token's own KV is never needed
        self.max_tokens = room if prompt.max_tokens is None else min(prompt.max_tokens, room)
        self.beams: BeamSearch | None = None
        self.branches = [Branch(self.tokens)]
        if params.num_beams > 1:
            self.beams = BeamSearch(params, prompt.stop_token_ids, self.num_prompt, self.max_tokens)
            self.branches = [Branch(list(self.tokens))]

    def _outgrown(self, branch: Branch) -> bool:
        return len(branch.tokens) - 1 == self.prompt.recompute_beyond
