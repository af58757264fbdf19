"""Scores how well proposed cells fit the words in them, from 0 to 1: one measure for all strategies."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from math import inf
from statistics import fmean, median
from unicodedata import east_asian_width

from documents.boxes import BoundingBox
from documents.tables.cells import Cut, PlacedWord, Slot, baselines, goes_on, is_leader, is_value
from documents.text.list_markers import BOXES

WIDE_GAP = 1.2  # sizes of the type between words of one cell: a column that was not seen
LEAST_WRITTEN_DOWN = 40  # words that tell text in upright lines
WRITTEN_DOWN = 0.7  # of them, that are single characters
LEAST_DIFFERENT = 12  # of these: fewer are answers, as yes and no, rather than text
CLOSE = 1.5  # heights of a character, from one to the next below it
LEAST_SPACED = 2  # pairs of cells a space apart, that tell shaded words
SPACE = 0.55  # of the type's size: two spaces
LEAST_SHADED = 3  # lines in cells of their own that tell shaded text
READS_ON = 0.4  # of such lines, that go on in the next one: small letters, and no sentence ended
WEIGHTS = {"one_value": 3.0, "unbroken": 3.0, "begun": 2.0}


def fit(cut: Cut) -> float:
    """The weighted mean of shares of cells; each is 1 in a table that is cut as a person would."""
    filled = [slot for slot in cut.slots if slot.words]
    if (
        len(filled) < 2
        or _is_written_down(filled)
        or _is_ticked_list(cut)
        or (cut.num_columns == 1 and is_shaded_text(cut))
    ):
        return 0.0
    return sum(WEIGHTS[name] * share for name, share in shares(cut).items()) / sum(WEIGHTS.values())


def is_shaded_text(cut: Cut) -> bool:
    """Whether the cells of a drawn grid are lines of text, or words of such a line, and no value stands beside another.

    Word shades text line by line, a browser by words: such cells are a space apart, and rows have other columns filled.
    """
    rows = [slots for _, slots in sorted(_filled_by_row(cut).items())]
    if cut.num_columns == 1:
        return _reads_on(rows)
    pairs = [(a, b) for row in rows for a, b in pairwise(row)]
    if not pairs or not all(_is_spaced_as_text(a, b) for a, b in pairs):
        return False
    if len({tuple(slot.column for slot in row) for row in rows}) == 1:
        return False
    return len(pairs) >= LEAST_SPACED or _reads_on(rows)


def _filled_by_row(cut: Cut) -> dict[int, list[Slot]]:
    rows: defaultdict[int, list[Slot]] = defaultdict(list)
    for slot in sorted(cut.slots, key=lambda slot: slot.column):
        if slot.words:
            rows[slot.row].append(slot)
    return rows


def _is_spaced_as_text(left: Slot, right: Slot) -> bool:
    """Whether cells are a space apart at most, and not both are values."""
    a, b = max(left.words, key=lambda one: one.box.x1), min(right.words, key=lambda one: one.box.x0)
    level = min(a.box.y1, b.box.y1) - max(a.box.y0, b.box.y0) > 0.5 * min(a.box.height, b.box.height)
    both = all(is_value("".join(one.word.text for one in slot.words)) for slot in (left, right))
    return level and not both and b.box.x0 - a.box.x1 <= SPACE * a.word.font_size


def _reads_on(rows: Sequence[Sequence[Slot]]) -> bool:
    """Whether the rows are lines of sentences: most go on in the next one."""
    lines = [[one.word.text for slot in row for one in slot.words] for row in rows]
    if len(lines) < LEAST_SHADED:
        return False
    follows = [a[-1][-1:] not in ".:;!?" and b[0][:1].islower() for a, b in pairwise(lines)]
    return sum(follows) > READS_ON * len(follows)


def shares(cut: Cut) -> dict[str, float]:
    """What the measure is made of, by the names of the weights."""
    filled = [slot for slot in cut.slots if slot.words]
    return {
        "one_value": _share([not _holds_rows(slot) for slot in filled]),
        "unbroken": _share([not _holds_columns(slot) for slot in filled]),
        "begun": _begun(filled),
    }


def _is_ticked_list(cut: Cut) -> bool:
    """Whether boxes to tick stand before one column of statements: a list."""
    texts = [(slot.column, one.word.text) for slot in cut.slots for one in slot.words]
    statements = {column for column, text in texts if text not in BOXES}
    return len(statements) == 1 and any(text in BOXES and column not in statements for column, text in texts)


def _is_written_down(slots: Sequence[Slot]) -> bool:
    """Whether the words are characters of Chinese or Japanese, close below one another: text that is read downwards."""
    words = [one for slot in slots for one in slot.words]
    single = [one for one in words if len(one.word.text) == 1 and east_asian_width(one.word.text) == "W"]
    single = [one for one in single if one.word.text.isalpha()]
    if len(words) < LEAST_WRITTEN_DOWN or len(single) <= WRITTEN_DOWN * len(words):
        return False
    if len({one.word.text for one in single}) < LEAST_DIFFERENT:
        return False
    below = _pitch([PlacedWord(one.word, _transposed(one.box)) for one in single])
    return below <= CLOSE * median(one.box.height for one in single) and below < _pitch(single)


def _pitch(words: Sequence[PlacedWord]) -> float:
    """How far the middles of neighbours in a line stand apart; infinite where each stands alone."""
    steps = [b.box.center[0] - a.box.center[0] for line in baselines(words) for a, b in pairwise(line)]
    return median(steps) if steps else inf


def _transposed(box: BoundingBox) -> BoundingBox:
    return BoundingBox(x0=box.y0, y0=box.x0, x1=box.y1, y1=box.x1)


def _share(holds: Sequence[bool]) -> float:
    return fmean(holds) if holds else 1.0


def _begun(slots: Sequence[Slot]) -> float:
    """The share of rows that begin with a cell, or hold values: others are lines of cells of the row above."""
    good: set[int] = set()
    for slot in slots:
        if slot.column == 0 or is_value("".join(one.word.text for one in slot.words)):
            good.update(range(slot.row, slot.row + slot.num_rows))
    rows = {slot.row for slot in slots} - {0}
    return len(rows & good) / len(rows) if rows else 0.0


def _holds_rows(slot: Slot) -> bool:
    """Whether several lines of a cell are numbers: rows that were not parted."""
    lines = baselines(slot.words) if len(slot.words) > 1 else []
    return sum(is_value("".join(one.word.text for one in line)) for line in lines if not goes_on(line)) > 1


def _holds_columns(slot: Slot) -> bool:
    """Whether words of a line stand wide apart, or several are numbers of their own."""
    if len(slot.words) < 2:
        return False
    for line in baselines(slot.words):
        words = [one for one in line if not is_leader(one)]
        for a, b in pairwise(words):
            if not any(map(str.isalnum, a.word.text)):  # a bullet
                continue
            if slot.box is not None and not (is_value(a.word.text) and is_value(b.word.text)):
                continue  # what is drawn around them says that they are one
            if b.box.x0 - a.box.x1 > WIDE_GAP * max(a.word.font_size, b.word.font_size):
                return True
    return False
