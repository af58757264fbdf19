"""Cells that cover others stand where a browser puts them, in memory that does not grow with what they cover."""

from __future__ import annotations

import tracemalloc

from documents.office.packages.unpack_limits import MAX_CELLS
from documents.office.table_grid import GridCell, table_of


def test_cells_move_to_the_right_of_those_that_reach_down() -> None:
    table = table_of(
        [
            [GridCell("a", num_rows=3), GridCell("b"), GridCell("c", num_rows=2)],
            [GridCell("d", num_columns=5), GridCell("e")],
            [GridCell("f"), GridCell("g"), GridCell("h")],
        ]
    )
    assert table is not None
    places = {cell.text: (cell.row, cell.column, cell.num_rows, cell.num_columns) for cell in table.cells}
    assert places == {
        "a": (0, 0, 3, 1),
        "b": (0, 1, 1, 1),
        "c": (0, 2, 2, 1),
        "d": (1, 1, 1, 1),
        "e": (1, 3, 1, 1),
        "f": (2, 1, 1, 1),
        "g": (2, 2, 1, 1),
        "h": (2, 3, 1, 1),
    }


def test_what_cells_cover_takes_no_memory() -> None:
    """Guards against a page of 100 kB that takes gigabytes: each covered place was an entry that was never freed."""
    rows = [[GridCell("x", 1000, 2000)] for _ in range(3000)]
    tracemalloc.start()
    try:
        table = table_of(rows)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert table is not None
    assert len(table.cells) == 3
    assert peak < 4_000_000


def test_rows_behind_the_bound_are_not_laid_out() -> None:
    """Guards against a table whose cells are all laid out before the bound of a document leaves them out."""
    rows = [[GridCell("x")] * 100 for _ in range(3000)]
    table = table_of(rows)
    assert table is not None
    assert MAX_CELLS < len(table.cells) <= MAX_CELLS + 100
