"""A sentence with covered words stays one line, with a mark where something is missing; other bars say nothing."""

from __future__ import annotations

import pymupdf
import pytest

from documents.boxes import BoundingBox
from documents.inspection import REDACTED_TEXT
from documents.page.build_page import compose_page, draft_regions
from documents.pdf.pdf_file import PdfFile
from documents.render_limits import RenderLimits
from documents.values import Detection, Source

SENTENCE = "The caller gave the name Ruben Vasquez and the number 555-0142 to the clerk."
EXPECTED = f"The caller gave the name {REDACTED_TEXT} and the number {REDACTED_TEXT} to the clerk."


def boxes(page, *texts):
    return [rect for text in texts for rect in page.search_for(text)]


def filled(page, rects):
    for rect in rects:
        page.draw_rect(rect, color=None, fill=(0, 0, 0))


def thick_lines(page, rects):
    for rect in rects:
        middle = (rect.y0 + rect.y1) / 2
        page.draw_line((rect.x0, middle), (rect.x1, middle), width=rect.height, color=(0.1, 0.1, 0.1))


def annotated(page, rects):
    for rect in rects:
        annotation = page.add_rect_annot(rect)
        annotation.set_colors(stroke=(0, 0, 0), fill=(0, 0, 0))
        annotation.update()


def removed(page, rects):
    for rect in rects:
        page.add_redact_annot(rect, fill=(0, 0, 0))
    page.apply_redactions()


def inspection_of(draw, tmp_path):
    document = pymupdf.open()
    draw(document.new_page())
    document.save(tmp_path / "a.pdf")
    return PdfFile(Source(path=str(tmp_path / "a.pdf"), media_type="application/pdf"), RenderLimits()).inspect(1)


def read(draw, tmp_path):
    return [line.text for line in inspection_of(draw, tmp_path).lines if line.hidden is None]


@pytest.mark.parametrize("cover", [filled, thick_lines, annotated, removed])
def test_a_sentence_with_covered_words_stays_one_line(cover, tmp_path):
    """Its parts were a heading, a table and paragraphs in another order."""

    def draw(page):
        page.insert_text((72, 300), SENTENCE, fontsize=11)
        cover(page, boxes(page, "Ruben Vasquez", "555-0142"))

    assert read(draw, tmp_path) == [EXPECTED]


@pytest.mark.parametrize("cover", [filled, removed])
def test_a_covered_end_of_a_line_is_marked(cover, tmp_path):
    def draw(page):
        page.insert_text((72, 300), SENTENCE, fontsize=11)
        page.insert_text((72, 315), "It is kept by Otto Brandt", fontsize=11)
        cover(page, boxes(page, "Ruben Vasquez", "555-0142", "Otto Brandt"))

    assert read(draw, tmp_path) == [EXPECTED, f"It is kept by {REDACTED_TEXT}"]


def test_a_line_that_is_covered_whole_is_a_mark(tmp_path):
    def draw(page):
        for k, text in enumerate(("The caller gave", "the name Ruben Vasquez", "to the clerk.")):
            page.insert_text((72, 300 + 15 * k), text, fontsize=11)
        filled(page, boxes(page, "the name Ruben Vasquez"))

    assert sorted(read(draw, tmp_path)) == sorted(["The caller gave", "to the clerk.", REDACTED_TEXT])


@pytest.mark.parametrize("kind", ["table", "figure"])
def test_bars_in_a_sentence_are_no_table_or_figure(kind, tmp_path):
    """The layout network takes black boxes for one."""

    def draw(page):
        for k in range(3):
            page.insert_text((72, 300 + 15 * k), SENTENCE, fontsize=11)
        filled(page, boxes(page, "Ruben Vasquez", "555-0142"))

    inspection = inspection_of(draw, tmp_path)
    detection = Detection(kind=kind, box=BoundingBox(x0=150, y0=288, x1=440, y1=335), score=0.3)
    page = compose_page(inspection, draft_regions(inspection, [detection]), {}, {})
    assert {region.kind for region in page.regions} == {"plain text"}
    assert " ".join(region.text for region in page.regions) == " ".join([EXPECTED] * 3)


def chart(page):
    for k, label in enumerate(("North", "South")):
        page.insert_text((72, 300 + 30 * k), label, fontsize=10)
        page.draw_rect((120, 291 + 30 * k, 220 + 40 * k, 303 + 30 * k), color=None, fill=(0, 0, 0))
        page.insert_text((240 + 40 * k, 300 + 30 * k), str(40 + k), fontsize=10)


def white_on_black(page):
    page.draw_rect((70, 288, 200, 304), color=None, fill=(0, 0, 0))
    page.insert_text((72, 300), "North South 40 41", fontsize=10, color=(1, 1, 1))


def ornament(page):
    page.draw_rect((40, 290, 68, 302), color=None, fill=(0, 0, 0))
    page.insert_text((72, 300), "North South 40 41", fontsize=11)


@pytest.mark.parametrize("draw", [chart, white_on_black, ornament])
def test_bars_that_cover_nothing_are_no_marks(draw, tmp_path):
    assert sorted(" ".join(read(draw, tmp_path)).split()) == ["40", "41", "North", "South"]
