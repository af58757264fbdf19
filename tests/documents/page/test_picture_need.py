"""Real pages and changes to one of them: the layout network looks where its picture shows more than text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pymupdf
import pytest

from documents.layout.structure.structure_reader import StructureReader
from documents.page.picture_need import PictureEvidence, needs_look
from documents.segments.blocks import SegmentBlock
from documents.straighten.pose import Pose

ROOT = Path(__file__).parents[3]
PAGES = ROOT / "tests" / "pages"
CHAPTER = PAGES / "book_chapter.pdf"  # a heading and paragraphs
FREE = pymupdf.Rect(80, 50, 380, 150)  # of the chapter's page, where nothing is printed


@pytest.fixture(scope="module")
def reader():
    return StructureReader(ROOT / "checkpoints" / "structure-compact")


@pytest.fixture
def looked_at(with_pool, source, reader):
    """Whether the first page of a file is looked at, and what its file says of its picture."""

    def look(path):
        page = with_pool(lambda pool: pool.inspect(source(path), 1, text_source="auto"))
        return needs_look(page.picture, reader.blocks_of(page.features)), page

    return look


@pytest.fixture
def chapter_with(tmp_path):
    """The chapter's page with what `draw(page)` adds."""

    def make(draw):
        with pymupdf.open(CHAPTER) as pdf:
            draw(pdf[0])
            pdf.save(tmp_path / "changed.pdf")
        return tmp_path / "changed.pdf"

    return make


def photograph(page):
    grain = np.random.default_rng(1).integers(0, 255, (60, 80, 3), np.uint8)
    page.insert_image(FREE, pixmap=pymupdf.Pixmap(pymupdf.csRGB, 80, 60, grain.tobytes(), False))


def curve(page):
    page.draw_bezier(FREE.tl, FREE.tr, FREE.bl, FREE.br)


def empty_frame(page):
    page.draw_rect(FREE)


def shading(page):
    """Ink that is neither a picture nor a path of the file."""
    pdf = page.parent
    function = pdf.get_new_xref()
    pdf.update_object(function, "<< /FunctionType 2 /Domain [0 1] /C0 [0] /C1 [1] /N 0.2 >>")
    gradient = pdf.get_new_xref()
    coords = "[100 0 300 0]"
    pdf.update_object(
        gradient, f"<< /ShadingType 2 /ColorSpace /DeviceGray /Coords {coords} /Function {function} 0 R >>"
    )
    resources = int(pdf.xref_get_key(page.xref, "Resources")[1].split()[0])
    pdf.xref_set_key(resources, "Shading", f"<< /S9 {gradient} 0 R >>")
    content = pdf.get_new_xref()
    pdf.update_object(content, "<<>>")
    pdf.update_stream(content, b"q 100 650 200 80 re W n /S9 sh Q")
    contents = [*page.get_contents(), content]
    pdf.xref_set_key(page.xref, "Contents", f"[{' '.join(f'{xref} 0 R' for xref in contents)}]")


def rules_and_frame(page):
    page.draw_line((72, 20), (540, 20))
    page.insert_textbox(FREE, "All of this stands in a frame with two rules above. " * 4, fontsize=11)
    page.draw_rect(FREE, width=0.7)
    page.draw_line((FREE.x0, FREE.y0 - 6), (FREE.x1, FREE.y0 - 6))


@pytest.mark.parametrize("name", ["book_chapter", "form_signatures", "newspaper_greek", "report_thresholds"])
def test_a_page_of_text_rules_and_ruled_tables_is_not_looked_at(looked_at, name):
    """Guards against a network that is asked for each page: most have nothing that only a picture shows."""
    assert not looked_at(PAGES / f"{name}.pdf")[0]


@pytest.mark.parametrize("name", ["report_figure", "slide_beamer", "invoice_german"])
def test_a_page_with_a_picture_is_looked_at(looked_at, name):
    """Guards against figures that nobody looks for."""
    assert looked_at(PAGES / f"{name}.pdf")[0]


@pytest.mark.parametrize("draw", [photograph, curve, empty_frame, shading])
def test_a_page_of_text_is_looked_at_once_it_shows_something_else(looked_at, chapter_with, draw):
    """Guards against one kind of ink that the rule forgets: a figure may be drawn in any way."""
    assert not looked_at(CHAPTER)[0]
    assert looked_at(chapter_with(draw))[0]


def test_rules_and_a_frame_around_text_show_nothing_else(looked_at, chapter_with):
    """Guards against every page with a line under its head being looked at."""
    assert not looked_at(chapter_with(rules_and_frame))[0]


def test_cells_outside_of_ruled_tables_are_looked_at():
    """Guards against tables without rules that lose their box; what a closed grid holds is a table in any case."""
    evidence = PictureEvidence(may_show_figures=False, lines_in_grids=(0, 1))
    cells = [SegmentBlock(segments=(k,), role="table", score=0.9, cell=0.9) for k in range(3)]
    text = SegmentBlock(segments=(3,), role="text", score=0.9, cell=0.1)
    assert not needs_look(evidence, [*cells[:2], text])
    assert needs_look(evidence, [*cells, text])


def test_lines_of_a_ruled_table_are_known_to_stand_in_it(looked_at):
    """Guards against grids that are closed and still cost a look."""
    is_seen, page = looked_at(PAGES / "report_thresholds.pdf")
    lines = [line for line in page.inspection().lines if line.hidden is None]
    in_grid = {lines[k].text for k in page.picture.lines_in_grids}
    assert not is_seen
    assert 0 < len(in_grid) < len(lines)


def test_a_scan_and_a_straightened_page_are_looked_at(looked_at, with_pool, source, data):
    """Guards against scans whose regions nobody finds: of a page that OCR reads, the file says nothing."""
    assert looked_at(data / "scan.png")[0]
    page = with_pool(lambda pool: pool.inspect(source(CHAPTER), 1))
    pose = Pose.of_page(page.width, page.height)
    straight = with_pool(lambda pool: pool.inspect(source(CHAPTER), 1, pose=pose))
    assert straight.picture == PictureEvidence(may_show_figures=True)


def test_an_empty_page_is_not_looked_at(looked_at, pdf_of):
    assert not looked_at(Path(pdf_of().path))[0]
