"""Settings of table detection: which strategies propose cells, and their limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Strategy = Literal["ruled", "judged"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSettings:
    """Lengths are in sizes of the type, where no unit is given."""

    strategies: tuple[Strategy, ...] = ("ruled", "judged")  # the first of two that fit as well wins
    river: float = (
        0.3  # least width of a gap that all rows have: a space is 0.25 to 0.33 wide, and seldom below another
    )
    few_river: float = 0.6  # the same where there are few rows, below which spaces do stand by chance
    few_rows: int = 6
    bridged: float = 0.15  # of the rows, that may run over a river: row groups, headings and notes do
    least_filled: float = 0.25  # of the rows, that have words on both sides of a river
    least_fit: float = 0.86  # see `fit`: what is below it is a chart, a form or prose
    sure_rules: float = 0.02  # by how much rules may fit worse than white space, and still win: they were drawn


DEFAULT = TableSettings()
