"""Settings of table detection: which strategies propose cells, and their limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Strategy = Literal["ruled", "judged"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSettings:
    """Lengths are in sizes of the type, where no unit is given."""

    strategies: tuple[Strategy, ...] = ("ruled", "judged")  # the first of two that fit as well wins
    least_fit: float = 0.86  # see `fit`: what is below it is a chart, a form or prose
    sure_rules: float = 0.02  # by how much rules may fit worse than white space, and still win: they were drawn


DEFAULT = TableSettings()
