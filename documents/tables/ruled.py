"""Reads tables whose cells are ruled on all sides: slots are the boxes between the rules."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, product

from documents.boxes import BoundingBox
from documents.page_index import PageIndex
from documents.tables.cells import (
    Cut,
    PlacedWord,
    Slot,
    baselines,
    clusters,
    count_words,
    is_leader,
    is_number,
    slots_by_row,
)
from documents.tables.insets import without_insets
from documents.tables.row_segments import segments
from documents.tables.rows_within import rows_within, tightness_of

MAX_EDGE_DISTANCE = 3.0  # maximum distance between edges that are one, in points
MIN_WORD_SHARE = 0.85  # minimum share of the words within a grid that its cells contain
MIN_FORM_CELL_WIDTH = 36.0  # minimum width of a form's cell that is to be filled in, in points
MIN_PROSE_WORDS = 11  # a row of one cell with so many words is a heading or a note rather than a row


def cut_by_grid(cells: Sequence[BoundingBox], words: Sequence[PlacedWord]) -> Cut | None:
    """The table of the boxes of a grid, or None if they do not part the words into rows and columns."""
    cells = without_insets(_outermost(cells), words)
    xs = _edges([edge for cell in cells for edge in (cell.x0, cell.x1)], [w.box.center[0] for w in words])
    ys = _edges([edge for cell in cells for edge in (cell.y0, cell.y1)], [w.box.center[1] for w in words])
    if len(xs) < 3 or len(ys) < 3:
        return None
    slots = _slots(cells, xs, ys)
    index = PageIndex([slot.box for slot in slots if slot.box is not None])
    astray: list[PlacedWord] = []
    for word in words:
        at = index.holding(*word.box.center)
        if at:
            slots[at[0]].words.append(word)
        else:
            astray.append(word)
    if len(words) - len(astray) < MIN_WORD_SHARE * len(words):
        return None
    slots = [part for slot in (*slots, *_in_gaps(astray, slots, xs, ys)) for part in _by_columns(slot, xs)]
    cut = _trimmed(_split(Cut(len(ys) - 1, len(xs) - 1, slots)))
    return None if cut is None else _without_empty_ends(cut)


def _by_columns(slot: Slot, xs: Sequence[float]) -> list[Slot]:
    """A cell over columns that no rule parts in its row, but whose words do.

    There is a label, and a number in each other column; or, in the first row, what stands wide apart is in a column
    each, as names of columns on one shade are.
    """
    if slot.num_columns < 2 or slot.num_rows > 1 or len(slot.words) < 2:
        return [slot]
    parts = _labelled_numbers(slot, xs) or (_wide_apart(slot, xs) if slot.row == 0 else [])
    return [
        replace(slot, column=slot.column + k, num_columns=1, words=part, box=slot.box if k == 0 else None)
        for k, part in enumerate(parts)
    ] or [slot]


def _labelled_numbers(slot: Slot, xs: Sequence[float]) -> list[list[PlacedWord]]:
    """The words of each column, if these are a label and numbers, one in each column; else nothing."""
    parts: list[list[PlacedWord]] = [[] for _ in range(slot.num_columns)]
    for one in slot.words:
        first, last = _columns_under(one.box, slot, xs)
        if is_leader(one):
            first = last = max(0, min(first, slot.num_columns - 1))
        if first != last or not 0 <= first < slot.num_columns:
            return []
        parts[first].append(one)
    return parts if all(part and (k == 0 or is_number(_text(part))) for k, part in enumerate(parts)) else []


def _wide_apart(slot: Slot, xs: Sequence[float]) -> list[list[PlacedWord]]:
    """The words of each column, if wide gaps part them into all, and none reaches over two; else nothing."""
    parts: list[list[PlacedWord]] = [[] for _ in range(slot.num_columns)]
    for segment in (segment for line in baselines(slot.words) for segment in segments(line)):
        first, last = _columns_under(segment.box, slot, xs)
        if first != last or not 0 <= first < slot.num_columns:
            return []
        parts[first].extend(segment.words)
    return parts if all(parts) else []


def _columns_under(box: BoundingBox, slot: Slot, xs: Sequence[float]) -> tuple[int, int]:
    """The first and last of the columns of a slot that a box stands in."""
    first, last = (
        bisect_right(xs, edge) - 1 - slot.column for edge in (box.x0 + MAX_EDGE_DISTANCE, box.x1 - MAX_EDGE_DISTANCE)
    )
    return first, last


def _outermost(cells: Sequence[BoundingBox]) -> list[BoundingBox]:
    """Without boxes in a box, as shades behind single lines are; a box around another holds its middle."""
    index = PageIndex(cells)
    return [
        cell
        for cell in cells
        if not any(
            cell.intersection(cells[k]) > 0.9 * cell.area and cells[k].area > 1.1 * cell.area
            for k in index.holding(*cell.center)
        )
    ]


def _edges(edges: list[float], middles: list[float]) -> list[float]:
    """Edges of rows or columns; thin ones that hold no word are no part of the table."""
    candidates = clusters(edges, MAX_EDGE_DISTANCE)
    middles = sorted(middles)
    distinct = candidates[:1]
    for edge in candidates[1:]:
        if edge - distinct[-1] > 3 * MAX_EDGE_DISTANCE or bisect_left(middles, distinct[-1]) < bisect_left(
            middles, edge
        ):
            distinct.append(edge)
        elif len(distinct) > 1:
            distinct[-1] = edge
    return distinct


def _slots(cells: Sequence[BoundingBox], xs: list[float], ys: list[float]) -> list[Slot]:
    places: set[tuple[int, int]] = set()
    slots: list[Slot] = []
    middles = [[(low + high) / 2 for low, high in pairwise(edges)] for edges in (xs, ys)]
    for cell in sorted(cells, key=lambda c: (c.y0, c.x0, c.area)):
        columns, rows = _between(middles[0], cell.x0, cell.x1), _between(middles[1], cell.y0, cell.y1)
        if rows and columns and places.isdisjoint(product(rows, columns)):
            places.update(product(rows, columns))
            slots.append(Slot(rows[0], columns[0], len(rows), len(columns), [], cell))
    return slots


def _in_gaps(words: Sequence[PlacedWord], slots: Sequence[Slot], xs: list[float], ys: list[float]) -> list[Slot]:
    """Slots at the places where nothing is drawn around a word; where one is close by, its slot takes the word."""
    if not words:
        return []
    slot_at = {
        (slot.row + i, slot.column + j): slot
        for slot in slots
        for i in range(slot.num_rows)
        for j in range(slot.num_columns)
    }
    more: list[Slot] = []
    for word in words:
        x, y = word.box.center
        if xs[0] <= x < xs[-1] and ys[0] <= y < ys[-1]:
            place = bisect_right(ys, y) - 1, bisect_right(xs, x) - 1
            if place not in slot_at:
                slot_at[place] = Slot(*place)
                more.append(slot_at[place])
            slot_at[place].words.append(word)
    return more


def _between(middles: list[float], low: float, high: float) -> range:
    """Which rows or columns have their middle there."""
    return range(bisect_left(middles, low - MAX_EDGE_DISTANCE), bisect_right(middles, high + MAX_EDGE_DISTANCE))


def _split(cut: Cut) -> Cut:
    """Rows that no rule parts though all their cells agree in printed rows, and cells that stand over several rows."""
    slots: list[Slot] = []
    shift = 0
    by_row = slots_by_row(cut.slots)
    tightness = tightness_of(cut.slots)
    for row in range(cut.num_rows):
        mine = by_row[row]
        filled = sorted((slot for slot in mine if slot.words), key=lambda slot: slot.column)
        stretches = (
            rows_within(filled, tightness) if len(filled) >= 2 and all(slot.num_rows == 1 for slot in mine) else []
        )
        for slot in mine:
            groups = _grouped(slot, stretches) if len(stretches) > 1 else [slot.words]
            moved = _moved(slot, shift)
            slots += [replace(moved, row=moved.row + k, words=group) for k, group in enumerate(groups)]
        shift += max(1, len(stretches)) - 1
    return Cut(cut.num_rows + shift, cut.num_columns, _unfolded(slots))


def _grouped(slot: Slot, stretches: Sequence[tuple[float, float]]) -> list[list[PlacedWord]]:
    """The words of a slot by the stretch in which, or next to which, they stand."""
    groups: list[list[PlacedWord]] = [[] for _ in stretches]
    bounds = [(above[1] + below[0]) / 2 for above, below in pairwise(stretches)]
    for one in slot.words:
        groups[bisect_right(bounds, one.box.center[1])].append(one)
    return groups


def _unfolded(slots: Sequence[Slot]) -> list[Slot]:
    """Cells over several rows whose lines stand level with these rows, one line each, are parted."""
    parts: list[Slot] = []
    by_row = slots_by_row(slots)
    for slot in slots:
        lines = baselines(slot.words)
        if slot.num_rows < 2 or len(lines) != slot.num_rows:
            parts.append(slot)
            continue
        middles = [line[0].box.center[1] for line in lines]
        level = all(
            any(abs(one.box.center[1] - middle) <= 0.5 * one.box.height for one in other.words)
            for k, middle in enumerate(middles)
            for other in by_row[slot.row + k]
            if other is not slot and other.num_rows == 1 and other.words
        )
        rows = [replace(slot, row=slot.row + k, num_rows=1, words=line, box=None) for k, line in enumerate(lines)]
        parts += rows if level else [slot]
    return parts


def _moved(slot: Slot, shift: int) -> Slot:
    return replace(slot, row=slot.row + shift)


def _trimmed(cut: Cut) -> Cut | None:
    """Without headings and notes that a frame holds together with the table, and rows without a word at its ends."""
    filled_by_row: defaultdict[int, list[Slot]] = defaultdict(list)  # under each row that a slot reaches over
    for slot in cut.slots:
        if slot.words:
            for row in range(slot.row, slot.row + slot.num_rows):
                filled_by_row[row].append(slot)
    by_row = slots_by_row(cut.slots)
    rows = deque(range(cut.num_rows))
    while rows and _is_apart(filled_by_row[rows[0]], by_row[rows[0]], cut.num_columns):
        rows.popleft()
    while rows and _is_apart(filled_by_row[rows[-1]], by_row[rows[-1]], cut.num_columns):
        rows.pop()
    if len(rows) < 2:
        return None
    slots = [
        _moved(slot, -rows[0]) for slot in cut.slots if rows[0] <= slot.row and slot.row + slot.num_rows - 1 <= rows[-1]
    ]
    filled = {slot.column for slot in slots if slot.words}
    if len({slot.row for slot in slots if slot.words}) < 2:
        return None
    if len(filled) < 2 and not _end_of_form(slots):
        return None
    return Cut(len(rows), cut.num_columns, slots)


def _end_of_form(slots: Sequence[Slot]) -> int:
    """Behind the last column of a form, right of its labels, that has an empty cell in each row with a label; or 0."""
    labels = [slot for slot in slots if slot.words and slot.num_columns == 1]
    if all(slot.column for slot in labels):
        return 0
    rows = {slot.row for slot in labels}
    last = max(slot.column for slot in labels)
    empty: defaultdict[int, set[int]] = defaultdict(set)
    for slot in slots:
        is_wide = slot.box is not None and slot.box.width >= MIN_FORM_CELL_WIDTH
        if slot.column > last and slot.num_columns == 1 and not slot.words and is_wide:
            empty[slot.column].add(slot.row)
    return max((column + 1 for column, filled in empty.items() if filled >= rows), default=0)


def _without_empty_ends(cut: Cut) -> Cut:
    """Without the columns at the left and right that no cell of one column has a word in: frames hold such.

    Cells of a form that are to be filled in stay.
    """
    own = [slot.column for slot in cut.slots if slot.words and slot.num_columns == 1]
    if not own:
        return cut
    left, right = min(own), max(max(own) + 1, _end_of_form(cut.slots))
    slots: list[Slot] = []
    for slot in cut.slots:
        first, end = max(left, slot.column), min(right, slot.column + slot.num_columns)
        if first < end:
            slots.append(replace(slot, column=first - left, num_columns=end - first))
        elif slot.words:
            return cut
    return replace(cut, num_columns=right - left, slots=slots)


def _is_apart(filled: Sequence[Slot], begun: Sequence[Slot], num_columns: int) -> bool:
    """Whether a row is no part of the table, by the slots with words that reach into it and all that begin in it."""
    if not filled:
        return all(slot.num_rows == 1 for slot in begun)
    (first, *more) = filled
    return not more and first.num_columns == num_columns and count_words(first.words) >= MIN_PROSE_WORDS


def _text(line: Sequence[PlacedWord]) -> str:
    return "".join(one.word.text for one in line)
