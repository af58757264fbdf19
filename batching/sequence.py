"""Sequence: a request's life in the engine."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

from batching.completion import FinishReason, Timings
from batching.errors import BatchingError
from batching.request import Prompt
from batching.sampling import SamplingParams


class Phase(Enum):
    """Where a sequence is; a preempted one waits again."""

    WAITING = auto()
    RUNNING = auto()
    FINISHED = auto()


@dataclass(slots=True, eq=False)
class Sequence:
    """Its KV is in `blocks` for the first `num_computed` tokens; a finished one holds no block, image or feature."""

    seq_id: int
    tokens: list[int]  # prompt, then output
    params: SamplingParams
    stop_token_ids: frozenset[int]
    max_tokens: int
    label: str = ""
    image: Any = None
    num_tiles: int = 0
    features: Any = None  # of the image; held from its encoding to the end of its prefill
    generator: Any = None
    num_prompt: int = 0
    num_computed: int = 0
    blocks: list[int] = field(default_factory=list[int])
    phase: Phase = Phase.WAITING
    finish_reason: FinishReason | None = None
    error: BatchingError | None = None
    sum_logprob: float = 0.0
    submitted: float = field(default_factory=time.perf_counter)
    admitted: float | None = None
    first_token: float | None = None
    finished: float | None = None

    @classmethod
    def of(cls, seq_id: int, prompt: Prompt, params: SamplingParams, *, capacity: int, label: str) -> Sequence:
        """A waiting sequence whose output ends where `capacity` tokens of KV would not hold it."""
        room = capacity - len(prompt.token_ids) + 1  # the last token's own KV is never needed
        return cls(
            seq_id=seq_id,
            tokens=prompt.token_ids,
            params=params,
            stop_token_ids=prompt.stop_token_ids,
            max_tokens=room if prompt.max_tokens is None else min(prompt.max_tokens, room),
            label=label,
            image=prompt.image,
            num_tiles=prompt.num_tiles,
            generator=prompt.generator,
            num_prompt=len(prompt.token_ids),
        )

    @property
    def output(self) -> list[int]:
        """A copy of the tokens generated so far."""
        return self.tokens[self.num_prompt :]

    @property
    def num_output(self) -> int:
        """How many tokens were generated so far."""
        return len(self.tokens) - self.num_prompt

    @property
    def num_due(self) -> int:
        """Tokens whose KV is still to be computed before the next one can be sampled."""
        return len(self.tokens) - self.num_computed

    @property
    def decoding(self) -> bool:
        """Whether its next step is one token of its own output."""
        return self.num_due == 1 and self.num_computed > 0 and self.num_output > 0

    def append(self, token_id: int, logprob: float) -> FinishReason | None:
        """Add one generated token; the reason to end, if it is one."""
        if self.first_token is None:
            self.first_token = time.perf_counter()
        self.tokens.append(token_id)
        self.sum_logprob += logprob
        if token_id in self.stop_token_ids:
            return FinishReason.STOP
        return FinishReason.LENGTH if self.num_output >= self.max_tokens else None

    def timings(self) -> Timings:
        """Seconds since submit."""

        def since(moment: float | None) -> float | None:
            return None if moment is None else moment - self.submitted

        total = since(self.finished if self.finished is not None else time.perf_counter())
        assert total is not None
        return Timings(queued_s=since(self.admitted), first_token_s=since(self.first_token), total_s=total)
