"""Numbers of a sheet are what a person sees in its cells: the expectations are written by hand, as Excel shows them."""

from __future__ import annotations

import openpyxl
import pytest

from tests.documents.office.drawn import parsed, regions_of, saved

SHOWN = [
    (1234.5, "$#,##0.00", "$1,234.50"),
    (-1234.5, "$#,##0.00", "-$1,234.50"),
    (-1234.5, '"$"#,##0.00_);[Red]\\("$"#,##0.00\\)', "($1,234.50)"),
    (1234.5, "#,##0.00 [$€-407]", "1,234.50 €"),
    (1234.5, "[$£-809]#,##0", "£1,235"),
    (2134, "00000", "02134"),
    (2125551234, "(000) 000-0000", "(212) 555-1234"),
    (70, '0" kg"', "70 kg"),
    (70, 'General" kg"', "70 kg"),
    (0.256, "0%", "26%"),
    (0.256, "0.00%", "25.60%"),
    (2.675, "0.00", "2.68"),
    (5, "0.00", "5.00"),
    (0.5, "#.##", ".5"),
    (1234567, "#,##0", "1,234,567"),
    (12, "#,##0", "12"),
    (1234567, '#,##0,"k"', "1,235k"),
    (12_300_000, '0.0,,"M"', "12.3M"),
    (12345, "0.00E+00", "1.23E+04"),
    (0.1 + 0.2, "General", "0.3"),
    (1e21, "0", "1e+21"),
    (-3, "0;-0;0", "-3"),
    (0, '0;-0;"none"', "none"),
    (7, '"a;b "0', "a;b 7"),
    (1.5, "# ?/?", "1.5"),
    (150, "[>100]0.0;0.00", "150"),
]


def cell_of(value: object, number_format: str) -> str:
    book = openpyxl.Workbook()
    book.active.append(["head", "beside"])
    book.active.append([value, "x"])
    book.active["A2"].number_format = number_format
    table = next(region.table for region in regions_of(saved(book)) if getattr(region, "table", None) is not None)
    return next((cell.text for cell in table.cells if (cell.row, cell.column) == (1, 0)), "")


@pytest.mark.parametrize(("value", "number_format", "shown"), SHOWN)
def test_a_number_is_read_as_its_cell_shows_it(value: float, number_format: str, shown: str) -> None:
    """Guards against `1234.5` for `$1,234.50`, `2134` for a postcode, `70` for `70 kg`: citations show another text."""
    assert cell_of(value, number_format) == shown


@pytest.mark.parametrize("number_format", [";;;", "0;;;@", ';;"zero";'])
def test_a_value_that_its_format_hides_is_left_out_and_reported(number_format: str) -> None:
    book = openpyxl.Workbook()
    for row in (["item", "price"], ["rope", -55], ["anchor", 60]):
        book.active.append(row)
    book.active["B2"].number_format = number_format
    document = parsed(saved(book))
    text = " ".join(region.text for page in document.pages for region in page.regions)
    assert "55" not in text
    assert "60" in text
    assert [warning.code for warning in document.warnings] == ["hidden_text"]


def test_a_text_that_its_format_hides_is_left_out_and_other_texts_stay() -> None:
    book = openpyxl.Workbook()
    for row in (["item", "note"], ["rope", "floor price 55"], ["anchor", "shown"]):
        book.active.append(row)
    book.active["B2"].number_format = ";;;"
    book.active["B3"].number_format = "0.00;;"
    document = parsed(saved(book))
    text = " ".join(region.text for page in document.pages for region in page.regions)
    assert "floor price" not in text
    assert "shown" in text
