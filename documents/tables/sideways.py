"""Places sideways column names: each in the drawn cell that it stands in, or in a row above vertical rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from documents.boxes import BoundingBox
from documents.inspection import TextLine
from documents.page_index import PageIndex
from documents.rotated_boxes import unrotate
from documents.tables.cells import Cut, PlacedWord, Slot

LEAST_NAMES = 2  # a single sideways line may be a stamp
NEAR = 2.0  # points by which a name may reach below the top of the row under it


def is_sideways(line: TextLine, angle: int) -> bool:
    """Whether a line is turned by a quarter beside text of that angle."""
    return (line.angle - angle) % 180 == 90


def with_sideways_names(cut: Cut, lines: Sequence[TextLine], angle: int) -> Cut:
    """The table of lines of that angle, with its sideways lines where they stand in its cells or above its columns."""
    names = [line for line in lines if line.words and is_sideways(line, angle)]
    if len(names) < LEAST_NAMES:
        return cut
    boxes = [unrotate(line.box, angle) for line in names]
    drawn = [slot for slot in cut.slots if slot.box is not None and not slot.words]
    index = PageIndex([slot.box for slot in drawn if slot.box is not None])
    others: list[tuple[TextLine, BoundingBox]] = []
    in_cells: dict[int, list[PlacedWord]] = {}  # by the identity of the slot
    num_drawn = 0
    for line, box in sorted(zip(names, boxes, strict=True), key=lambda pair: (pair[1].x0, pair[1].y0)):
        at = index.holding(*box.center)
        if at:
            in_cells.setdefault(id(drawn[at[0]]), []).extend(_words(line))
            num_drawn += 1
        else:
            others.append((line, box))
    if num_drawn >= LEAST_NAMES:
        slots = [replace(slot, words=[*slot.words, *in_cells.get(id(slot), ())]) for slot in cut.slots]
        cut = replace(cut, slots=slots)
    return _with_row_of_names(cut, others) if len(others) >= LEAST_NAMES else cut


def _with_row_of_names(cut: Cut, names: Sequence[tuple[TextLine, BoundingBox]]) -> Cut:
    """A row more at the top, if each name stands over one column and above the first row of values."""
    columns: dict[int, tuple[float, float]] = {}
    tops: dict[int, float] = {}
    for slot in cut.slots:
        if slot.words and slot.num_columns == 1:
            box = slot.box or BoundingBox.around([one.box for one in slot.words])
            low, high = columns.get(slot.column, (box.x0, box.x1))
            columns[slot.column] = min(low, box.x0), max(high, box.x1)
            tops[slot.row] = min(tops.get(slot.row, box.y0), box.y0)
    bottom = max(box.y1 for _, box in names)
    above = [row for row, top in tops.items() if top < bottom - NEAR]
    slots: dict[int, Slot] = {}
    for line, box in names:
        middle = box.center[0]
        over = [column for column, (low, high) in columns.items() if low - box.width <= middle <= high + box.width]
        if len(over) != 1:
            over = sorted(over, key=lambda column: abs(sum(columns[column]) / 2 - middle))[:1]
        if not over:
            return cut
        slots.setdefault(over[0], Slot(0, over[0])).words.extend(_words(line))
    if len(slots) < LEAST_NAMES or any(row > 0 for row in above):
        return cut
    if above:  # the first row has the names of the other columns
        taken = {slot.column for slot in cut.slots if slot.row == 0 and slot.words}
        return cut if taken & slots.keys() else replace(cut, slots=[*cut.slots, *slots.values()])
    moved = [replace(slot, row=slot.row + 1) for slot in cut.slots]
    headers = None if cut.num_header_rows is None else cut.num_header_rows + 1
    return replace(cut, num_rows=cut.num_rows + 1, slots=[*slots.values(), *moved], num_header_rows=headers)


def _words(line: TextLine) -> list[PlacedWord]:
    """Upright in their own line: nothing else stands in their cell."""
    return [PlacedWord(word, unrotate(word.box, line.angle)) for word in line.words]
