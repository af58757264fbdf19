"""Places sideways column names: each in the drawn cell that it stands in, or in a row above vertical rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from documents.boxes import BoundingBox
from documents.page_index import PageIndex
from documents.tables.cells import Cut, PlacedWord, SidewaysName, Slot


@dataclass(frozen=True, slots=True, kw_only=True)
class SidewaysLimits:
    """When sideways lines are names of columns."""

    min_names: int = 2  # a single sideways line may be a stamp
    below: float = 2.0  # points by which a name may reach below the top of the row under it


DEFAULT_SIDEWAYS_LIMITS = SidewaysLimits()


def with_sideways_names(
    cut: Cut, names: Sequence[SidewaysName], limits: SidewaysLimits = DEFAULT_SIDEWAYS_LIMITS
) -> Cut:
    """The table with sideways lines where they stand in its cells or above its columns; `names` come from the left."""
    if len(names) < limits.min_names:
        return cut
    drawn = [slot for slot in cut.slots if slot.box is not None and not slot.words]
    index = PageIndex([slot.box for slot in drawn if slot.box is not None])
    others: list[SidewaysName] = []
    in_cells: dict[int, list[PlacedWord]] = {}  # by the identity of the slot
    for name in names:
        at = index.holding(*name.box.center)
        if at:
            in_cells.setdefault(id(drawn[at[0]]), []).extend(name.words)
        else:
            others.append(name)
    if len(names) - len(others) >= limits.min_names:
        slots = [replace(slot, words=[*slot.words, *in_cells.get(id(slot), ())]) for slot in cut.slots]
        cut = replace(cut, slots=slots)
    return _with_row_of_names(cut, others, limits) if len(others) >= limits.min_names else cut


def _with_row_of_names(cut: Cut, names: Sequence[SidewaysName], limits: SidewaysLimits) -> Cut:
    """A row more at the top, if each name stands over one column and above the first row of values."""
    columns: dict[int, tuple[float, float]] = {}
    tops: dict[int, float] = {}
    for slot in cut.slots:
        if slot.words and slot.num_columns == 1:
            box = slot.box or BoundingBox.around([one.box for one in slot.words])
            low, high = columns.get(slot.column, (box.x0, box.x1))
            columns[slot.column] = min(low, box.x0), max(high, box.x1)
            tops[slot.row] = min(tops.get(slot.row, box.y0), box.y0)
    bottom = max(name.box.y1 for name in names)
    above = [row for row, top in tops.items() if top < bottom - limits.below]
    slots: dict[int, Slot] = {}
    for box, words in names:
        middle = box.center[0]
        over = [column for column, (low, high) in columns.items() if low - box.width <= middle <= high + box.width]
        if len(over) != 1:
            over = sorted(over, key=lambda column: abs(sum(columns[column]) / 2 - middle))[:1]
        if not over:
            return cut
        slots.setdefault(over[0], Slot(0, over[0])).words.extend(words)
    if len(slots) < limits.min_names or any(row > 0 for row in above):
        return cut
    if above:  # the first row has the names of the other columns
        taken = {slot.column for slot in cut.slots if slot.row == 0 and slot.words}
        return cut if taken & slots.keys() else replace(cut, slots=[*cut.slots, *slots.values()])
    moved = [replace(slot, row=slot.row + 1) for slot in cut.slots]
    headers = None if cut.num_header_rows is None else cut.num_header_rows + 1
    return replace(cut, num_rows=cut.num_rows + 1, slots=[*slots.values(), *moved], num_header_rows=headers)
