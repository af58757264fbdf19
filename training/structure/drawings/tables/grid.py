"""A table before it is printed: rows of cells, and in each cell the pieces of text that stand in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

RowKind = Literal["head", "body", "group", "total"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One block within a cell; what is set apart at the start or the end of the column belongs to it."""

    text: str  # as HTML
    css: str = ""
    ink: int | None = None  # of grey letters
    prefix: str = ""  # "$" at the start of the column
    suffix: str = ""  # ")" or "%" in a place of its own at the end
    suffix_em: float = 0.0  # width kept for suffixes; all numbers of a column have it
    leader: str = ""  # dots that lead from a name to its numbers: what is repeated


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A cell without pieces is empty: it takes its place, but no block has it."""

    pieces: tuple[Piece, ...] = ()
    num_rows: int = 1
    num_columns: int = 1
    is_stub: bool = False  # a name of a row
    css: str = ""  # of the cell
    rule: str = ""  # CSS of a line that leaves the gap between columns free


@dataclass(frozen=True, slots=True)
class Row:
    """The cells that begin in one row."""

    kind: RowKind
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows from the heads down; `num_columns` counts those of names too."""

    rows: tuple[Row, ...]
    num_columns: int
    stub_em: float = 0.0  # width at which names of rows break; 0 where they are as wide as they are
