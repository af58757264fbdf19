"""Kinds of tables as data: how large, what their columns say, how rows are named, grouped and summed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from training.structure.drawings.tables.cell_contents import Kind

Group = Literal["none", "span", "stub", "side", "gap"]
"""Rows under a head over all columns, under a name without values, beside a name over several rows, after a gap."""

NUMBER_KINDS: tuple[Kind, ...] = ("integer", "integer", "decimal", "percent", "money")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """What tables of one kind have in common; choices are made again for every table."""

    weight: float = 1
    rows: tuple[int, int] = (3, 14)
    columns: tuple[int, int] = (1, 7)  # behind the names of rows
    kinds: tuple[Kind, ...] = (*NUMBER_KINDS, "word", "phrase", "date", "mark", "code", "year", "range")
    same_kind: float = 0.3  # probability that all columns are of one kind
    name_kinds: tuple[Kind | Literal["name", "long name"], ...] = ("name", "name", "long name")
    stub_em: tuple[float, ...] = (0, 0, 9, 13, 18)  # width at which names of rows break; 0: they do not
    num_heads: tuple[int, ...] = (0, 1, 1, 1, 2)  # rows of heads of columns
    units: float = 0.08  # probability of a row of units or of column numbers below the heads
    groups: tuple[Group, ...] = ("none",)
    group_rows: tuple[int, int] = (2, 6)
    totals: float = 0.15  # probability of a row of sums below a group or the table
    empty_shares: tuple[float, ...] = (0, 0, 0.03, 0.15)  # of the cells of a column
    leaders: float = 0.0  # probability that dots lead from names to numbers
    prefix_once: float = 0.5  # probability that "$" stands in first and last rows only
    error_rows: float = 0.0  # probability of rows of standard errors without a name
    merged_cells: float = 0.03  # probability that a value of a group stands for several columns or rows
    vertical_heads: float = 0.0  # probability that the heads of columns are turned
    repeats: int = 1  # the columns again beside themselves: a tall list in a wide table


RECIPES: dict[str, Recipe] = {
    "plain": Recipe(weight=10, merged_cells=0.1),
    "small": Recipe(weight=6, rows=(1, 3), columns=(1, 3), stub_em=(0,), num_heads=(0, 0, 1, 1)),
    "scientific": Recipe(
        weight=12, columns=(2, 9), kinds=("decimal", "percent", "integer", "deviation", "two numbers", "mark"),
        same_kind=0.5, num_heads=(1, 1, 2, 2, 3), units=0.25, groups=("none", "none", "span",
        "side", "gap"), totals=0.1,
    ),
    "regression": Recipe(
        weight=4, rows=(4, 12), columns=(2, 7), kinds=("decimal",), same_kind=1, num_heads=(1, 2),
        units=0.5, error_rows=1,
        empty_shares=(0, 0.2, 0.35), groups=("none", "none", "span"),
    ),
    "government": Recipe(
        weight=16, rows=(6, 34), columns=(2, 10), kinds=NUMBER_KINDS, same_kind=0.7,
        name_kinds=("long name", "name", "long name"), stub_em=(11, 14, 18, 24),
        num_heads=(1, 2, 2, 3), units=0.35, groups=("stub", "stub", "span", "gap", "none"),
        totals=0.6, leaders=0.4, empty_shares=(0, 0.05, 0.2),
    ),
    "financial": Recipe(
        weight=16, rows=(6, 30), columns=(2, 5), kinds=("money",), same_kind=1, name_kinds=("name", "long name"),
        stub_em=(0, 16, 22, 28), num_heads=(1, 1, 2), units=0.3, groups=("stub", "stub", "gap"),
        totals=0.9, leaders=0.2,
        empty_shares=(0, 0.1, 0.25), prefix_once=0.85,
    ),
    "schedule": Recipe(
        weight=5, rows=(4, 16), columns=(2, 5), kinds=("date", "time", "phrase", "word", "text"),
        name_kinds=("date", "time", "code", "word"), groups=("none", "none", "side", "span"),
        totals=0, merged_cells=0.3,
    ),
    "timetable": Recipe(
        weight=5, rows=(6, 30), columns=(4, 14), kinds=("time",), same_kind=1, empty_shares=(0.05, 0.2), stub_em=(0, 8),
        groups=("none", "none", "span"), totals=0, units=0.3,
    ),
    "list": Recipe(
        weight=6, rows=(12, 45), columns=(1, 2), kinds=("integer", "word", "date", "code", "money", "year"),
        num_heads=(0, 1), leaders=0.4, totals=0.1,
    ),
    "list twice": Recipe(
        weight=3, rows=(8, 30), columns=(1, 2), kinds=("integer", "word", "code", "decimal",
        "year"), num_heads=(1, 1, 0),
        stub_em=(0,), repeats=2, totals=0,
    ),
    "list thrice": Recipe(
        weight=2, rows=(8, 30), columns=(1, 2), kinds=("integer", "word", "code", "decimal",
        "year"), num_heads=(1, 1, 0),
        stub_em=(0,), repeats=3, totals=0,
    ),
    "texts": Recipe(
        weight=14, rows=(2, 9), columns=(1, 4), kinds=("text", "text", "essay", "phrase", "date"), same_kind=0.2,
        name_kinds=("name", "long name", "code", "text"), stub_em=(7, 10, 14), groups=("none", "none", "span", "side"),
        totals=0,
    ),
    "items": Recipe(
        weight=7, rows=(2, 6), columns=(1, 3), kinds=("items", "paragraphs", "text"), same_kind=0.4,
        name_kinds=("name", "long name"), stub_em=(7, 10, 14), groups=("none", "side"), totals=0,
    ),
    "sides": Recipe(
        weight=8, rows=(5, 20), columns=(1, 5), kinds=(*NUMBER_KINDS, "phrase", "text", "mark"), groups=("side",),
        group_rows=(2, 5), stub_em=(0, 9, 12), totals=0.1, merged_cells=0.2,
    ),
    "large": Recipe(
        weight=6, rows=(35, 60), columns=(7, 12), kinds=("integer", "decimal", "percent"), same_kind=0.7,
        num_heads=(1, 2, 3), groups=("none", "stub", "span", "gap"), units=0.3, totals=0.3, stub_em=(0, 0, 12),
    ),
    "marks": Recipe(
        weight=4, rows=(4, 18), columns=(3, 9), kinds=("mark",), same_kind=1, empty_shares=(0.1, 0.5),
        name_kinds=("long name", "name"), stub_em=(12, 18, 24), totals=0, vertical_heads=0.25,
    ),
}  # fmt: skip
