"""Scores how well proposed cells fit the words in them, from 0 to 1: one measure for all strategies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from math import inf
from statistics import fmean, median
from typing import NamedTuple
from unicodedata import east_asian_width

from documents.boxes import BoundingBox
from documents.tables.cells import Cut, PlacedWord, Slot, baselines, goes_on, is_leader, is_value
from documents.text.list_markers import CHECKBOXES

Lines = Sequence[Sequence[PlacedWord]]  # as they are printed


@dataclass(frozen=True, slots=True, kw_only=True)
class FitLimits:
    """Weights of the shares that make the measure, and what tells that cells are text rather than a table."""

    one_value: float = 3.0  # weight of cells that hold one row
    unbroken: float = 3.0  # weight of cells that hold one column
    begun: float = 2.0  # weight of rows that begin with a cell
    wide_gap: float = 1.2  # sizes of the type between words of one cell: a column that was not seen
    min_written_down: int = 40  # words that tell text in upright lines
    written_down: float = 0.7  # of them, that are single characters
    min_different: int = 12  # of these: fewer are answers, as yes and no, rather than text
    close: float = 1.5  # heights of a character, from one to the next below it
    min_spaced: int = 2  # pairs of cells a space apart, that tell shaded words
    space: float = 0.55  # of the type's size: two spaces
    min_shaded: int = 3  # lines in cells of their own that tell shaded text
    reads_on: float = 0.4  # of such lines, that go on in the next one: small letters, and no sentence ended


DEFAULT_FIT_LIMITS = FitLimits()


def fit(cut: Cut, limits: FitLimits = DEFAULT_FIT_LIMITS) -> float:
    """The weighted mean of shares of cells; each is 1 in a table that is cut as a person would."""
    filled = [slot for slot in cut.slots if slot.words]
    if len(filled) < 2 or _is_ticked_list(cut) or (cut.num_columns == 1 and is_shaded_text(cut, limits)):
        return 0.0
    single = _single_characters(filled, limits)
    transposed = [PlacedWord(one.word, _transposed(one.box)) for one in single]
    groups = (single, transposed, *(slot.words for slot in filled))
    printed, upright, *lines = [baselines(words) for words in groups]
    if single and _is_written_down(printed, upright, limits):
        return 0.0
    weights = (limits.one_value, limits.unbroken, limits.begun)
    own_shares = shares(filled, lines, limits)
    return sum(weight * share for weight, share in zip(weights, own_shares, strict=True)) / sum(weights)


def is_shaded_text(cut: Cut, limits: FitLimits = DEFAULT_FIT_LIMITS) -> bool:
    """Whether the cells of a drawn grid are lines of text, or words of such a line, and no value stands beside another.

    Word shades text line by line, a browser by words: such cells are a space apart, and rows have other columns filled.
    """
    filled = sorted((slot for slot in cut.slots if slot.words), key=lambda slot: (slot.row, slot.column))
    rows = [list(row) for _, row in groupby(filled, lambda slot: slot.row)]
    if cut.num_columns == 1:
        return _reads_on(rows, limits)
    pairs = [(a, b) for row in rows for a, b in pairwise(row)]
    if not pairs or not all(_is_spaced_as_text(a, b, limits.space) for a, b in pairs):
        return False
    if len({tuple(slot.column for slot in row) for row in rows}) == 1:
        return False
    return len(pairs) >= limits.min_spaced or _reads_on(rows, limits)


def _is_spaced_as_text(left: Slot, right: Slot, space: float) -> bool:
    """Whether cells are a space apart at most, and not both are values."""
    a, b = max(left.words, key=lambda one: one.box.x1), min(right.words, key=lambda one: one.box.x0)
    level = min(a.box.y1, b.box.y1) - max(a.box.y0, b.box.y0) > 0.5 * min(a.box.height, b.box.height)
    both = all(is_value("".join(one.word.text for one in slot.words)) for slot in (left, right))
    return level and not both and b.box.x0 - a.box.x1 <= space * a.word.font_size


def _reads_on(rows: Sequence[Sequence[Slot]], limits: FitLimits) -> bool:
    """Whether the rows are lines of sentences: most go on in the next one."""
    lines = [[one.word.text for slot in row for one in slot.words] for row in rows]
    if len(lines) < limits.min_shaded:
        return False
    follows = [a[-1][-1:] not in ".:;!?" and b[0][:1].islower() for a, b in pairwise(lines)]
    return sum(follows) > limits.reads_on * len(follows)


class Shares(NamedTuple):
    """What the measure is made of."""

    one_value: float  # of the cells, that hold one row
    unbroken: float  # of the cells, that hold one column
    begun: float  # of the rows, that begin with a cell


def shares(filled: Sequence[Slot], lines: Sequence[Lines], limits: FitLimits = DEFAULT_FIT_LIMITS) -> Shares:
    """Of the cells with words, by the lines of each."""
    return Shares(
        one_value=fmean(not _holds_rows(own) for own in lines),
        unbroken=fmean(not _holds_columns(*pair, limits.wide_gap) for pair in zip(filled, lines, strict=True)),
        begun=_begun(filled),
    )


def _is_ticked_list(cut: Cut) -> bool:
    """Whether boxes to tick stand before one column of statements: a list."""
    texts = [(slot.column, one.word.text) for slot in cut.slots for one in slot.words]
    statements = {column for column, text in texts if text not in CHECKBOXES}
    return len(statements) == 1 and any(text in CHECKBOXES and column not in statements for column, text in texts)


def _single_characters(slots: Sequence[Slot], limits: FitLimits) -> list[PlacedWord]:
    """The words, if most are characters of Chinese or Japanese, which may be text that is read downwards; else none."""
    words = [one for slot in slots for one in slot.words]
    single = [one for one in words if len(one.word.text) == 1 and east_asian_width(one.word.text) == "W"]
    single = [one for one in single if one.word.text.isalpha()]
    if len(words) < limits.min_written_down or len(single) <= limits.written_down * len(words):
        return []
    return single if len({one.word.text for one in single}) >= limits.min_different else []


def _is_written_down(printed: Lines, upright: Lines, limits: FitLimits) -> bool:
    """Whether characters stand close below one another, as lines of `upright` have them, and wider in printed lines."""
    height = median(one.box.width for line in upright for one in line)
    below = _pitch(upright)
    return below <= limits.close * height and below < _pitch(printed)


def _pitch(lines: Lines) -> float:
    """How far the middles of neighbours in a line stand apart; infinite where each stands alone."""
    steps = [b.box.center[0] - a.box.center[0] for line in lines for a, b in pairwise(line)]
    return median(steps) if steps else inf


def _transposed(box: BoundingBox) -> BoundingBox:
    return BoundingBox(x0=box.y0, y0=box.x0, x1=box.y1, y1=box.x1)


def _begun(slots: Sequence[Slot]) -> float:
    """The share of rows that begin with a cell, or hold values: others are lines of cells of the row above."""
    good: set[int] = set()
    for slot in slots:
        if slot.column == 0 or is_value("".join(one.word.text for one in slot.words)):
            good.update(range(slot.row, slot.row + slot.num_rows))
    rows = {slot.row for slot in slots} - {0}
    return len(rows & good) / len(rows) if rows else 0.0


def _holds_rows(lines: Lines) -> bool:
    """Whether several lines of a cell are numbers: rows that were not parted."""
    return sum(is_value("".join(one.word.text for one in line)) for line in lines if not goes_on(line)) > 1


def _holds_columns(slot: Slot, lines: Lines, wide_gap: float) -> bool:
    """Whether words of a line of a cell stand wide apart, or several are numbers of their own."""
    for line in lines:
        words = [one for one in line if not is_leader(one)]
        for a, b in pairwise(words):
            if not any(map(str.isalnum, a.word.text)):  # a bullet
                continue
            if slot.box is not None and not (is_value(a.word.text) and is_value(b.word.text)):
                continue  # what is drawn around them says that they are one
            if b.box.x0 - a.box.x1 > wide_gap * max(a.word.font_size, b.word.font_size):
                return True
    return False
