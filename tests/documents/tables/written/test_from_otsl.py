"""Tables as image-text models write them, cell by cell."""

import pytest

from documents.boxes import BoundingBox
from documents.tables.written.from_otsl import html_of_otsl
from documents.tables.written.tables_from_ocr import written_table

BOX = BoundingBox(x0=0, y0=0, x1=100, y1=50)


def cells(otsl):
    table = written_table(html_of_otsl(otsl), BOX)
    return {(c.row, c.column): (c.text, c.num_rows, c.num_columns) for c in table.cells}, table.num_header_rows


def test_cells_and_headers_are_where_they_are_written():
    """The header row is one whose cells all are headers."""
    otsl = "<otsl><loc_3><ched>Name<ched>Price<nl><fcel>nut & bolt<fcel>1,50<nl><fcel>nail<ecel><nl></otsl>"
    table_cells, num_header_rows = cells(otsl)
    assert num_header_rows == 1
    assert table_cells[1, 0] == ("nut & bolt", 1, 1)
    assert table_cells[1, 1] == ("1,50", 1, 1)
    assert table_cells.get((2, 1), ("", 1, 1)) == ("", 1, 1)


def test_cells_that_go_on_are_merged():
    """To the right, below, and both ways; the paper's own example."""
    otsl = "<fcel>A<lcel><fcel>B<nl><ucel><xcel><fcel>C<nl><fcel>D<fcel>E<ucel><nl>"
    table_cells, _ = cells(otsl)
    assert table_cells[0, 0] == ("A", 2, 2)
    assert table_cells[1, 2] == ("C", 2, 1)
    assert table_cells[2, 1] == ("E", 1, 1)


@pytest.mark.parametrize(
    "otsl",
    [
        "",
        "no table at all",
        "<fcel>a<fcel>b<nl><fcel>c<nl>",  # rows of different length
        "<lcel><fcel>a<nl>",  # goes on from nothing
        "<ucel><fcel>a<nl>",
        "<fcel>a<lcel><nl><ucel><fcel>b<nl>",  # no rectangle
        "<fcel>a<b>bold</b><nl>",
        "<fcel>a<nl>and text behind",
    ],
)
def test_what_is_no_table_is_none(otsl):
    """A guess would put figures into other columns."""
    assert html_of_otsl(otsl) is None


def test_a_cell_cannot_write_markup():
    """What a page prints never becomes a tag."""
    assert "<script>" not in (html_of_otsl("<fcel>&lt;script&gt;x<nl>") or "")
