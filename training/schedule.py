"""Learning rates follow the seconds of a run: a warm-up, a plateau, and a fall to nothing at its end.

A run that was held up, or that goes on from its state, still falls to nothing at the end that is planned for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

WARM_UP = 50  # steps


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """When a run ends, and its rate as a share of the highest."""

    budget_s: float  # in all runs into one folder
    fall: float  # share of the budget, at its end, in which the rate falls

    def share_done(self, spent_s: float) -> float:
        return min(1.0, spent_s / self.budget_s)

    def rate(self, step: int, spent_s: float) -> float:
        """Of the highest rate: 0..1."""
        return min(1.0, (step + 1) / WARM_UP, (1 - self.share_done(spent_s)) / self.fall)


def seconds_until(clock: str, now: datetime) -> float:
    """To the next time that a clock shows `clock`, "HH:MM"."""
    hour, minute = map(int, clock.split(":"))
    end = now.replace(hour=hour, minute=minute, second=0, microsecond=0)
    return (end + timedelta(days=end <= now) - now).total_seconds()
