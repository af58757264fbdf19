"""Bounds the work of one comparison, whatever its lines and values are made of."""

from __future__ import annotations


class WorkBudgetSpent(Exception):
    """A comparison would take more steps than it may."""


class WorkBudget:
    """At most `num_steps` steps are taken; a step is what takes about a microsecond."""

    def __init__(self, num_steps: int) -> None:
        self._num_left = num_steps

    def spend(self, num_steps: int) -> None:
        """Raises WorkBudgetSpent where fewer steps are left."""
        self._num_left -= num_steps
        if self._num_left < 0:
            raise WorkBudgetSpent
