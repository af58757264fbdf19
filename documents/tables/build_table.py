"""Builds the table of a region: by its ruled grid or as a network judges its words, whichever fits better, or none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from documents.boxes import BoundingBox
from documents.inspection import Inspection, TextLine, Word
from documents.region_values import Table, TableCell
from documents.tables.cells import PlacedWord, Slot, filled_slots, num_header_rows
from documents.tables.settings import DEFAULT_SETTINGS, TableSettings
from documents.tables.sideways import with_sideways_names
from documents.tables.strategies import best_cut
from documents.tables.table_area import TableArea
from documents.text.running_text import joined
from documents.text.text_direction import from_the_right, runs_backwards
from documents.text.typography import placed_text


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
    settings: TableSettings = DEFAULT_SETTINGS,
) -> FilledTable | None:
    """Rows and columns of the region `box` that holds `lines`; `words` are the page's, to fix broken ones."""
    area = TableArea.of(inspection, box, lines, settings)
    cut = best_cut(area, settings)
    if cut is None:
        return None
    cut = with_sideways_names(cut, area.names, settings.sideways)
    if area.is_mirrored:
        slots = [replace(slot, column=cut.num_columns - slot.column - slot.num_columns) for slot in cut.slots]
        cut = replace(cut, slots=slots)
    headers = cut.num_header_rows or num_header_rows(cut)
    filled = filled_slots(cut)
    cells = tuple(table_cell(slot, printed, words) for slot, printed in filled)
    table = Table(num_rows=cut.num_rows, num_columns=cut.num_columns, num_header_rows=headers, cells=cells)
    in_cells = {id(one.word) for slot in cut.slots for one in slot.words}
    within: list[TextLine] = []
    beside: list[TextLine] = []
    for line in lines:
        runs = [(is_within, list(run)) for is_within, run in groupby(line.words, lambda word: id(word) in in_cells)]
        if len(runs) < 2:
            (within if runs and runs[0][0] else beside).append(line)
            continue
        for is_within, run in runs:
            box = BoundingBox.around([word.box for word in run])
            text = "".join(" " * (word.spaced and k > 0) + word.text for k, word in enumerate(run))
            part = line.model_copy(update={"text": text, "box": box, "words": tuple(run)})
            (within if is_within else beside).append(part)
    return FilledTable(table, within=tuple(within), beside=tuple(beside))


def table_cell(slot: Slot, printed: Sequence[Sequence[PlacedWord]], words: frozenset[str]) -> TableCell:
    """The cell of a slot and its printed rows; `words` are the page's, to fix broken ones."""
    placed = joined((placed_text(_in_reading_order(line)) for line in printed), words).normal()
    return TableCell(
        row=slot.row,
        column=slot.column,
        num_rows=slot.num_rows,
        num_columns=slot.num_columns,
        text=placed.text,
        box=BoundingBox.around([one.word.box for one in slot.words]),
        struck=placed.struck,
        scripts=placed.scripts,
    )


def _in_reading_order(line: Sequence[PlacedWord]) -> list[Word]:
    """The words of a printed row of a cell, which stand from the left."""
    if not runs_backwards("".join(one.word.text for one in line)):
        return [one.word for one in line]
    return from_the_right([one.word.model_copy(update={"box": one.box}) for one in line])
