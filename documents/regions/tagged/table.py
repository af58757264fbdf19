"""Makes rows and columns of a tagged PDF's table tags, where the words stand as in a table."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from statistics import median

from documents.boxes import BoundingBox
from documents.inspection import TextLine
from documents.page_tree import PageTree
from documents.region_values import Table
from documents.rotated_boxes import usual_angle
from documents.tables.build_table import table_cell
from documents.tables.cells import Cut, PlacedWord, Slot, filled_slots, placed_words

MAX_COLUMNS, MAX_ROWS = 200, 2000
MIN_ORDERED_SHARE = 0.9  # minimum share of consecutive cells of a row or column that have the same order on the page


@dataclass(frozen=True, slots=True, kw_only=True)
class TaggedCell:
    """One TD or TH: its node, the number of its row among the rows of the page, and what it spans."""

    node: int
    row: int
    is_header: bool
    num_rows: int
    num_columns: int


def tagged_table(
    tree: PageTree, table: int, cell_words: Mapping[int, Sequence[PlacedWord]], words: frozenset[str]
) -> Table | None:
    """The table of the node `table`; None where its cells do not stand in rows and columns.

    `cell_words` are the upright words of each node's own marks; `words` are the page's, to fix broken ones.
    """
    cut = cut_by_tags(tree, table, cell_words)
    if cut is None:
        return None
    return Table(
        num_rows=cut.num_rows,
        num_columns=cut.num_columns,
        num_header_rows=cut.num_header_rows or 0,
        cells=tuple(table_cell(slot, printed, words) for slot, printed in filled_slots(cut)),
    )


def words_by_node(lines: Sequence[TextLine], nodes: Sequence[int | None]) -> dict[int, list[PlacedWord]]:
    """The words of `lines`, upright, by the node that each is said to stand in; `nodes` are of all words, in order."""
    words_of_node: dict[int, list[PlacedWord]] = {}
    for one, node in zip(placed_words(lines, usual_angle(lines)), nodes, strict=True):
        if node is not None:
            words_of_node.setdefault(node, []).append(one)
    return words_of_node


def cut_by_tags(tree: PageTree, table: int, cell_words: Mapping[int, Sequence[PlacedWord]]) -> Cut | None:
    """Slots with their words, by the algorithm that HTML has for rows of cells with spans."""
    cells = list(_cells(tree, table))
    owners = _owners(tree, {cell.node for cell in cells})
    words: dict[int, list[PlacedWord]] = {}
    for node, own in cell_words.items():
        if owners[node] is not None:
            words.setdefault(owners[node] or 0, []).extend(own)
    slots = _placed(cells, words)
    if slots is None:
        return None
    slots, rows = _without_empty_lines(slots)
    if len(slots) < 2 or sum(bool(slot.words) for slot in slots) < 2:
        return None
    num_rows = max(slot.row + slot.num_rows for slot in slots)
    num_columns = max(slot.column + slot.num_columns for slot in slots)
    if num_columns < 2 or not _in_place(slots):
        return None
    return Cut(num_rows, num_columns, slots, _num_header_rows(cells, rows))


def _cells(tree: PageTree, table: int) -> Iterator[TaggedCell]:
    """The cells of one table in the order of the tree, those of tables within it left out."""
    rows: dict[int, int] = {}
    inside: set[int] = {table}
    heads: set[int] = set()
    for k, node in enumerate(tree.nodes):
        if node.parent not in inside or (node.parent in rows and node.role not in ("TD", "TH")):
            continue
        if node.role in ("THead", "TBody", "TFoot", "TR"):
            inside.add(k)
            if node.role == "THead" or node.parent in heads:
                heads.add(k)
            if node.role == "TR":
                rows[k] = len(rows)
        elif node.role in ("TD", "TH") and node.parent in rows:
            is_header = node.role == "TH" or node.parent in heads
            yield TaggedCell(
                node=k,
                row=rows[node.parent],
                is_header=is_header,
                num_rows=node.num_rows,
                num_columns=node.num_columns,
            )


def _owners(tree: PageTree, cells: set[int]) -> list[int | None]:
    """The cell that each node is or stands in."""
    owners: list[int | None] = []
    for k, node in enumerate(tree.nodes):
        above = owners[node.parent] if 0 <= node.parent < k else None
        owners.append(k if k in cells else above)
    return owners


def _placed(cells: Sequence[TaggedCell], words: Mapping[int, list[PlacedWord]]) -> list[Slot] | None:
    """Each cell in the first free place of its row; None if that makes no table."""
    num_rows = 1 + max((cell.row for cell in cells), default=0)
    if num_rows > MAX_ROWS:
        return None
    occupied: list[set[int]] = [set() for _ in range(num_rows)]
    slots: list[Slot] = []
    for cell in cells:
        column = 0
        while column in occupied[cell.row]:
            column += 1
        if column + cell.num_columns > MAX_COLUMNS:
            return None
        last = min(num_rows, cell.row + cell.num_rows)
        for row in range(cell.row, last):
            occupied[row].update(range(column, column + cell.num_columns))
        slots.append(Slot(cell.row, column, last - cell.row, cell.num_columns, words.get(cell.node, [])))
    return slots


def _without_empty_lines(slots: Sequence[Slot]) -> tuple[list[Slot], list[int]]:
    """Slots less rows and columns that no words begin in, and the rows that are left: spreadsheets tag all cells."""
    filled = [slot for slot in slots if slot.words]
    rows, columns = sorted({slot.row for slot in filled}), sorted({slot.column for slot in filled})
    kept: list[Slot] = []
    for slot in slots:
        row, column = bisect_left(rows, slot.row), bisect_left(columns, slot.column)
        num_rows = bisect_left(rows, slot.row + slot.num_rows) - row
        num_columns = bisect_left(columns, slot.column + slot.num_columns) - column
        if num_rows and num_columns:
            kept.append(replace(slot, row=row, column=column, num_rows=num_rows, num_columns=num_columns))
    return kept, rows


def _in_place(slots: Sequence[Slot]) -> bool:
    """Whether cells of a row stand from left to right, and rows from top to bottom."""
    wrong = total = 0
    filled = [slot for slot in slots if slot.words]
    for a, b in pairwise(filled):
        if a.row == b.row:
            total += 1
            wrong += min(one.box.x0 for one in b.words) < min(one.box.x0 for one in a.words)
    firsts: dict[int, Slot] = {}
    for slot in filled:
        firsts.setdefault(slot.row, slot)
    for a, b in pairwise(firsts.values()):
        total += 1
        wrong += min(one.box.y0 for one in b.words) < min(one.box.y0 for one in a.words)
    return wrong <= (1 - MIN_ORDERED_SHARE) * total and _columns_in_order(filled)


def _columns_in_order(filled: Sequence[Slot]) -> bool:
    """Whether columns stand from left to right: a header that was tagged apart from its columns pushes these aside."""
    centers: dict[int, list[float]] = {}
    for slot in filled:
        if slot.num_columns == 1:
            centers.setdefault(slot.column, []).append(BoundingBox.around([one.box for one in slot.words]).center[0])
    places = [median(centers[column]) for column in sorted(centers)]
    pairs = list(combinations(places, 2))
    return sum(b <= a for a, b in pairs) <= (1 - MIN_ORDERED_SHARE) * len(pairs)


def _num_header_rows(cells: Sequence[TaggedCell], rows: Sequence[int]) -> int | None:
    """The first of `rows` of which all cells are headers; None where there are none, or nothing else."""
    body = {cell.row for cell in cells if not cell.is_header}
    first = bisect_left(rows, min(body, default=math.inf))
    return first if 0 < first < len(rows) else None
