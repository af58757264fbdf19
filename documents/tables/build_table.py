"""Builds the table of a region: by its ruled grid or as a network judges its words, whichever fits better, or none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple
from unicodedata import east_asian_width

from documents.boxes import BoundingBox
from documents.inspection import Inspection, Ruling, TextLine, Word
from documents.region_values import Table, TableCell
from documents.rotated_boxes import unrotate, usual_angle
from documents.tables.cells import Cut, PlacedWord, Slot, baselines, is_number, placed_words, slots_by_row
from documents.tables.settings import DEFAULT, TableSettings
from documents.tables.sideways import with_sideways_names
from documents.tables.strategies import TableArea, best_cut
from documents.text.running_text import joined
from documents.text.text_direction import from_the_right, runs_backwards
from documents.text.typography import placed_text

IN_GRID = 0.6  # of a region's words: the least that a grid must hold to be its own


class FilledTable(NamedTuple):
    """A table, and the lines that its region holds: each word is in a cell and in `within`, or in `beside`."""

    table: Table
    within: tuple[TextLine, ...]
    beside: tuple[TextLine, ...]  # lines, or parts of such, that no cell takes


def table_of(
    inspection: Inspection,
    box: BoundingBox,
    lines: Sequence[TextLine],
    words: frozenset[str],
    settings: TableSettings = DEFAULT,
) -> FilledTable | None:
    """Rows and columns of the region `box` that holds `lines`; `words` are the page's, to fix broken ones."""
    angle = usual_angle(lines)
    within = placed_words(lines, angle)
    if len(within) < 2:
        return None
    place = unrotate(box, angle)
    area = TableArea(within, _rules(inspection, place, angle), _grids(inspection, within, angle))
    if angle and _is_wide(within):  # Chinese or Japanese down the page: its gaps are those of its sentences
        settings = replace(settings, strategies=("ruled",))
    cut = best_cut(area, settings)
    if cut is None:
        return None
    cut = with_sideways_names(cut, lines, angle)
    if runs_backwards("".join(one.word.text for one in within)):
        cut = _mirrored(cut)
    in_cells = {id(one.word) for slot in cut.slots for one in slot.words}
    parts = [part for line in lines for part in _parts(line, in_cells)]
    return FilledTable(
        _table(cut, words),
        within=tuple(part for part, is_within in parts if is_within),
        beside=tuple(part for part, is_within in parts if not is_within),
    )


def _mirrored(cut: Cut) -> Cut:
    slots = [replace(slot, column=cut.num_columns - slot.column - slot.num_columns) for slot in cut.slots]
    return replace(cut, slots=slots)


def _parts(line: TextLine, in_cells: set[int]) -> Iterator[tuple[TextLine, bool]]:
    """The line, or its parts in turn, and whether cells hold them; `in_cells` are the identities of words."""
    runs = [(is_within, list(run)) for is_within, run in groupby(line.words, lambda word: id(word) in in_cells)]
    if len(runs) < 2:
        yield line, bool(runs and runs[0][0])
        return
    for is_within, run in runs:
        text = "".join(" " * (word.spaced and k > 0) + word.text for k, word in enumerate(run))
        box = BoundingBox.around([word.box for word in run])
        yield line.model_copy(update={"text": text, "box": box, "words": tuple(run)}), is_within


def _grids(inspection: Inspection, within: Sequence[PlacedWord], angle: int) -> list[list[BoundingBox]]:
    """The cells of the grids that hold enough of the words, upright, of the smallest grid first."""
    grids: list[tuple[float, list[BoundingBox]]] = []
    for grid in inspection.grids:
        frame = unrotate(grid.box, angle)
        inside = sum(frame.contains(*one.box.center) for one in within)
        if inside >= IN_GRID * len(within):
            grids.append((frame.area, [unrotate(cell, angle) for cell in grid.cells]))
    return [cells for _, cells in sorted(grids, key=lambda grid: grid[0])]


def _is_wide(words: Sequence[PlacedWord]) -> bool:
    """Whether most characters are those of scripts that are set down a page."""
    text = "".join(one.word.text for one in words)
    return 2 * sum(east_asian_width(character) in "WF" for character in text) > len(text)


def _rules(inspection: Inspection, place: BoundingBox, angle: int) -> list[Ruling]:
    wide = BoundingBox(x0=place.x0 - 6, y0=place.y0 - 6, x1=place.x1 + 6, y1=place.y1 + 6)
    turned = (Ruling(box=unrotate(rule.box, angle)) for rule in inspection.rules)
    return [rule for rule in turned if wide.contains(*rule.box.center)]


def cells_of(cut: Cut, words: frozenset[str]) -> tuple[TableCell, ...]:
    """The cells that hold words, by row and column; `words` are the page's, to fix broken ones."""
    slots = sorted((slot for slot in cut.slots if slot.words), key=lambda slot: (slot.row, slot.column))
    return tuple(_cell(slot, words) for slot in slots)


def _table(cut: Cut, words: frozenset[str]) -> Table:
    headers = cut.num_header_rows or _num_header_rows(cut)
    cells = cells_of(cut, words)
    return Table(num_rows=cut.num_rows, num_columns=cut.num_columns, num_header_rows=headers, cells=cells)


def _cell(slot: Slot, words: frozenset[str]) -> TableCell:
    placed = joined((placed_text(_in_reading_order(line)) for line in baselines(slot.words)), words).normal()
    return TableCell(
        row=slot.row,
        column=slot.column,
        num_rows=slot.num_rows,
        num_columns=slot.num_columns,
        text=placed.text,
        box=BoundingBox.around([one.word.box for one in slot.words]),
        struck=placed.struck,
    )


def _in_reading_order(line: Sequence[PlacedWord]) -> list[Word]:
    """The words of a printed row of a cell, which stand from the left."""
    if not runs_backwards("".join(one.word.text for one in line)):
        return [one.word for one in line]
    return from_the_right([one.word.model_copy(update={"box": one.box}) for one in line])


def _num_header_rows(cut: Cut) -> int:
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
        if any(slot.num_columns > 1 for slot in above) and row < cut.num_rows - 1 and not _figures(filled[row]):
            continue
        return row
    return 1


def _figures(slots: Sequence[Slot]) -> bool:
    return any(is_number("".join(one.word.text for one in slot.words)) for slot in slots)
