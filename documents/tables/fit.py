"""Scores how well proposed cells fit the words in them, from 0 to 1: one measure for all strategies."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean

from documents.tables.cells import Cut, Slot, baselines, goes_on, is_leader, is_value

WIDE_GAP = 1.2  # sizes of the type between words of one cell: a column that was not seen
LEAST_SPACED = 2  # pairs of cells a space apart, that tell shaded words
SPACE = 0.55  # of the type's size: two spaces
LEAST_SHADED = 3  # lines in cells of their own that tell shaded text
READS_ON = 0.4  # of such lines, that go on in the next one: small letters, and no sentence ended


def fit(cut: Cut) -> float:
    """The mean of shares of cells; each is 1 in a table that is cut as a person would."""
    filled = [slot for slot in cut.slots if slot.words]
    if len(filled) < 2 or (cut.num_columns == 1 and is_shaded_text(cut)):
        return 0.0
    return fmean(shares(cut).values())


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
    """What the measure is made of."""
    filled = [slot for slot in cut.slots if slot.words]
    return {
        "one_value": _share([not _holds_rows(slot) for slot in filled]),
        "unbroken": _share([not _holds_columns(slot) for slot in filled]),
    }


def _share(holds: Sequence[bool]) -> float:
    return fmean(holds) if holds else 1.0


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
