"""Files of separated values are one table, whatever separates them."""

from __future__ import annotations

import pytest

from tests.documents.office.drawn import parsed, regions_of


def test_separated_values_are_one_table_whatever_parts_them():
    for separator in (",", ";", "\t"):
        content = f'name{separator}"a{separator}b"\n1{separator}2\n'.encode()
        (region,) = regions_of(content, "a.csv")
        assert [cell.text for cell in region.table.cells] == ["name", f"a{separator}b".replace("\t", " "), "1", "2"]
        assert region.place.cell(1, 1).range == "B2"


def test_columns_beyond_the_bound_are_reported() -> None:
    """Guards against cells that are lost without a word."""
    document = parsed((",".join(str(k) for k in range(2100)) + "\n").encode(), "a.csv")
    assert [warning.code for warning in document.warnings] == ["cut_short"]
    assert "100 cells" in document.warnings[0].message


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        ("Brot;1,50", ["Brot|1,50"]),
        ("Brot;1,50\nMilch;0,99\n", ["Brot|1,50", "Milch|0,99"]),
        ("Menge, kg;Preis, EUR\n10;1,50\n", ["Menge, kg|Preis, EUR", "10|1,50"]),
        ("1,5;2,5;3,5\n4,5;5,5;6,5\n", ["1,5|2,5|3,5", "4,5|5,5|6,5"]),
        ("1.234,50 €;12.3.2024;Müller, Anna\n", ["1.234,50 €|12.3.2024|Müller, Anna"]),
        ("Smith, John\t12\nDoe, Jane\t7\n", ["Smith, John|12", "Doe, Jane|7"]),
        ("a, b|1,5\nc, d|2,5\n", ["a, b|1,5", "c, d|2,5"]),
        ("name,price,note\nrope,1.50,red; long\nanchor,12.00,iron; heavy\n", None),
        (
            'name,text\nrope,"long; red, 10 m; new"\nanchor,"a; b; c"\n',
            ["name|text", "rope|long; red, 10 m; new", "anchor|a; b; c"],
        ),
        ('id;text\n1;"two\nlines, and, commas"\n2;x\n', ["id|text", "1|two\nlines, and, commas", "2|x"]),
        ("1, 2, 3\n4, 5, 6\n", ["1|2|3", "4|5|6"]),
        ("52.1,13.4;Berlin\n48.1,11.6;Munich\n", ["52.1,13.4|Berlin", "48.1,11.6|Munich"]),
    ],
)
def test_the_separator_is_the_one_that_leaves_whole_cells(content: str, rows: list[str] | None) -> None:
    """Guards against German files that are cut at their decimal commas: ties went to the first separator."""
    rows = rows or ["name|price|note", "rope|1.50|red; long", "anchor|12.00|iron; heavy"]
    (region,) = regions_of(content.encode(), "a.csv")
    cells: dict[int, list[str]] = {}
    for cell in region.table.cells:
        cells.setdefault(cell.row, []).append(cell.text)
    assert ["|".join(row) for row in cells.values()] == rows


def test_the_separator_that_a_csv_names_is_taken_and_not_shown() -> None:
    """Guards against a table whose header says `sep=;`, a line for spreadsheet programs alone."""
    (region,) = parsed(b"sep=;\r\na;b,c\r\n1;2,5\r\n", "a.csv").pages[0].regions
    assert region.text == "a\tb,c\n1\t2,5"
