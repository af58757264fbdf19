"""Sequence: a request's life in the engine."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

from batching.beam import BeamSearch, Branch, Complete
from batching.completion import FinishReason, Timings, TokenLogprob
from batching.errors import BatchingError
from batching.plan import RowResult
from batching.repetition import RepetitionWatch
from batching.request import Prompt
from batching.runner import Tokenizer
from batching.sampling import SamplingParams
from batching.stops import StopStrings


class Phase(Enum):
    """Where a sequence is; a preempted one waits again."""

    WAITING = auto()
    RUNNING = auto()
    FINISHED = auto()


@dataclass(slots=True, eq=False)
class Sequence:
    """Its KV is in the blocks of its branches; a finished one holds no block, image or feature.

    Without beam search it has one branch, whose tokens are its own; with it, as many as beams after the prompt, and its
    output comes at the end.
    """

    seq_id: int
    tokens: list[int]  # prompt, then output
    params: SamplingParams
    stop_token_ids: frozenset[int]
    max_tokens: int
    branches: list[Branch]
    label: str = ""
    image: Any = None
    num_tiles: int = 0
    features: Any = None  # of the image; held from its encoding to the end of its prefill
    generator: Any = None
    recompute_beyond: int | None = None  # tokens; with one more, all KV is computed anew
    beams: BeamSearch | None = None
    stops: StopStrings | None = None
    repetition: RepetitionWatch | None = None
    num_prompt: int = 0
    num_preempted: int = 0
    phase: Phase = Phase.WAITING
    finish_reason: FinishReason | None = None
    error: BatchingError | None = None
    sum_logprob: float = 0.0
    token_logprobs: list[float] = field(default_factory=list[float])  # of the output; empty with beam search
    logprobs: list[TokenLogprob] = field(default_factory=list[TokenLogprob])  # filled if asked for
    submitted: float = field(default_factory=time.perf_counter)
    admitted: float | None = None
    first_token: float | None = None
    last_token: float = 0.0
    max_itl: float = 0.0
    finished: float | None = None

    @classmethod
    def of(
        cls,
        seq_id: int,
        prompt: Prompt,
        params: SamplingParams,
        *,
        capacity: int,
        label: str,
        tokenizer: Tokenizer | None = None,
    ) -> Sequence:
        """A waiting sequence whose output ends where `capacity` tokens of KV would not hold it."""
        num_prompt = len(prompt.token_ids)
        room = capacity - num_prompt + 1  # the last token's own KV is never needed
        max_tokens = room if prompt.max_tokens is None else min(prompt.max_tokens, room)
        seq = cls(
            seq_id=seq_id,
            tokens=prompt.token_ids,
            params=params,
            stop_token_ids=prompt.stop_token_ids,
            max_tokens=max_tokens,
            branches=[Branch(prompt.token_ids)],
            label=label,
            image=prompt.image,
            num_tiles=prompt.num_tiles,
            generator=prompt.generator,
            recompute_beyond=prompt.recompute_beyond,
            num_prompt=num_prompt,
        )
        if params.stop and tokenizer is not None:
            seq.stops = StopStrings(params.stop, tokenizer)
        if params.repetition is not None:
            seq.repetition = RepetitionWatch(params.repetition)
        if params.num_beams > 1:
            seq.branches = [Branch(list(prompt.token_ids))]
            seq.beams = BeamSearch(
                num_beams=params.num_beams,
                length_penalty=params.length_penalty,
                early_stopping=params.early_stopping,
                stop_token_ids=prompt.stop_token_ids,
                num_prompt=num_prompt,
                max_tokens=max_tokens,
            )
        return seq

    @property
    def output(self) -> list[int]:
        """A copy of the tokens generated so far."""
        return self.tokens[self.num_prompt :]

    @property
    def num_output(self) -> int:
        """How many tokens were generated so far."""
        return len(self.tokens) - self.num_prompt

    @property
    def blocks(self) -> list[int]:
        """The blocks of all branches; one that branches share is there more than once."""
        return [block for branch in self.branches for block in branch.blocks]

    @property
    def decoding(self) -> bool:
        """Whether its next step is one token of its own output in each branch."""
        for branch in self.branches:  # noqa: SIM110 # asked of each sequence in each step; a generator takes thrice as long
            if not branch.num_computed == len(branch.tokens) - 1 >= self.num_prompt:
                return False
        return True

    def num_to_prefill(self, branch: Branch) -> int:
        """Tokens to compute before its branches decode together, or before its next token."""
        num_tokens = len(branch.tokens)
        decodes_last = self.beams is not None or num_tokens - 1 == self.recompute_beyond  # that may need a block more
        return branch.num_due - (decodes_last and num_tokens > self.num_prompt)

    def recompute_if_outgrown(self) -> None:
        """Drop what was computed when the token that just came was one more than `recompute_beyond`."""
        if len(self.branches[0].tokens) - 1 == self.recompute_beyond:
            for branch in self.branches:
                branch.num_computed = 0

    def append(self, came: RowResult, now: float) -> FinishReason | None:
        """Add one token, generated `now`; the reason to end, if it is one."""
        assert came.token_id is not None
        self._clock(now)
        self.tokens.append(came.token_id)
        self.sum_logprob += came.logprob
        self.token_logprobs.append(came.logprob)
        if self.params.logprobs is not None:
            self.logprobs.append(TokenLogprob(came.token_id, came.logprob, came.top))
        if came.token_id in self.stop_token_ids or (self.stops is not None and self.stops.push(came.token_id)):
            return FinishReason.STOP
        if self.repetition is not None and self.repetition.push(came.token_id):
            return FinishReason.REPETITION
        return FinishReason.LENGTH if len(self.tokens) - self.num_prompt >= self.max_tokens else None

    def settle(self, best: Complete, now: float) -> FinishReason:
        """Take the best output of a beam search that ended `now` for its own; why that ended."""
        self._clock(now)
        self.tokens.extend(best.output)
        self.sum_logprob = best.sum_logprob
        return FinishReason.STOP if best.output[-1] in self.stop_token_ids else FinishReason.LENGTH

    def timings(self) -> Timings:
        """Seconds since submit."""

        def since(moment: float | None) -> float | None:
            return None if moment is None else moment - self.submitted

        total = since(self.finished if self.finished is not None else time.perf_counter())
        assert total is not None
        several = self.first_token is not None and self.num_output > 1 and self.beams is None
        return Timings(
            queued_s=since(self.admitted),
            first_token_s=since(self.first_token),
            total_s=total,
            mean_itl_s=(self.last_token - (self.first_token or 0.0)) / (self.num_output - 1) if several else None,
            max_itl_s=self.max_itl if several else None,
        )

    def _clock(self, now: float) -> None:
        if self.first_token is None:
            self.first_token = now
        elif now - self.last_token > self.max_itl:
            self.max_itl = now - self.last_token
        self.last_token = now
