"""Splits one ruled row of a table into several rows, by level lines of figures or gaps through all its cells."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import groupby, pairwise
from math import inf
from statistics import median

from documents.tables.cells import PlacedWord, Slot, baselines, goes_on, is_number, is_value
from documents.tables.row_chains import TableLine, row_chains

MAX_ROW_GAP = 0.8  # a larger gap, in line heights, separates rows without a rule
MIN_LINE_PITCHES = 3  # minimum number of line distances in the cells of a row that show how tightly these are set
MIN_ROW_PITCH = 1.5  # minimum distance of two rows, in those line distances
MIN_ROW_GAP = 0.2  # minimum gap between two rows, in line heights
# a value that ends in one of these goes on in the next line
RANGE_ENDS = ("-", "\u2010", "\u2013", "\u2014", "\u2212", "/")


def rows_within(filled: Sequence[Slot], tightness: float) -> list[tuple[float, float]]:
    """Top and bottom of each row in a ruled row: lines of figures that all cells have alike, or wide blanks."""
    lines = [baselines(slot.words) for slot in filled]
    if any(goes_on(line) for one in lines for line in one[1:]):
        return [(min(one[0][0].box.y0 for one in lines), max(one[-1][0].box.y1 for one in lines))]
    tops = [[line[0].box for line in one] for one in lines]
    counts = {len(one) for one in lines}
    if counts == {len(tops[0])} and len(tops[0]) > 1:
        level = all(abs(a.y0 - b.y0) <= 0.4 * a.height for one in tops for a, b in zip(tops[0], one, strict=True))
        figures = sum(all(is_number(_text(line)) for line in one) for one in lines)
        if level and figures >= 1:
            return [(box.y0, box.y1) for box in tops[0]]
    if _num_value_lines(lines) > 1:
        return _apart_by_values(filled, lines, tightness)
    return _apart_by_blanks(filled, tightness)


def _num_value_lines(lines: Sequence[Sequence[Sequence[PlacedWord]]]) -> int:
    """The most values that stand below one another in a cell; what ends with a dash or stroke goes on."""
    return max(
        sum(is_value(_text(line)) and not line[-1].word.text.endswith(RANGE_ENDS) for line in cell_lines)
        for cell_lines in lines
    )


def _apart_by_values(
    filled: Sequence[Slot], lines: Sequence[Sequence[Sequence[PlacedWord]]], tightness: float
) -> list[tuple[float, float]]:
    """Top and bottom of each row as a table without rules has them, if the first cell has lines for all but one."""
    column = {id(one): slot.column - filled[0].column for slot in filled for one in slot.words}
    printed: list[TableLine] = []
    for row in baselines([one for slot in filled for one in slot.words]):
        texts = [(place, _text(list(part))) for place, part in groupby(row, lambda one: column[id(one)])]
        printed.append(TableLine(texts, min(one.box.y0 for one in row), max(one.box.y1 for one in row)))
    groups = [group for chain in row_chains(printed) for group in chain]
    if len(groups) > len(lines[0]) + 1 or len(lines[0]) < 2:
        return _apart_by_blanks(filled, tightness)
    return _disjoint([(group[0].top, max(line.bottom for line in group)) for group in groups])


def _disjoint(stretches: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """From the top, each at most as far as the next begins: a tall word reaches into the rows below its own."""
    ordered = sorted(stretches)
    return [(top, min(bottom, below)) for (top, bottom), (below, _) in pairwise([*ordered, (inf, inf)])]


def _apart_by_blanks(filled: Sequence[Slot], tightness: float) -> list[tuple[float, float]]:
    """Stretches between blanks as high as a line that run through all cells; each fills the first cell, or two."""
    boxes = sorted((one.box for slot in filled for one in slot.words), key=lambda box: box.y0)
    height = sorted(box.height for box in boxes)[len(boxes) // 2]
    blank = height * min(MAX_ROW_GAP, max(MIN_ROW_GAP, MIN_ROW_PITCH * tightness - 1))
    stretch_boxes = [[boxes[0]]]
    bottom = boxes[0].y1
    for box in boxes[1:]:
        if box.y0 - bottom >= blank:
            stretch_boxes.append([])
        stretch_boxes[-1].append(box)
        bottom = max(bottom, box.y1)
    stretches = [(part[0].y0, max(box.y1 for box in part)) for part in stretch_boxes]
    lows = [low for low, _ in stretches]
    highs = [high for _, high in stretches]
    holders: list[set[int]] = [set() for _ in stretches]  # the cells that have a word in each
    for k, slot in enumerate(filled):
        for one in slot.words:
            middle = one.box.center[1]
            for index in range(bisect_left(highs, middle), bisect_right(lows, middle)):
                holders[index].add(k)
    if any(len(cells) < 2 and 0 not in cells for cells in holders):
        return [(boxes[0].y0, bottom)]
    rows = stretches[:1]
    for stretch, cells in zip(stretches[1:], holders[1:], strict=True):
        if len(cells) < 2:  # a label goes on below a blank; the name of a group stands above its rows
            rows[-1] = rows[-1][0], stretch[1]
        else:
            rows.append(stretch)
    return rows


def tightness_of(slots: Sequence[Slot]) -> float:
    """How far lines of a cell stand apart, in heights of a line; infinite if few cells have several."""
    pitches = [
        (below[0].box.center[1] - above[0].box.center[1]) / max(0.1, above[0].box.height)
        for slot in slots
        for above, below in pairwise(baselines(slot.words))
    ]
    return median(sorted(pitches)[: (len(pitches) + 1) // 2]) if len(pitches) >= MIN_LINE_PITCHES else inf


def _text(line: Sequence[PlacedWord]) -> str:
    return "".join(one.word.text for one in line)
