"""Text set in columns is read down each column, and the columns from the right."""

from __future__ import annotations

import pymupdf
import pytest

from documents.page.build_page import compose_page, draft_regions
from documents.pdf.pdf_file import PdfFile
from documents.render_limits import RenderLimits
from documents.values import Source

COLUMNS = ("港の規則は毎年春に", "印刷され門に置かれる。", "船長は二日前に", "水先人を予約する。", "終")


def glyph_by_glyph(page, columns=COLUMNS, *, step=16.0, size=14.0):
    for k, column in enumerate(columns):
        for row, character in enumerate(column):
            page.insert_text((420 - 28 * k, 160 + step * row), character, fontname="japan", fontsize=size)


def glyphs_without_room(page):
    glyph_by_glyph(page, step=14.0)


def with_a_level_number(page):
    glyph_by_glyph(page, ("港の規則は", "毎年"), step=16.0)
    page.insert_text((391, 192), "25", fontsize=14)
    for row, character in enumerate("日までに印刷される"):
        page.insert_text((392, 208 + 16 * row), character, fontname="japan", fontsize=14)


def set_by_the_font(page):
    page.insert_text((72, 80), "港", fontname="japan", fontsize=8)
    document, font = page.parent, page.get_fonts()[0][0]
    vertical = document.get_new_xref()
    document.update_object(vertical, document.xref_object(font).replace("UTF16-H", "UTF16-V"))
    resources = int(document.xref_get_key(page.xref, "Resources")[1].split()[0])
    document.xref_set_key(resources, "Font/Down", f"{vertical} 0 R")
    drawn = [
        f"BT /Down 14 Tf 1 0 0 1 {420 - 28 * k} 682 Tm <{column.encode('utf-16-be').hex()}> Tj ET"
        for k, column in enumerate(COLUMNS)
    ]
    document.update_stream(page.get_contents()[0], "\n".join(drawn).encode())


def inspection_of(draw, tmp_path):
    document = pymupdf.open()
    draw(document.new_page())
    document.save(tmp_path / "a.pdf")
    return PdfFile(Source(path=str(tmp_path / "a.pdf"), media_type="application/pdf"), RenderLimits()).inspect(1)


def text_of(inspection):
    page = compose_page(inspection, draft_regions(inspection, []), {}, {})
    assert not any(region.kind == "table" for region in page.regions)
    return "".join("".join(region.text for region in page.regions).split())


@pytest.mark.parametrize("draw", [glyph_by_glyph, glyphs_without_room, set_by_the_font])
def test_columns_are_read_downward_and_from_the_right(draw, tmp_path):
    """Columns of single characters were a table, read across, with the ends of the longer ones torn off."""
    inspection = inspection_of(draw, tmp_path)
    assert [line.text for line in inspection.lines] == list(COLUMNS)
    assert {line.angle for line in inspection.lines} == {90}
    assert text_of(inspection) == "".join(COLUMNS)


def test_a_number_set_level_in_a_column_stays_in_its_place(tmp_path):
    assert text_of(inspection_of(with_a_level_number, tmp_path)) == "港の規則は毎年25日までに印刷される"


def test_level_lines_beside_columns_stay_level(tmp_path):
    def draw(page):
        page.insert_text((72, 80), "港湾規則", fontname="japan", fontsize=24)
        glyph_by_glyph(page)
        page.insert_text((72, 500), "問い合わせは港湾局まで。", fontname="japan", fontsize=11)

    lines = inspection_of(draw, tmp_path).lines
    assert [(line.text, line.angle) for line in lines] == [
        ("港湾規則", 0),
        *((column, 90) for column in COLUMNS),
        ("問い合わせは港湾局まで。", 0),
    ]


def table_by_rows(page):
    for row in range(6):
        for column, character in enumerate("月火水木金"):
            page.insert_text((100 + 20 * column, 160 + 16 * row), character, fontname="japan", fontsize=11)


def spaced_heading(page):
    for k, character in enumerate("会議録要旨"):
        page.insert_text((100 + 30 * k, 160), character, fontname="japan", fontsize=18)


def sideways_letters(page):
    for k in range(5):
        page.insert_text((100, 160 + 50 * k), "Depth", fontsize=11, rotate=270)


@pytest.mark.parametrize("draw", [table_by_rows, spaced_heading])
def test_characters_set_in_rows_stay_level(draw, tmp_path):
    assert {line.angle for line in inspection_of(draw, tmp_path).lines} == {0}


def test_sideways_words_are_not_joined(tmp_path):
    assert [line.text for line in inspection_of(sideways_letters, tmp_path).lines] == ["Depth"] * 5
