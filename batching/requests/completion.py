"""Results that a client gets: Completion and streamed Delta, with FinishReason and log-probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from batching.errors import BatchingError


class FinishReason(StrEnum):
    """Why a sequence ended."""

    STOP = "stop"  # a stop token, which is the last of the output, or a stop string
    REPETITION = "repetition"  # the output repeats itself beyond the request's own limit
    LENGTH = "length"  # max_tokens, or no more room in the context or the pool
    INCOMPLETE = "incomplete"  # as LENGTH, before the output was what its guide asks for
    ABORT = "abort"  # its client went away or said so
    ERROR = "error"  # it broke; only offline results carry this, streams raise


NORMAL_FINISH_REASONS = frozenset(
    {FinishReason.STOP, FinishReason.REPETITION, FinishReason.LENGTH, FinishReason.INCOMPLETE}
)
"""The reasons that lie in the output itself: neither an abort nor an error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timings:
    """Seconds since submit; None for what never came."""

    queued_s: float | None  # until it was first admitted
    first_token_s: float | None  # TTFT
    total_s: float
    mean_itl_s: float | None = None  # between two tokens; None with fewer than two
    max_itl_s: float | None = None


@dataclass(frozen=True, slots=True)
class TokenLogprob:
    """Natural logarithms of the model's own distribution, or of that after `SamplingParams.penalised_logprobs`."""

    token_id: int
    logprob: float
    top: tuple[tuple[int, float], ...]  # the likeliest tokens with theirs, as many as were asked for


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """What is new since the delta before; only the last has a finish reason."""

    token_ids: list[int]
    text: str
    finish_reason: FinishReason | None = None
    logprobs: tuple[TokenLogprob, ...] | None = None  # one a token, if asked for


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """The whole output of one request; the prompt is not in it."""

    token_ids: list[int]
    text: str  # without special tokens; empty when the runner has no tokenizer
    finish_reason: FinishReason
    timings: Timings
    mean_logprob: float | None  # natural log, of the model's own distribution; None without tokens, or if not wanted
    token_logprobs: tuple[float, ...] = ()  # the same of each token; none with beam search
    error: BatchingError | None = None
    num_prompt: int = 0  # tokens of the prompt, and of a continuation
    logprobs: tuple[TokenLogprob, ...] | None = None  # one a token, if asked for
