"""The tables of a sheet are those that a reader sees, and merged cells cost what they are, not what they cover."""

from __future__ import annotations

import time
import tracemalloc

from documents.office.sheets.sheet_cells import SheetCells
from documents.office.sheets.sheet_tables import islands_of


def sheet(*cells: tuple[int, int, str], merged: dict[tuple[int, int], tuple[int, int]] | None = None) -> SheetCells:
    texts = {(row, column): text for row, column, text in cells}
    return SheetCells(texts=texts, merged=merged or {})


def test_a_merged_cell_ties_together_what_it_covers() -> None:
    """Guards against a heading over two columns that is parted from its table by the columns' gap."""
    cells = sheet((0, 0, "head"), (2, 0, "a"), (2, 4, "b"), (5, 0, "c"), merged={(0, 0): (2, 5)})
    islands = islands_of(cells)
    assert [(island.top, island.left, island.bottom, island.right) for island in islands] == [
        (0, 0, 2, 4),
        (5, 0, 5, 0),
    ]
    first = islands[0].table
    assert [(cell.text, cell.num_rows, cell.num_columns) for cell in first.cells] == [
        ("head", 2, 5),
        ("a", 1, 1),
        ("b", 1, 1),
    ]


def test_cells_under_a_merged_one_are_left_out_and_merged_cells_never_overlap() -> None:
    cells = sheet(
        (0, 0, "over"), (1, 1, "under"), (0, 2, "beside"), (1, 2, "low"), merged={(0, 0): (2, 2), (0, 2): (1, 1)}
    )
    (island,) = islands_of(cells)
    assert [cell.text for cell in island.table.cells] == ["over", "beside", "low"]
    cells = sheet((0, 1, "first"), (1, 0, "second"), merged={(0, 1): (3, 2), (1, 0): (2, 2)})
    (island,) = islands_of(cells)
    assert [(cell.text, cell.num_rows, cell.num_columns) for cell in island.table.cells] == [
        ("first", 3, 2),
        ("second", 1, 1),
    ]


def test_two_tables_beside_each_other_are_two() -> None:
    cells = sheet(*((row, column, "x") for row in range(3) for column in (0, 1, 4, 5)))
    assert [(island.left, island.right) for island in islands_of(cells)] == [(0, 1), (4, 5)]


def test_merged_cells_take_no_memory_for_what_they_cover() -> None:
    """Guards against a sheet of a few kB that takes gigabytes: 300 merged cells that cover a million places each."""
    cells = SheetCells()
    for k in range(300):
        cells.texts[1100 * k, 0] = "x"
        cells.merged[1100 * k, 0] = (1000, 1000)
    began = time.process_time()
    tracemalloc.start()
    try:
        islands = islands_of(cells)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(islands) == 300
    assert peak < 20_000_000
    assert time.process_time() - began < 20
