"""Sequence: the state of one request in the engine (waiting, running, finished), its tokens and KV blocks."""

from __future__ import annotations

import dataclasses
from enum import Enum, auto
from typing import Any

from batching.errors import BatchingError
from batching.requests.completion import FinishReason, Timings, TokenLogprob
from batching.requests.detokenize import Tokenizer
from batching.requests.pictures import PreparedPictures
from batching.requests.repetition_limit import RepetitionWatch
from batching.requests.request import Prompt
from batching.requests.sampling_params import SamplingParams
from batching.requests.sequence_timings import Clock
from batching.requests.stop_strings import StopStrings
from batching.sampling.guide_matcher import GuideMatcher
from batching.sampling.prompt_lookup import Drafter
from batching.step_plan import PlanRow, RowOwner, RowResult


class Phase(Enum):
    """Where a sequence is; a preempted one waits again."""

    WAITING = auto()
    RUNNING = auto()
    FINISHED = auto()


class Sequence:
    """Its first `num_computed` tokens have KV in `blocks`; a finished one holds no block, image or feature."""

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
        self.owner = RowOwner(seq_id=seq_id, params=params, label=label, generator=prompt.generator, matcher=matcher)
        self.tokens = prompt.token_ids  # prompt, then output
        self.blocks: list[int] = []
        self.slot: int | None = None  # while it runs
        self.num_computed = 0
        self.block_hashes: list[bytes] = []  # of its first full blocks' contents
        self.num_hashed = 0  # blocks at its head that the pool finds by their contents, or has another one for
        self.prefix_key = b""  # what keys and values depend on beside tokens: a digest of the pictures
        self.pixels: PreparedPictures | None = None  # held from their preparation to their encoding
        self.features: Any = None  # of the pictures; held from their encoding to the end of its prefill
        self.stops = StopStrings(params.stop, tokenizer) if params.stop and tokenizer is not None else None
        self.repetition = RepetitionWatch(params.repetition) if params.repetition is not None else None
        self.drafter: Drafter | None = None
        self.phase = Phase.WAITING
        self.finish_reason: FinishReason | None = None
        self.error: BatchingError | None = None
        self.num_preempted = 0
        self.num_steps = 0  # that gave it tokens
        self.sum_logprob = 0.0
        self.token_logprobs: list[float] = []  # of the output
        self.logprobs: list[TokenLogprob] = []  # filled if asked for
        self.clock = Clock()
        self._capacity = capacity
        self._begin()

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
        """Whether its next step is one token of its own output."""
        return self.num_computed == len(self.tokens) - 1 >= self.num_prompt

    @property
    def repeatable(self) -> bool:
        """Whether its keys and values are those of any sequence with the same `prefix_key` and first tokens."""
        return self.prompt.recompute_beyond is None and (self.prompt.image is None or self.prefix_key != b"")

    @property
    def num_patches_due(self) -> int:
        """Of its pictures that are to be encoded; none where blocks of an earlier sequence hold them all."""
        if self.prompt.image is None or self.pixels is None or self.features is not None:
            return 0
        return 0 if self.num_computed and self.num_computed > self.pixels.places[-1] else self.prompt.num_patches

    @property
    def num_to_prefill(self) -> int:
        """Tokens to compute before its next step is a decode, or before its next token."""
        num_due = len(self.tokens) - self.num_computed
        decodes_last = self._outgrown and self.num_output > 0  # that token may need a block more
        return num_due - decodes_last

    def row(self, count: int, *, decodes: bool) -> PlanRow:
        """Its next `count` tokens in a step."""
        return PlanRow(
            owner=self.owner,
            tokens=self.tokens,
            start=self.num_computed,
            count=count,
            blocks=self.blocks,
            slot=self.slot,
            decodes=decodes,
            pixels=self.pixels,
            features=self.features,
        )

    def row_after(self, fed_by: int) -> PlanRow:
        """The token that row `fed_by` of the step in flight samples; it may turn out to have ended before."""
        blocks = tuple(self.blocks)  # as they are now
        start = len(self.tokens)
        return PlanRow(
            owner=self.owner,
            tokens=self.tokens,
            start=start,
            count=1,
            blocks=blocks,
            slot=self.slot,
            decodes=True,
            fed_by=fed_by,
        )

    def take_pictures(self, pictures: PreparedPictures) -> None:
        """Its pictures are ready for the encoder; after a preemption they are so again."""
        if not self.num_prompt:
            self.tokens.extend(pictures.token_ids or ())
            self._begin()
            if self.owner.matcher is not None:
                self.owner.matcher.begin(self.num_prompt)
        self.prompt = dataclasses.replace(self.prompt, num_patches=pictures.num_patches)
        self.pixels = pictures
        self.prefix_key = pictures.digest
        self.owner = dataclasses.replace(self.owner, rope=pictures.rope)

    def keep_features(self, features: Any) -> None:
        """Those of its image, if it has been encoded, for the rest of its prefill."""
        if features is not None:
            self.pixels = None
        self.features = features

    def drop_pictures(self) -> None:
        """Neither its pictures nor their features are needed any more."""
        self.pixels = None
        self.features = None

    def recompute_if_outgrown(self) -> None:
        """Drop what was computed when the token that just came was one more than `Prompt.recompute_beyond`."""
        if self._outgrown:
            self.num_computed = 0

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
        matcher = self.owner.matcher
        satisfied = matcher is None or matcher.satisfied(self.tokens)
        return FinishReason.LENGTH if satisfied else FinishReason.INCOMPLETE

    def preempt(self) -> None:
        """It waits again; its pictures are prepared again."""
        self.phase = Phase.WAITING
        self.num_preempted += 1
        self.drop_pictures()

    def finish(self, reason: FinishReason, error: BatchingError | None) -> None:
        """It has ended; its pictures and its random generator are let go."""
        self.drop_pictures()
        self.phase = Phase.FINISHED
        self.finish_reason = reason
        self.error = error
        self.prompt = dataclasses.replace(self.prompt, image=None, generator=None)
        self.owner = dataclasses.replace(self.owner, generator=None)
        self.clock.finish()

    def timings(self) -> Timings:
        """Seconds since submit."""
        return self.clock.timings(self.num_output - 1)

    def _begin(self) -> None:
        """(Re)compute the limits from the tokens of its prompt."""
        if self.tokens:
            self.tokens.extend(self.prompt.continuation)
        self.num_prompt = len(self.tokens)
        room = self._capacity - self.num_prompt + 1  # the last token's own KV is never needed
        limit = self.prompt.max_tokens
        self.max_tokens = room if limit is None else min(limit, room)

    @property
    def _outgrown(self) -> bool:
        return len(self.tokens) - 1 == self.prompt.recompute_beyond
