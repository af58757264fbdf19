"""Names of columns that are set sideways stand in the table."""

from __future__ import annotations

import pytest
from page_making import box, inspection, printed, printed_table

from documents.inspection import Grid, TextLine
from documents.tables.build_table import table_of
from documents.tables.cells import Cut, Slot, placed_words
from documents.tables.sideways import with_sideways_names
from documents.tables.table_area import TableArea

BODY = [["Hull", "60", "61"], ["Brest", "50", "51"], ["Bergen", "55", "56"]]
WORDS = [[printed(text, 60 + 100 * c, 100 + 20 * r) for c, text in enumerate(row)] for r, row in enumerate(BODY)]
FRAME = box(55, 20, 355, 175)


def sideways(text, x, y0, y1):
    """A line that is read from the bottom, of one word."""
    line = printed(text, 0, 0)
    around = box(x, y0, x + 10, y1)
    (word,) = line.words
    return line.model_copy(update={"angle": 270, "box": around, "words": (word.model_copy(update={"box": around}),)})


def names_of(lines):
    """The sideways lines of an area of upright words."""
    return TableArea.of(inspection(), FRAME, [*(word for row in WORDS for word in row), *lines]).names


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


def test_a_stamp_in_an_empty_drawn_cell_takes_no_name_from_the_columns():
    """Guards against names above the columns that are none because one sideways line stands in a cell."""
    cut = Cut(
        3, 3, [Slot(r, c, words=placed_words([WORDS[r][c]], 0)) for r in range(3) for c in range(3) if (r, c) != (2, 2)]
    )
    cut.slots.append(Slot(2, 2, box=box(255, 135, 355, 175)))
    names = [sideways("Land", 163, 30, 90), sideways("Sea", 263, 30, 90)]
    stamp = sideways("Checked", 300, 140, 170)
    named = with_sideways_names(cut, names_of([*names, stamp]))
    assert named.num_rows == 4
    assert [slot.words[0].word.text for slot in named.slots if slot.row == 0] == ["Land", "Sea"]
    assert cut.slots[-1].words == []


def test_names_in_drawn_cells_do_not_change_the_table_without_them():
    """Guards against a table whose slots are written into while another one is made of it."""
    cut = Cut(1, 2, [Slot(0, c, box=box(55 + 100 * c, 20, 155 + 100 * c, 95)) for c in range(2)])
    named = with_sideways_names(cut, names_of([sideways("Land", 103, 30, 90), sideways("Sea", 203, 30, 90)]))
    assert [slot.words[0].word.text for slot in named.slots] == ["Land", "Sea"]
    assert all(not slot.words for slot in cut.slots)


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
