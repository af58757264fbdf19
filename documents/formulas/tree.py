"""The structure of a formula, as a tree whose leaves are its glyphs, each part in its place on the page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from documents.boxes import BoundingBox
from documents.text.math_symbols import Alphabet

AXIS_HEIGHT = 0.25  # height of the axis of mathematics above the baseline, in type sizes; nearly all fonts have it


class NoStructure(Exception):
    """The glyphs do not stand as those of a formula do, or one of them has no name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Symbol:
    """One glyph."""

    text: str
    latex: str
    alphabet: Alphabet = ""


@dataclass(frozen=True, slots=True)
class Name:
    """The name of a function, as `max`."""

    text: str


@dataclass(frozen=True, slots=True)
class Row:
    """Parts side by side."""

    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Fraction:
    numerator: Part
    denominator: Part


@dataclass(frozen=True, slots=True)
class Binomial:
    above: Part
    below: Part
    fences: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Root:
    inner: Part
    degree: Part | None


@dataclass(frozen=True, slots=True)
class Scripts:
    """`are_limits`: they stand below and above the base, not beside it."""

    base: Part | None
    below: Part | None
    above: Part | None
    are_limits: bool = False


@dataclass(frozen=True, slots=True)
class Accent:
    command: str
    base: Part


@dataclass(frozen=True, slots=True)
class Grid:
    """Cells in rows and columns, between fences; an empty fence is not drawn."""

    rows: tuple[tuple[Part | None, ...], ...]
    fences: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Lines:
    """Rows of a formula, one below the other."""

    rows: tuple[Part, ...]


Node = Symbol | Name | Row | Fraction | Binomial | Root | Scripts | Accent | Grid | Lines


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A node with its ink; `baseline` and `size` are those of its main characters."""

    node: Node
    box: BoundingBox
    baseline: float
    size: float
    shape: Literal["character", "centered"] = "character"  # centered: stands around the axis in any size
    axis_height: float | None = None  # of what is centered: from the top of the page
    count: int = 1  # of the signs in it

    @property
    def axis(self) -> float:
        return self.baseline - AXIS_HEIGHT * self.size if self.axis_height is None else self.axis_height


def count_of(parts: Iterable[Part | None]) -> int:
    """How many signs are in some parts."""
    return sum(part.count for part in parts if part is not None)


def around(parts: Sequence[Part]) -> BoundingBox:
    return BoundingBox.around([part.box for part in parts])
