"""Ends an output that repeats itself endlessly (finish reason `repetition`)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RepetitionLimit:
    """An output ends once its last tokens are one run, `times` over and `least` tokens long in all.

    Runs of nothing but `ignored_token_ids` never end it.

    Raises:
        ValueError: names the field that is out of range.
    """

    longest: int = 32  # tokens of a run
    times: int = 4
    least: int = 24  # tokens of all repetitions
    ignored_token_ids: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        for field, lowest in (("longest", 1), ("times", 2), ("least", 2)):
            if getattr(self, field) < lowest:
                raise ValueError(f"{field} must be at least {lowest}, not {getattr(self, field)!r}")


class RepetitionWatch:
    """Knows, for each length of a run, how many of the last tokens equal those one run before."""

    def __init__(self, limit: RepetitionLimit) -> None:
        self._limit = limit
        self._tokens: list[int] = []
        self._equal = [0] * (limit.longest + 1)

    def push(self, token_id: int) -> bool:
        """Whether the output, with this token, repeats itself beyond the limit."""
        self._tokens.append(token_id)
        num_tokens, ended = len(self._tokens), False
        for length in range(1, min(self._limit.longest, num_tokens - 1) + 1):
            if self._tokens[-1 - length] != token_id:
                self._equal[length] = 0
                continue
            self._equal[length] += 1
            repeated = self._equal[length] + length
            if repeated >= self._limit.times * length and repeated >= self._limit.least:
                ended = ended or not self._limit.ignored_token_ids.issuperset(self._tokens[-length:])
        return ended
