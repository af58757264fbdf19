"""Tables as OCR writes them in HTML."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from page_making import box, page_table

from documents.tables.written.table_markup import texts, to_html
from documents.tables.written.tables_from_ocr import written_table

BOX = box(60, 100, 500, 300)


def read(text):
    return written_table(text, BOX)


def test_a_table_with_merged_cells():
    """Guards against merged cells that shift their neighbours."""
    table = read(
        '<table><thead><tr><th rowspan="2">Boat</th><th colspan="2">Times</th></tr><tr><th>Out</th><th>In</th></tr>'
        "</thead><tbody><tr><td>Alma &amp; Co</td><td>x<sup>2</sup></td><td>a<br>b</td></tr></tbody></table>"
    )
    assert table is not None
    assert texts(table) == [["Boat", "Times", ""], ["", "Out", "In"], ["Alma & Co", "x2", "a b"]]
    assert (table.num_rows, table.num_columns, table.num_header_rows) == (3, 3, 2)
    assert (table.cells[0].num_rows, table.cells[1].num_columns) == (2, 2)


@pytest.mark.parametrize(
    "text",
    [
        "<table><tr><td>a</td></tr>",
        "<table><tr><td>a</tr></table>",
        "x<table><tr><td>a</td></tr></table>",
        "<table><tr><td>a</td></tr></table><table><tr><td>a</td></tr></table>",
        "<table><tr><td>a<script>x</script></td></tr></table>",
        "<table><tr><td><table><tr><td>a</td></tr></table></td></tr></table>",
        '<table><tr><td rowspan="2">a</td></tr></table>',
        '<table><tr><td colspan="-1">a</td></tr></table>',
        "<table><tr><td>a</td></tr><!-- x --></table>",
        "<table>a</table>",
        "<table></table>",
        "<td>a</td>",
    ],
)
def test_what_is_not_a_table_to_the_letter_is_none(text):
    """Guards against half a table, cut off or run away, that passes for a whole one."""
    assert read(text) is None


@given(st.lists(st.sampled_from(["<table>", "</table>", "<tr>", "</tr>", "<td>", "</td>", "a", "<b>", "</b>", "<!"])))
def test_no_text_breaks_the_reader(pieces):
    table = read("".join(pieces))
    assert table is None or table.num_rows


def test_what_we_write_we_read():
    """Guards against two ideas of what a table in HTML is."""
    table = page_table([["Boat", "Left"], ["Alma & <b>", "04:10"]], BOX)
    assert read(to_html(table)) == table
