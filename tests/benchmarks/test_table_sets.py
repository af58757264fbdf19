"""Truths of tables come out of lists of rows as a person sees them."""

from __future__ import annotations

from pathlib import Path

import pymupdf

from benchmarks.table_sets import listed_table
from benchmarks.truths.tables import ListedTable


def listed(tmp_path: Path, lines: str, **more) -> str:
    (tmp_path / "rows.csv").write_text(lines, encoding="utf-8")
    return listed_table(tmp_path, tmp_path / "none.pdf", ListedTable(source="rows.csv", **more))


def test_lines_of_a_header_are_one_row_and_a_span_holds_what_it_covers(tmp_path: Path):
    rows = "Title,,\n,Catch,\n,in,\nPort,2009,2010\nHull,<s>6</s>,7\n"
    assert listed(tmp_path, rows, rows=(1, 0), merged=((0, 2),), spans=((0, 0, 2, 1), (0, 1, 1, 2))) == (
        "<table>\n"
        '<tr><td rowspan="2">Port</td><td colspan="2">Catch in</td></tr>\n'
        "<tr><td>2009</td><td>2010</td></tr>\n"
        "<tr><td>Hull</td><td>6</td><td>7</td></tr>\n"
        "</table>"
    )


def test_equal_cells_below_one_another_are_one(tmp_path: Path):
    truth = listed(tmp_path, "Plan,Port\nGMC,Hull\nGMC,Brest\n,\n", rows=(0, -1), repeats=True)
    assert truth.splitlines()[2:4] == [
        '<tr><td rowspan="2">GMC</td><td>Hull</td></tr>',
        "<tr><td>Brest</td></tr>",
    ]


def test_words_of_a_page_stand_between_the_edges_that_a_person_read_off(tmp_path: Path):
    with pymupdf.open() as document:
        page = document.new_page()
        for k, texts in enumerate((("Hull", "60"), ("Brest", "40"))):
            for x, text in zip((100, 200), texts, strict=True):
                page.insert_text((x, 100 + 20 * k), text)
        page.insert_text((100, 400), "below")
        document.save(tmp_path / "page.pdf")
    table = ListedTable(area=(90, 80, 300, 130), edges=(90, 150, 300))
    truth = listed_table(tmp_path, tmp_path / "page.pdf", table)
    assert truth.splitlines()[1:-1] == [
        "<tr><td>Hull</td><td>60</td></tr>",
        "<tr><td>Brest</td><td>40</td></tr>",
    ]


def test_rows_between_levels_hold_all_their_lines_and_spans_read_on_by_line(tmp_path: Path):
    """Guards against a name of two lines over two columns that is read column by column."""
    with pymupdf.open() as document:
        page = document.new_page()
        for x, y, text in ((100, 100, "Catch in"), (160, 100, "all the"), (100, 110, "years"), (160, 110, "of fog")):
            page.insert_text((x, y), text)
        for x, text in ((100, "Hull"), (160, "60")):
            page.insert_text((x, 150), text)
        document.save(tmp_path / "page.pdf")
    table = ListedTable(edges=(90, 150, 300), levels=(80, 130, 160), spans=((0, 0, 1, 2),))
    assert listed_table(tmp_path, tmp_path / "page.pdf", table).splitlines()[1:-1] == [
        '<tr><td colspan="2">Catch in all the years of fog</td></tr>',
        "<tr><td>Hull</td><td>60</td></tr>",
    ]


def test_sideways_words_are_read_from_the_bottom(tmp_path: Path):
    with pymupdf.open() as document:
        document.new_page().insert_text((110, 300), "Names of boats", rotate=90)
        document.save(tmp_path / "page.pdf")
    truth = listed_table(tmp_path, tmp_path / "page.pdf", ListedTable(edges=(90, 150), levels=(200, 310)))
    assert "<td>Names of boats</td>" in truth
