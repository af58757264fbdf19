"""Names of columns that are set sideways stand in the table."""

from __future__ import annotations

import pytest
from page_making import box, inspection, printed, printed_table

from documents.inspection import Grid, TextLine
from documents.tables.build_table import table_of

BODY = [["Hull", "60", "61"], ["Brest", "50", "51"], ["Bergen", "55", "56"]]
FRAME = box(55, 20, 355, 175)


def sideways(text, x, y0, y1):
    """A line that is read from the bottom, of one word."""
    line = printed(text, 0, 0)
    around = box(x, y0, x + 10, y1)
    (word,) = line.words
    return line.model_copy(update={"angle": 270, "box": around, "words": (word.model_copy(update={"box": around}),)})


def rows_of(lines: list[TextLine], **more):
    filled = table_of(inspection(*lines).model_copy(update=more), FRAME, lines, frozenset())
    assert filled is not None
    rows = [[""] * filled.table.num_columns for _ in range(filled.table.num_rows)]
    for cell in filled.table.cells:
        rows[cell.row][cell.column] = cell.text
    return rows, filled.beside


def test_names_above_the_columns_are_a_row_more():
    lines = [*printed_table(BODY), sideways("Land", 163, 30, 90), sideways("Sea", 263, 30, 90)]
    rows, beside = rows_of(lines)
    assert rows == [["", "Land", "Sea"], *BODY]
    assert beside == ()


def test_a_name_in_a_drawn_cell_is_its_text():
    cells = [box(55 + 100 * c, 20, 155 + 100 * c, 95) for c in range(3)]
    cells += [box(55 + 100 * c, 95 + 20 * r, 155 + 100 * c, 115 + 20 * r) for r in range(3) for c in range(3)]
    lines = [*printed_table(BODY), sideways("Land", 203, 30, 90), sideways("Sea", 303, 30, 90)]
    rows, _ = rows_of(lines, grids=(Grid(box=FRAME, cells=tuple(cells)),))
    assert rows == [["", "Land", "Sea"], *BODY]


@pytest.mark.parametrize(
    "stamps",
    [
        [sideways("Received", 163, 30, 90)],
        [sideways("Received", 163, 110, 150), sideways("Checked", 263, 110, 150)],
    ],
)
def test_a_single_stamp_and_sideways_text_among_the_rows_are_no_names(stamps):
    rows, beside = rows_of([*printed_table(BODY), *stamps])
    assert rows == BODY
    assert beside == tuple(stamps)
