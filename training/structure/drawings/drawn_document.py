"""What a drawing gives: a PDF in which every block is set in a colour of its own, and what each block is.

The colours lie close to the colours that are meant, so that features are made from the page as it is; `Colours`
hands them out. Who inspects the page finds a word's block by the word's colour.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

from documents.segments.roles import Role

STEP = 16  # codes per channel: a coded colour differs from the meant one by less than this


@dataclass(frozen=True, slots=True)
class DrawnCell:
    """A place in the grid of a table: its first row and column, counted from 0 in reading order, and its spans.

    Columns are counted from the side at which a line of the table's script begins: the right one of an Arabic table.
    """

    table: int  # tables of a document are numbered as they are written
    row: int
    column: int
    num_rows: int = 1
    num_columns: int = 1
    is_header: bool = False  # a head of columns; names of rows and of groups of rows are none


@dataclass(frozen=True, slots=True)
class DrawnBlock:
    """One paragraph, heading, list item, cell, caption, running head ...: what a person would call one piece of text.

    `order` is its place in the reading order of the document; what floats is placed where it stands (`floats`).
    """

    role: Role
    order: float
    floats: bool = False  # a figure or table that the typesetter moves: its place decides its order
    level: int | None = None  # of a heading, 1 is the highest
    cell: DrawnCell | None = None  # that it stands in, alone or with other blocks


@dataclass(frozen=True, slots=True)
class DrawnDocument:
    """A PDF and its blocks by the colour (0xRRGGBB) that their letters are set in."""

    content: bytes
    blocks: dict[int, DrawnBlock]


@dataclass(slots=True)
class Colours:
    """Hands out, for a colour that is meant, colours close to it that nobody has been given."""

    _codes: dict[int, Iterator[int]] = field(default_factory=dict[int, Iterator[int]])
    _taken: set[int] = field(default_factory=set[int])

    def take(self, meant: int = 0x000000) -> int:
        """A colour (0xRRGGBB) within `STEP` of `meant` in each channel.

        Raises:
            StopIteration: 4,096 blocks have this colour already.
        """
        codes = self._codes.setdefault(quantised(meant), _codes(quantised(meant)))
        colour = next(code for code in codes if code not in self._taken)
        self._taken.add(colour)
        return colour


def quantised(colour: int) -> int:
    """The colour without the bits that carry truth."""
    return colour & 0xF0F0F0


def _codes(base: int) -> Iterator[int]:
    for red, green, blue in product(range(STEP), repeat=3):
        yield base | red << 16 | green << 8 | blue
