"""Words placed on an upright table, and the slots that hold them before they are text."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from documents.boxes import BoundingBox
from documents.inspection import TextLine, Word
from documents.page_index import PageIndex
from documents.rotated_boxes import unrotate
from documents.text.word_count import num_words

RESULTS = ("=", "\u2248", "\u00b1")  # begin the line in which a value above goes on
LEADER = re.compile(r"[.·…‥_]{5,}")  # three are how some write that there is no value


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """A word, and its box as if its text stood upright."""

    word: Word
    box: BoundingBox


class SidewaysName(NamedTuple):
    """A line that is turned by a quarter beside the words of an area; `words` stand upright in the line itself."""

    box: BoundingBox
    words: list[PlacedWord]


@dataclass(frozen=True, slots=True)
class Slot:
    """Where a cell stands, and its words; `box` is upright, and None where nothing is drawn around it."""

    row: int
    column: int
    num_rows: int = 1
    num_columns: int = 1
    words: list[PlacedWord] = field(default_factory=list)
    box: BoundingBox | None = None


@dataclass(frozen=True, slots=True)
class Cut:
    """A table cut into slots; `num_header_rows` is None where no rule tells it."""

    num_rows: int
    num_columns: int
    slots: list[Slot]
    num_header_rows: int | None = None


def placed_words(lines: Iterable[TextLine], angle: int) -> list[PlacedWord]:
    """All words of the lines that have that turn."""
    return [PlacedWord(word, unrotate(word.box, angle)) for line in lines if line.angle == angle for word in line.words]


def baselines(words: Sequence[PlacedWord]) -> list[list[PlacedWord]]:
    """Words as printed rows from the top, each from the left; raised and lowered words go with their neighbours."""
    rows: list[tuple[float, float, list[PlacedWord]]] = []
    index = PageIndex()
    for one in sorted(words, key=lambda w: (w.word.rise is not None, w.box.center[1], w.box.x0)):
        best, shared = None, 0.0
        for k in index.level_with(one.box.y0, one.box.y1):
            top, bottom, _ = rows[k]
            part = (min(bottom, one.box.y1) - max(top, one.box.y0)) / max(0.1, min(bottom - top, one.box.height))
            if part > max(0.5 if one.word.rise is None else 0.3, shared):
                best, shared = k, part
        if best is None:
            rows.append((one.box.y0, one.box.y1, [one]))
            index.add(one.box)
        else:
            rows[best][2].append(one)
    return [sorted(members, key=lambda w: (w.box.x0, w.box.y0)) for _, _, members in sorted(rows, key=lambda r: r[0])]


def count_words(words: Iterable[PlacedWord]) -> int:
    """How many words they are for a reader: what no space parts may be a sentence of Chinese."""
    return sum(num_words(one.word.text) for one in words)


def slots_by_row(slots: Iterable[Slot]) -> defaultdict[int, list[Slot]]:
    """Slots by the row that they begin in, in their order."""
    rows: defaultdict[int, list[Slot]] = defaultdict(list)
    for slot in slots:
        rows[slot.row].append(slot)
    return rows


def filled_slots(cut: Cut) -> list[tuple[Slot, list[list[PlacedWord]]]]:
    """The slots that hold words, by row and column, each with its printed rows."""
    filled = sorted((slot for slot in cut.slots if slot.words), key=lambda slot: (slot.row, slot.column))
    return [(slot, baselines(slot.words)) for slot in filled]


def num_header_rows(cut: Cut) -> int:
    """The first row, with those that its cells reach down to, and those that divide a cell above over columns.

    The last row divides none, nor does one that holds a number.
    """
    filled = slots_by_row(slot for slot in cut.slots if slot.words)
    reached = 0  # the first row that no slot from above reaches down to
    for row in range(1, cut.num_rows):
        above = filled[row - 1]
        reached = max([reached, *(slot.row + slot.num_rows for slot in above)])
        if row < reached:
            continue
        if (
            any(slot.num_columns > 1 for slot in above)
            and row < cut.num_rows - 1
            and not any(map(_is_figure, filled[row]))
        ):
            continue
        return row
    return 1


def _is_figure(slot: Slot) -> bool:
    return is_number("".join(one.word.text for one in slot.words))


def clusters(values: Iterable[float], tolerance: float) -> list[float]:
    """The means of values that lie within `tolerance` of the one before, ascending."""
    groups: list[list[float]] = []
    for value in sorted(values):
        if groups and value - groups[-1][-1] <= tolerance:
            groups[-1].append(value)
        else:
            groups.append([value])
    return [sum(group) / len(group) for group in groups]


def is_number(text: str) -> bool:
    """Figures with their signs rather than words."""
    digits = sum(sign.isdigit() for sign in text)
    letters = sum(sign.isalpha() for sign in text)
    return digits > 0 and letters <= max(1, digits // 3)


def is_value(text: str) -> bool:
    """A number by itself, with its unit or the mark of a note at most: what one cell of a row holds one of."""
    return any(map(str.isdigit, text)) and sum(map(str.isalpha, text)) <= 1


def is_leader(one: PlacedWord) -> bool:
    """Whether it is the dots that lead from a label to its value."""
    return LEADER.fullmatch(one.word.text) is not None


def goes_on(line: Sequence[PlacedWord]) -> bool:
    """Whether a line begins as the result of what stands above it in its cell does."""
    return line[0].word.text.startswith(RESULTS)
