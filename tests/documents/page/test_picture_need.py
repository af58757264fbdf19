"""Real pages and changes to one of them: the layout network looks where its picture shows more than text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pymupdf
import pytest
from page_making import box, inspection, line

from documents.draft.text_source import Layer
from documents.layout.structure.structure_reader import StructureReader
from documents.page.picture_need import PictureEvidence, needs_look, picture_evidence
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


def pale_picture(page):
    """Its contrast is too low for ink."""
    pale = np.random.default_rng(1).integers(225, 250, (60, 80, 3), np.uint8)
    page.insert_image(FREE, pixmap=pymupdf.Pixmap(pymupdf.csRGB, 80, 60, pale.tobytes(), False))


def pale_oval_around_words(page):
    page.draw_oval(FREE, color=None, fill=(0.95, 0.95, 0.9))
    page.insert_text((FREE.x0 + 100, FREE.y0 + 50), "Step 1: open the lock", fontsize=11)


def empty_frame(page):
    page.draw_rect(FREE)


def rules_and_frame(page):
    page.draw_line((72, 20), (540, 20))
    page.insert_textbox(FREE, "All of this stands in a frame with two rules above. " * 4, fontsize=11)
    page.draw_rect(FREE, width=0.7)
    page.draw_line((FREE.x0, FREE.y0 - 6), (FREE.x1, FREE.y0 - 6))


@pytest.mark.parametrize("name", ["book_chapter", "form_signatures", "newspaper_greek", "report_thresholds"])
def test_a_page_of_text_rules_and_ruled_tables_is_not_looked_at(looked_at, name):
    """Guards against running the network on each page: most show in their picture only what their file says."""
    assert not looked_at(PAGES / f"{name}.pdf")[0]


@pytest.mark.parametrize("name", ["report_figure", "slide_beamer", "invoice_german"])
def test_a_page_with_a_picture_is_looked_at(looked_at, name):
    """Guards against figures that nobody looks for."""
    assert looked_at(PAGES / f"{name}.pdf")[0]


@pytest.mark.parametrize("draw", [photograph, pale_picture, pale_oval_around_words, empty_frame])
def test_a_page_of_text_is_looked_at_once_it_shows_something_else(looked_at, chapter_with, draw):
    """Guards against one kind of ink that the rule forgets: a figure may be drawn in any way."""
    assert not looked_at(CHAPTER)[0]
    assert looked_at(chapter_with(draw))[0]


def test_rules_and_a_frame_around_text_show_nothing_else(looked_at, chapter_with):
    """Guards against every page with a line under its head being looked at."""
    assert not looked_at(chapter_with(rules_and_frame))[0]


def test_ink_that_is_neither_text_nor_any_known_graphic_is_looked_at():
    """Guards against what a file draws in a way that nothing lists, as the signs of a font of pictures."""
    lines = [line("The harbour master keeps the log of all ships.", y=100 + 20 * k) for k in range(5)]
    for ink, may_show_figures in ((), False), ([box(300, 500, 308, 504)], False), ([box(300, 500, 330, 530)], True):
        page = inspection(*lines, ink=ink)
        assert picture_evidence(page, Layer(page)).may_show_figures is may_show_figures


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
