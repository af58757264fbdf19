"""What openpyxl and python-docx write into cells is read as a reader of the file sees it."""

from __future__ import annotations

import docx as python_docx
import openpyxl
import pytest
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.styles import PatternFill

from documents.errors import TooLargeUnpacked
from documents.office.packages import zip_package
from documents.region_values import Table
from tests.documents.office.drawn import docx, paragraph, regions_of, saved, xlsx


def table_of(content: bytes) -> Table:
    return next(region.table for region in regions_of(content) if getattr(region, "table", None) is not None)


def cells_of(content: bytes) -> dict[tuple[int, int], str]:
    return {(cell.row, cell.column): cell.text for cell in table_of(content).cells}


def test_truth_and_text_of_several_fonts_are_read() -> None:
    """Guards against 0 and 1 for FALSE and TRUE, and against cells whose bold words alone are lost."""
    book = openpyxl.Workbook()
    bold = CellRichText("The ", TextBlock(InlineFont(b=True), "north"), " quay")
    book.active.append(["open", "name"])
    book.active.append([True, bold])
    book.active.append([False, "plain"])
    cells = cells_of(saved(book))
    assert [cells[1, 0].upper(), cells[2, 0].upper()] == ["TRUE", "FALSE"]
    assert cells[1, 1] == "The north quay"


def test_cells_that_are_merged_downwards_are_one() -> None:
    book = openpyxl.Workbook()
    for row in (["quay", "ship"], ["north", "Anna"], [None, "Berta"]):
        book.active.append(row)
    book.active.merge_cells("A2:A3")
    merged = next(cell for cell in table_of(saved(book)).cells if cell.text == "north")
    assert (merged.num_rows, merged.num_columns) == (2, 1)


def test_a_cell_far_out_of_a_sheet_takes_no_place() -> None:
    """Guards against a table as wide as a damaged reference says."""
    rows = '<row r="1"><c r="A1"><v>1</v></c><c r="B1"><v>2</v></c><c r="ZZZZ1"><v>3</v></c></row>'
    rows += '<row r="99999999"><c r="A99999999"><v>4</v></c></row>'
    assert "".join(region.text for region in regions_of(xlsx({"s": rows})))
    assert not any("4" in region.text for region in regions_of(xlsx({"s": rows})))


def test_cells_that_are_only_coloured_do_not_join_what_stands_apart() -> None:
    book = openpyxl.Workbook()
    book.active["A1"], book.active["A7"] = "above", "below"
    for row in range(2, 7):
        book.active.cell(row, 1).fill = PatternFill("solid", "FFAA00")
    ranges = [region.place.range for region in regions_of(saved(book))]
    assert ranges[-2:] == ["A1", "A7"]


def test_a_deleted_row_of_a_table_is_gone_and_one_that_begins_later_keeps_its_columns() -> None:
    cell = "<w:tc><w:p><w:r><w:t>{}</w:t></w:r></w:p></w:tc>"
    plain = "<w:tr>" + cell.format("a") + cell.format("b") + "</w:tr>"
    gone = '<w:tr><w:trPr><w:del w:id="1" w:author="A"/></w:trPr>' + cell.format("x") + cell.format("y") + "</w:tr>"
    late = '<w:tr><w:trPr><w:gridBefore w:val="1"/></w:trPr>' + cell.format("c") + "</w:tr>"
    assert cells_of(docx(f"<w:tbl>{plain}{gone}{late}</w:tbl>")) == {(0, 0): "a", (0, 1): "b", (1, 1): "c"}


def test_two_merged_runs_of_cells_one_above_the_other_stay_two() -> None:
    """Guards against a merge that swallows the next one in its column."""
    document = python_docx.Document()
    table = document.add_table(5, 2)
    for row in range(5):
        table.cell(row, 1).text = f"right {row}"
    table.cell(0, 0).text = "above"
    table.cell(0, 0).merge(table.cell(1, 0))
    table.cell(2, 0).text = "between"
    table.cell(3, 0).text = "below"
    table.cell(3, 0).merge(table.cell(4, 0))
    heights = {cell.text: (cell.row, cell.num_rows) for cell in table_of(saved(document)).cells if cell.column == 0}
    assert heights == {"above": (0, 2), "between": (2, 1), "below": (3, 2)}


def test_a_merge_that_has_no_beginning_does_not_reach_over_a_plain_cell() -> None:
    def row(text: str, merge: str = "") -> str:
        return f"<w:tr><w:tc><w:tcPr>{merge}</w:tcPr>{paragraph(text)}</w:tc><w:tc>{paragraph('r')}</w:tc></w:tr>"

    begun, on = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    rows = row("one", begun) + row("", on) + row("plain") + row("lost", on)
    cells = {cell.text: cell.num_rows for cell in table_of(docx(f"<w:tbl>{rows}</w:tbl>")).cells if cell.column == 0}
    assert cells == {"one": 2, "plain": 1, "lost": 1}


def test_parts_that_are_small_each_are_too_large_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against a file of many parts that each stay below the bound."""
    monkeypatch.setattr(zip_package, "MAX_UNPACKED_BYTES", 3000)
    sheets = {f"s{k}": "<row><c><v>1</v></c></row>" + " " * 1000 for k in range(6)}
    with pytest.raises(TooLargeUnpacked):
        regions_of(xlsx(sheets))
