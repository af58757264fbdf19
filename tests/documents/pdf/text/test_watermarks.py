"""A watermark is furniture: no heading, no part of a paragraph, no figure; and no word behind or over it is lost."""

from __future__ import annotations

import pymupdf
import pytest

from documents.boxes import BoundingBox
from documents.page.build_page import compose_page, draft_regions
from documents.pdf.pdf_file import PdfFile
from documents.render_limits import RenderLimits
from documents.values import Detection, Source

TEXT = "The harbour authority publishes its tariff every spring and keeps it at the gate."


def body(page):
    for k in range(25):
        page.insert_text((72, 112 + 20 * k), TEXT, fontsize=11)


def aslant(page, text, degrees, *, size=60.0, colour=(0.85, 0.85, 0.85), at=(160, 560)):
    turn = pymupdf.Matrix(1, 0, 0, 1, 0, 0).prerotate(degrees)
    page.insert_text(at, text, fontsize=size, color=colour, morph=(pymupdf.Point(at), turn))


def behind_at_45(page):
    aslant(page, "DRAFT", 45)
    body(page)


def over_at_30(page):
    body(page)
    aslant(page, "DRAFT", 30, colour=(1, 0.6, 0.6))


def steep(page):
    aslant(page, "DRAFT", 60, size=100)
    body(page)


def level(page):
    page.insert_text((100, 420), "DRAFT", fontsize=110, color=(0.88, 0.88, 0.88))
    body(page)


def level_and_transparent(page):
    page.insert_text((100, 420), "DRAFT", fontsize=110, fill_opacity=0.15)
    body(page)


def below_the_text(page):
    page.insert_text((100, 740), "DRAFT", fontsize=90, color=(0.88, 0.88, 0.88))
    body(page)


def tiled(page):
    body(page)
    for x in (60, 260, 460):
        for y in (200, 400, 600):
            aslant(page, "DRAFT", 35, size=18, at=(x, y))


def tiled_in_the_size_of_the_text(page):
    body(page)
    for x in (60, 260, 460):
        for y in (200, 400, 720):
            aslant(page, "DRAFT", 45, size=12, colour=(0.75, 0.75, 0.75), at=(x, y))


def read(draw, tmp_path):
    document = pymupdf.open()
    draw(document.new_page())
    document.save(tmp_path / "a.pdf")
    file = PdfFile(Source(path=str(tmp_path / "a.pdf"), media_type="application/pdf"), RenderLimits())
    return file.inspect(1)


WATERMARKS = [
    behind_at_45,
    over_at_30,
    steep,
    level,
    level_and_transparent,
    below_the_text,
    tiled,
    tiled_in_the_size_of_the_text,
]


@pytest.mark.parametrize("draw", WATERMARKS)
def test_a_watermark_is_furniture_and_takes_no_word_with_it(draw, tmp_path):
    """CONFIDENTIAL across a page was its top heading; words that a level one crossed were taken for hidden."""
    inspection = read(draw, tmp_path)
    assert {line.text for line in inspection.watermarks} == {"DRAFT"}
    assert [line.text for line in inspection.lines] == [TEXT] * 25
    assert not any(line.hidden for line in inspection.lines)
    page = compose_page(inspection, draft_regions(inspection, []), {}, {})
    assert {region.kind for region in page.regions if "DRAFT" in region.text} == {"abandon"}
    assert " ".join(region.text for region in page.regions if region.kind != "abandon").count("authority") == 25


def test_a_figure_of_nothing_but_a_watermark_is_none(tmp_path):
    def draw(page):
        aslant(page, "DRAFT", 45)
        page.insert_text((72, 112), TEXT, fontsize=11)

    inspection = read(draw, tmp_path)
    figure = Detection(kind="figure", box=BoundingBox(x0=170, y0=430, x1=290, y1=550), score=0.6)
    page = compose_page(inspection, draft_regions(inspection, [figure]), {}, {})
    assert "figure" not in {region.kind for region in page.regions}


def light_heading(page):
    page.insert_text((72, 60), "Annual report", fontsize=36, color=(0.7, 0.7, 0.7))


def white_on_a_banner(page):
    page.draw_rect((60, 20, 500, 80), color=None, fill=(0.1, 0.2, 0.6))
    page.insert_text((72, 60), "Annual report", fontsize=36, color=(1, 1, 1))


def skewed_heading(page):
    aslant(page, "Annual report", 3, size=30, colour=(0, 0, 0), at=(72, 70))


def sideways_stamp(page):
    page.insert_text((40, 500), "Annual report", fontsize=18, rotate=90)


def slanted_names_of_columns(page):
    aslant(page, "Annual report", 45, size=10, colour=(0, 0, 0), at=(72, 90))


def slanted_white_names_on_a_banner(page):
    page.draw_rect((40, 0, 300, 100), color=None, fill=(0.1, 0.2, 0.6))
    aslant(page, "Annual report", 45, size=10, colour=(1, 1, 1), at=(72, 90))


@pytest.mark.parametrize(
    "draw",
    [
        light_heading,
        white_on_a_banner,
        skewed_heading,
        sideways_stamp,
        slanted_names_of_columns,
        slanted_white_names_on_a_banner,
    ],
)
def test_pale_skewed_sideways_and_small_slanted_lines_are_text(draw, tmp_path):
    def page_with(page):
        draw(page)
        body(page)

    inspection = read(page_with, tmp_path)
    assert not inspection.watermarks
    assert "Annual report" in {line.text for line in inspection.lines}
