"""Stall: whether something that has work goes on with it, told from a count that only grows."""

from __future__ import annotations


class Stall:
    """Looked at now and then; knows since when the count has stood still although there was work."""

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._count, self._since = -1, 0.0

    def stands(self, now: float, count: int, *, busy: bool) -> bool:
        """Whether nothing was done for longer than the limit; `now` in seconds of a clock that never goes back."""
        if not busy or count != self._count:
            self._count, self._since = count, now
        return now - self._since > self._limit_s
