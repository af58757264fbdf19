"""Words placed on an upright table, and the slots that hold them before they are text."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

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
