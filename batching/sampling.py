"""SamplingParams: how the next token is chosen, and when a request ends."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingParams:
    """Always valid; the meanings and their order are those of transformers' `generate`.

    Order: repetition penalty, temperature, top-k, top-p. A temperature of 0 is greedy.

    Raises:
        ValueError: names the field that is out of range.
    """

    max_tokens: int | None = None  # None: the checkpoint's own limit, else what pool and context allow
    temperature: float = 0.0
    top_k: int = 0  # 0: all tokens
    top_p: float = 1.0
    repetition_penalty: float = 1.0
    seed: int | None = None  # the output depends on it alone, never on batch mates; None: a fresh one
    stop_token_ids: tuple[int, ...] = ()  # beside the model's own; the stop token is part of the output
    ignore_eos: bool = False  # leave out the model's own stop tokens

    def __post_init__(self) -> None:
        object.__setattr__(self, "stop_token_ids", tuple(self.stop_token_ids))
        _check(self.max_tokens is None or _is_int(self.max_tokens, 0), "max_tokens", self.max_tokens, "at least 0")
        _check(0.0 <= self.temperature < float("inf"), "temperature", self.temperature, "finite and at least 0")
        _check(_is_int(self.top_k, 0), "top_k", self.top_k, "a whole number, 0 or more")
        _check(0.0 < self.top_p <= 1.0, "top_p", self.top_p, "above 0 and at most 1")
        penalty = self.repetition_penalty
        _check(0.0 < penalty < float("inf"), "repetition_penalty", penalty, "finite and above 0")
        _check(self.seed is None or _is_int(self.seed, 0), "seed", self.seed, "a whole number, 0 or more")
        _check(self.seed is None or self.seed < 2**63, "seed", self.seed, "below 2**63")
        _check(
            all(_is_int(each, 0) for each in self.stop_token_ids), "stop_token_ids", self.stop_token_ids, "token ids"
        )

    @property
    def greedy(self) -> bool:
        """Whether no chance is involved."""
        return self.temperature == 0.0


def _is_int(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _check(valid: bool, field: str, value: object, wanted: str) -> None:
    if not valid:
        raise ValueError(f"{field} must be {wanted}, not {value!r}")
