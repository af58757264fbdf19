"""Makes table cells from a PDF's structure tree (author's tags)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from documents.inspection import TextLine
from documents.page_tree import PageTree
from documents.rotated_boxes import usual_angle
from documents.tables.build import cells_of
from documents.tables.cells import Cut, PlacedWord, Slot, placed_words
from documents.values import Table

MAX_COLUMNS, MAX_ROWS = 200, 2000
MIN_IN_PLACE = 0.9  # of the cells that follow one another in a row or column, that also stand so on the page


@dataclass(frozen=True, slots=True)
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
        cells=cells_of(cut, words),
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
    if slots is None or len(slots) < 2 or sum(bool(slot.words) for slot in slots) < 2:
        return None
    num_rows = max(slot.row + slot.num_rows for slot in slots)
    num_columns = max(slot.column + slot.num_columns for slot in slots)
    if num_columns < 2 or not _in_place(slots):
        return None
    return Cut(num_rows, num_columns, slots, _num_header_rows(cells, num_rows))


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
            yield TaggedCell(k, rows[node.parent], is_header, node.num_rows, node.num_columns)


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
    return wrong <= (1 - MIN_IN_PLACE) * total


def _num_header_rows(cells: Sequence[TaggedCell], num_rows: int) -> int | None:
    """The first rows of which all cells are headers; None where there are none, or nothing else."""
    body = {cell.row for cell in cells if not cell.is_header}
    first = min(body, default=num_rows)
    return first if 0 < first < num_rows else None
