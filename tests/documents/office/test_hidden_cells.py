"""Hidden rows, columns and sheets are left out and reported, in XLSX and ODS; cells behind them keep their places."""

from __future__ import annotations

import io

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from odf.opendocument import OpenDocumentSpreadsheet
from odf.style import Style, TableProperties
from odf.table import Table, TableCell, TableColumn, TableRow, TableRowGroup
from odf.text import P
from openpyxl.comments import Comment

from documents.office.parsed_file import Authored
from documents.sheet_lines import SheetLines
from tests.documents.office.drawn import parsed, regions_of, saved, xlsx

ROWS = [
    ["Item", "Cost", "Margin", "Price"],
    ["Rope", "10", "0.3", "13"],
    ["Anchor", "50", "0.2", "60"],
    ["floor price 55", "", "", ""],
    ["Fender", "8", "0.5", "12"],
]


def workbook(*, by: str = "hidden") -> bytes:
    """ROWS whose columns B and C and row 4 are not to be seen."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Prices"
    for row in ROWS:
        sheet.append(row)
    if by == "hidden":
        sheet.column_dimensions["B"].hidden = sheet.column_dimensions["C"].hidden = True
        sheet.row_dimensions[4].hidden = True
    elif by == "group":
        sheet.column_dimensions.group("B", "C", hidden=True)
        sheet.row_dimensions.group(4, 4, hidden=True)
    elif by == "filter":
        sheet.auto_filter.ref = "A1:D5"
        sheet.row_dimensions[4].hidden = True
        sheet.column_dimensions.group("B", "C", hidden=True)
    return saved(book)


def open_sheet(*, by: str = "collapse") -> bytes:
    document = OpenDocumentSpreadsheet()
    table = Table(name="Prices")
    table.addElement(TableColumn())
    table.addElement(TableColumn(numbercolumnsrepeated=2, visibility="collapse"))
    table.addElement(TableColumn())
    for number, texts in enumerate(ROWS, 1):
        hidden = {"visibility": by} if number == 4 and by != "group" else {}
        row = TableRow(**hidden)
        for text in texts:
            cell = TableCell()
            if text:
                cell.addElement(P(text=text))
            row.addElement(cell)
        if number == 4 and by == "group":
            group = TableRowGroup(display="false")
            group.addElement(row)
            row = group
        table.addElement(row)
    document.spreadsheet.addElement(table)
    style = Style(name="gone", family="table")
    style.addElement(TableProperties(display="false"))
    document.automaticstyles.addElement(style)
    secret = Table(name="Secret", stylename="gone")
    row, cell = TableRow(), TableCell()
    cell.addElement(P(text="secret words"))
    row.addElement(cell)
    secret.addElement(row)
    document.spreadsheet.addElement(secret)
    file = io.BytesIO()
    document.write(file)
    return file.getvalue()


def grid(document: Authored) -> tuple[dict[str, str], list[str]]:
    """The cell of the sheet at which each text stands, and the rows of the table in Markdown's order."""
    (region,) = [region for region in document.pages[0].regions if getattr(region, "table", None) is not None]
    places = {cell.text: region.place.cell(cell.row, cell.column).range for cell in region.table.cells}
    rows = [" ".join(c.text for c in region.table.cells if c.row == row) for row in range(region.table.num_rows)]
    return places, rows


CASES = [(workbook, by) for by in ("hidden", "group", "filter")]
CASES += [(open_sheet, by) for by in ("collapse", "filter", "group")]


@pytest.mark.parametrize(("make", "by"), CASES)
def test_hidden_rows_and_columns_are_left_out_and_the_others_keep_their_cells(make, by: str) -> None:
    """Guards against an internal price in the index, without a warning, and against citations one row off."""
    document = parsed(make(by=by))
    places, rows = grid(document)
    assert rows == ["Item Price", "Rope 13", "Anchor 60", "Fender 12"]
    assert [places[text] for text in ("Item", "Price", "60", "Fender", "12")] == ["A1", "D1", "D3", "A5", "D5"]
    codes = [warning.code for warning in document.warnings]
    assert codes == ["hidden_text"] * (1 if make is workbook else 2)
    assert any("Prices (9)" in warning.message for warning in document.warnings)


def test_very_hidden_sheets_are_named_and_hidden_lines_without_text_say_nothing() -> None:
    book = openpyxl.Workbook()
    book.active.append(["a", "b"])
    book.active.column_dimensions.group("C", "XFD", hidden=True)
    assert not parsed(saved(book)).warnings
    sheet = book.create_sheet("Secret")
    sheet["A1"] = "secret"
    sheet.sheet_state = "veryHidden"
    (warning,) = parsed(saved(book)).warnings
    assert (warning.code, "Secret" in warning.message) == ("hidden_text", True)


def test_rows_of_no_height_and_comments_on_hidden_cells_are_hidden() -> None:
    rows = '<row r="1"><c r="A1"><v>1</v></c><c r="B1"><v>2</v></c></row>'
    rows += '<row r="2" ht="0" customHeight="1"><c r="A2"><v>77</v></c><c r="B2"><v>78</v></c></row>'
    assert "77" not in "".join(region.text for region in regions_of(xlsx({"s": rows})))
    book = openpyxl.Workbook()
    for row in (["a", "b"], ["c", "d"]):
        book.active.append(row)
    book.active["A1"].comment = Comment("for all to see", "x")
    book.active["A2"].comment = Comment("for us alone", "x")
    book.active.row_dimensions[2].hidden = True
    text = " ".join(region.text for region in regions_of(saved(book)))
    assert "for all" in text
    assert "for us" not in text


def test_a_merged_cell_that_begins_in_a_hidden_column_is_shown_where_it_goes_on() -> None:
    book = openpyxl.Workbook()
    for row in (["Heading", None, None], ["hidden", "shown", "end"]):
        book.active.append(row)
    book.active.merge_cells("A1:C1")
    book.active.column_dimensions["A"].hidden = True
    places, rows = grid(parsed(saved(book)))
    assert rows == ["Heading", "shown end"]
    assert places["shown"] == "B2"


@given(st.sets(st.integers(0, 60)), st.integers(0, 70))
def test_visible_lines_are_counted_as_one_by_one(hidden: set[int], limit: int) -> None:
    """The oracle counts lines one by one."""
    lines = SheetLines((index, index) for index in hidden)
    visible = [index for index in range(200) if index not in hidden]
    assert [lines.index(place) for place in range(100)] == visible[:100]
    assert all(lines.place(index) == sum(other < index for other in visible) for index in range(100))
    assert [lines.is_hidden(index) for index in range(80)] == [index in hidden for index in range(80)]
    runs = lines.within(5, limit)
    assert {index for first, last in runs for index in range(first, last + 1)} == {k for k in hidden if 5 <= k <= limit}
