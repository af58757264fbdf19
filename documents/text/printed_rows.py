"""Groups printed lines that stand side by side into rows."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from documents.boxes import BoundingBox
from documents.inspection import Word
from documents.page_index import PageIndex
from documents.rotated_boxes import unrotate
from documents.text.list_markers import Lead
from documents.text.placed_text import STRIKE_MARK, Place, shifted

MAX_NEIGHBOURS = 16  # maximum number of rows at one height that a line is tried in: more than that overlap
MAX_LEFT_PARTS = 16  # maximum number of parts of a row left of a line's start that may extend into it


@dataclass(frozen=True, slots=True, kw_only=True)
class RowLimits:
    """Which lines stand side by side in one row."""

    level: float = 0.5  # of the lower one's height, that both share
    covered: float = 0.5  # of the narrower one's width, that both share: they lie over one another and are two rows
    space: float = 0.12  # of the taller one's height, between them: a space


class PrintedLine(NamedTuple):
    """A line, or a part of one, and its place."""

    text: str
    box: BoundingBox
    monospaced: bool = False
    lead: Lead | None = None
    marks: tuple[Place, ...] = ()  # what is linked, struck out, raised and lowered in its text, by their ends
    words: tuple[Word, ...] = ()  # where the places of all are needed


class RowWord(NamedTuple):
    """A word of a row, and of which printed line it is."""

    text: str
    box: BoundingBox  # upright
    places: tuple[Place, ...]
    spaced: bool = True


class Row(NamedTuple):
    """Lines that stand side by side, as one."""

    text: str
    box: BoundingBox  # upright
    lead: Lead | None = None
    places: tuple[Place, ...] = ()  # of the printed lines, by their number in the region
    words: tuple[RowWord, ...] = ()  # from the left, where all printed lines have theirs


def printed_rows(lines: Sequence[PrintedLine], angle: int = 0, limits: RowLimits = RowLimits()) -> list[Row]:
    """The rows of a region from the top; parts of a row are joined by a blank if there is room for one."""
    placed = [_part(number, line, angle) for number, line in enumerate(lines)]
    if len(placed) == 1:
        return [_row(placed, limits)]
    groups: list[_Group] = []
    index = PageIndex()
    for one in sorted(placed, key=lambda p: (-p.box.height, p.box.y0, p.box.x0)):
        near = (groups[k] for k in index.level_with(one.box.y0, one.box.y1, MAX_NEIGHBOURS))
        own = next((group for group in near if group.takes(one)), None)
        if own is None:
            own = _Group(one.box, limits)
            groups.append(own)
            index.add(one.box)  # the tallest sets the row
        own.add(one)
    return sorted((_row(group.members, limits) for group in groups), key=lambda row: (row.box.center[1], row.box.x0))


class _Group:
    """Parts of one row, by where they begin; none of them covers another."""

    def __init__(self, whole: BoundingBox, limits: RowLimits) -> None:
        self._whole = whole
        self._limits = limits
        self._height = whole.height
        self.members: list[Row] = []
        self._starts: list[float] = []

    def add(self, one: Row) -> None:
        at = bisect_right(self._starts, one.box.x0)
        self._starts.insert(at, one.box.x0)
        self.members.insert(at, one)

    def takes(self, one: Row) -> bool:
        """Whether it stands in the row, beside all that is there; only the nearest members can be in its way."""
        box, whole = one.box, self._whole
        if whole.overlap_y(box) <= self._limits.level * min(self._height, box.height):
            return False
        low = max(0, bisect_left(self._starts, box.x0) - MAX_LEFT_PARTS)
        high = bisect_right(self._starts, box.x1)
        return not any(_covers(other.box, box, self._limits.covered) for other in self.members[low:high])


def _row(members: list[Row], limits: RowLimits) -> Row:
    backwards = is_backwards("".join(one.text for one in members))
    members = sorted(members, key=lambda m: (-m.box.x1 if backwards else m.box.x0, m.box.y0))
    text, places, lead = members[0].text, [*members[0].places], members[0].lead
    for left, one in pairwise(members):
        gap = -left.box.overlap_x(one.box)
        apart = gap > limits.space * max(left.box.height, one.box.height) or _turns(text, one.text)
        if lead is not None and left is members[0] and " " not in text:
            lead = lead._replace(room=gap)  # a mark that the file sets as a line of its own
        text += " " if apart and text and one.text else ""
        places += shifted(one.places, len(text))
        text += one.text
    words = [word for one in members for word in one.words] if all(one.words for one in members) else []
    return Row(text, BoundingBox.around([one.box for one in members]), lead, tuple(places), tuple(words))


def _part(number: int, line: PrintedLine, angle: int) -> Row:
    text = unicodedata.normalize("NFC", line.text.strip())
    marks = (mark._replace(line=number) for mark in line.marks)
    words = tuple(
        RowWord(word.text, unrotate(word.box, angle), _places(number, word), k == 0 or word.spaced)
        for k, word in enumerate(line.words)
    )
    return Row(text, unrotate(line.box, angle), line.lead, (*marks, Place(number, 0, len(text))), words)


def _places(number: int, word: Word) -> tuple[Place, ...]:
    whole = Place(number, 0, len(word.text))
    return (whole._replace(mark=STRIKE_MARK), whole) if word.struck else (whole,)


def _covers(a: BoundingBox, b: BoundingBox, share: float) -> bool:
    return a.overlap_x(b) > share * min(a.width, b.width)


def _turns(text: str, more: str) -> bool:
    """Whether letters that are read from the left meet such that are read from the right."""
    ends = [unicodedata.bidirectional(sign) in ("R", "AL") for sign in (text[-1:], more[:1]) if sign.isalpha()]
    return len(set(ends)) > 1


def is_backwards(text: str) -> bool:
    if text.isascii():
        return False
    return sum(unicodedata.bidirectional(sign) in ("R", "AL") for sign in text) * 2 > sum(map(str.isalpha, text))
