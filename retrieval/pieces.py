"""What chunks are filled with: printed lines, cells of tables, and parts of either that fit the budget."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from documents.values import BoundingBox, RegionKind
from retrieval.tokens import TokenCounter

BETWEEN = " | "  # what parts the cells of a row


@dataclass(frozen=True, slots=True)
class Piece:
    """A line, or the part of it that fits; `region` counts the regions of the document."""

    text: str
    page: int
    box: BoundingBox
    kind: RegionKind
    region: int
    row: int | None = None  # of a table; its cells are pieces of one line
    goes_on: bool = False  # its region begins in the middle of a sentence


@dataclass(frozen=True, slots=True)
class Budget:
    """What a chunk may cost together with its headings."""

    counter: TokenCounter
    max_tokens: int
    prefix: str

    def holds(self, text: str) -> bool:
        return self.counter.count(self.prefix + text) <= self.max_tokens

    def cheap(self, text: str, share: int) -> bool:
        """Whether a text takes at most one part in `share` of what the headings leave."""
        left = self.max_tokens - self.counter.count(self.prefix)
        return share * self.counter.count(text) <= left

    def after(self, text: str) -> Budget:
        """What is left once a chunk begins with `text`."""
        return Budget(self.counter, self.max_tokens, self.prefix + text)


def parts(piece: Piece, budget: Budget) -> Iterator[Piece]:
    """A line that fits, or its longest parts that do, broken between words or, in a word too long, within it."""
    rest = piece.text
    while not budget.holds(rest):
        ends = [match.start() for match in re.finditer(r"\s+", rest)] or list(range(1, len(rest)))
        end = _longest(rest, ends, budget)
        if not end:  # the first word alone is too long
            end = _longest(rest, list(range(1, ends[0] + 1)), budget) or 1
        yield replace(piece, text=rest[:end])
        rest = rest[end:].lstrip()
    yield replace(piece, text=rest)


def _longest(text: str, ends: list[int], budget: Budget) -> int:
    """The last of `ends` (ascending) up to which the text fits, or 0; longer texts are taken to cost more."""
    low, high = 0, len(ends)
    while low < high:
        middle = (low + high) // 2
        if budget.holds(text[: ends[middle]]):
            low = middle + 1
        else:
            high = middle
    return ends[low - 1] if low else 0


def join(pieces: list[Piece]) -> tuple[str, list[tuple[int, int]]]:
    """The text of a chunk, and where each piece lies in it.

    Cells of a row are parted by BETWEEN, lines by a line break, regions by two.
    """
    text, places = "", []
    for k, piece in enumerate(pieces):
        if k:
            text += _between(pieces[k - 1], piece)
        places.append((len(text), len(text) + len(piece.text)))
        text += piece.text
    return text, places


def _between(before: Piece, piece: Piece) -> str:
    if before.region != piece.region:
        return "\n\n"
    return BETWEEN if piece.row is not None and piece.row == before.row else "\n"
