"""Labels of rows that stand outside of a grid are a column of its table."""

from __future__ import annotations

from page_making import box, printed

from documents.tables.cells import Cut, Slot, placed_words
from documents.tables.labels_beside import with_labels_beside
from documents.tables.ruled import cut_by_grid

ROWS = [("60", "61"), ("50", "51"), ("55", "56")]


def columns_with(labels):
    cells = [box(100 + 50 * c, 100 + 20 * r, 150 + 50 * c, 120 + 20 * r) for r in range(3) for c in range(2)]
    inside = [printed(t, 110 + 50 * c, 105 + 20 * r) for r, row in enumerate(ROWS) for c, t in enumerate(row)]
    cut = cut_by_grid(cells, placed_words(inside, 0))
    assert cut is not None
    beside = [printed(text, 20, y) for text, y in labels]
    wider = with_labels_beside(cut, placed_words(beside, 0))
    return wider.num_columns, [
        (slot.row, " ".join(one.word.text for one in slot.words)) for slot in wider.slots if slot.column == 0
    ]


def test_labels_level_with_the_rows_are_its_first_column():
    """Guards against rows of figures whose names are text beside the table."""
    num_columns, first = columns_with([("Hull", 105), ("Brest", 126), ("Bergen", 144)])
    assert num_columns == 3
    assert sorted(first) == [(0, "Hull"), (1, "Brest"), (2, "Bergen")]


def test_a_note_beside_one_row_is_no_column():
    num_columns, _ = columns_with([("See below", 105)])
    assert num_columns == 2


def test_a_table_without_drawn_cells_has_no_labels_beside_it():
    words = placed_words([printed("Hull", 20, 105)], 0)
    cut = Cut(1, 1, [Slot(0, 0)])
    assert with_labels_beside(cut, words) == cut
