"""Tables in writing."""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st
from page_making import box

from documents.exports.markdown_text import in_line
from documents.region_values import Table, TableCell
from documents.tables.written.table_markup import is_plain, pipes, plain, to_html


def cell(row, column, text, num_rows=1, num_columns=1):
    return TableCell(row=row, column=column, num_rows=num_rows, num_columns=num_columns, text=text, box=box(0, 0, 1, 1))


MERGED = Table(
    num_rows=2,
    num_columns=3,
    num_header_rows=1,
    cells=(cell(0, 0, "Region", 2, 1), cell(0, 1, "2023", 1, 2), cell(1, 1, "Land")),
)


def test_merged_cells_are_html_with_their_spans_and_empty_places_cells():
    assert not is_plain(MERGED)
    assert to_html(MERGED) == (
        '<table>\n<tr><th rowspan="2">Region</th><th colspan="2">2023</th></tr>\n'
        "<tr><td>Land</td><td></td></tr>\n</table>"
    )


def test_plain_tables_are_pipes():
    table = Table(num_rows=2, num_columns=2, num_header_rows=1, cells=(cell(0, 0, "Boat"), cell(1, 1, "a|b")))
    assert is_plain(table)
    assert pipes(table, lambda cell: in_line(cell.text)) == "| Boat |  |\n| --- | --- |\n|  | a\\|b |"
    assert plain(table) == "Boat\n\ta|b"


class Reader(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.text = [], ""

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        self.text += data


@given(st.text())
def test_no_cell_can_open_a_tag(text):
    """Guards against pages that smuggle markup into a table."""
    table = Table(num_rows=1, num_columns=1, num_header_rows=0, cells=(cell(0, 0, text),))
    reader = Reader()
    reader.feed(to_html(table))
    reader.close()
    assert reader.tags == ["table", "tr", "td"]
