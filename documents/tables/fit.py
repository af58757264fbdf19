"""Scores how well proposed cells fit a table's words, from 0 to 1, to choose among strategies."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean

from documents.tables.cells import Cut, Slot, baselines, is_leader, is_value

WIDE_GAP = 1.2  # sizes of the type between words of one cell: a column that was not seen
WEIGHTS = {"one_value": 3.0, "unbroken": 3.0, "begun": 2.0}


def fit(cut: Cut) -> float:
    """The weighted mean of shares of cells; each is 1 in a table that is cut as a person would."""
    filled = [slot for slot in cut.slots if slot.words]
    if len(filled) < 2:
        return 0.0
    return sum(WEIGHTS[name] * share for name, share in shares(cut).items()) / sum(WEIGHTS.values())


def shares(cut: Cut) -> dict[str, float]:
    """What the measure is made of, by the names of the weights."""
    filled = [slot for slot in cut.slots if slot.words]
    return {
        "one_value": _share([not _holds_rows(slot) for slot in filled]),
        "unbroken": _share([not _holds_columns(slot) for slot in filled]),
        "begun": _begun(filled),
    }


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
    return sum(is_value("".join(one.word.text for one in line)) for line in lines) > 1


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
