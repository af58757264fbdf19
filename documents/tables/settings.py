"""Settings of table detection: which strategies propose cells, and their limits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from documents.tables.fit import FitLimits
from documents.tables.labels_beside import LabelLimits
from documents.tables.sideways import SidewaysLimits

Strategy = Literal["ruled", "judged"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSettings:
    """Lengths are in sizes of the type, where no unit is given."""

    strategies: tuple[Strategy, ...] = ("ruled", "judged")  # the first of two that fit as well wins
    least_fit: float = 0.86  # see `fit`: what is below it is a chart, a form or prose
    sure_rules: float = 0.02  # by how much rules may fit worse than white space, and still win: they were drawn
    in_grid: float = 0.6  # of the words of a region: the least that a grid must hold to be its own
    rule_reach: float = 6.0  # points around a region, in which rules are the table's
    fit: FitLimits = field(default_factory=FitLimits)
    sideways: SidewaysLimits = field(default_factory=SidewaysLimits)
    labels: LabelLimits = field(default_factory=LabelLimits)


DEFAULT_SETTINGS = TableSettings()
