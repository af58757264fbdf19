"""Twice as much on a page is about twice the work of a rule: counted in instructions, whatever the machine."""

from __future__ import annotations

from dataclasses import replace

from block_making import blocks_of
from page_making import box, detection_of, inspection, line, printed
from work import steps_of

from documents.draft.page_draft import PageDraft
from documents.draft.text_source import Layer
from documents.figures.drawn_figures import DrawnFigures, drawn_figures
from documents.inspection import Drawing, Grid
from documents.page.rules import RULES
from documents.regions.block_parts import BlockLimits, take_blocks
from documents.regions.region_parts import begin_parts


def work_of_blocks(num):
    """Of columns of lines, a block each, beneath tables and found texts that hold none of them."""
    lines = [line("a word", x=40 * (k % 12), y=12 * (k // 12), width=30) for k in range(num)]
    page_inspection = inspection(*lines)
    detections = [detection_of(kind, 700, 12 * k, 720, 12 * k + 10) for k in range(12) for kind in ("table", "title")]
    page = begin_parts(PageDraft(inspection=page_inspection, layer=Layer(page_inspection), kept=tuple(detections)))
    page = replace(page, blocks=blocks_of(page_inspection))
    return steps_of(lambda: take_blocks(page, BlockLimits()))


def test_blocks_are_made_regions_without_comparing_each_with_all():
    assert work_of_blocks(1600) < 2.5 * work_of_blocks(800)


def gridded(num):
    """A page of as many small grids, each with words of its own."""
    grids, lines = [], []
    for k in range(num):
        x, y = 120 * (k % 5), 50 * (k // 5)
        cells = tuple(box(x + 50 * c, y + 20 * r, x + 50 * c + 50, y + 20 * r + 20) for r in (0, 1) for c in (0, 1))
        grids.append(Grid(box=box(x, y, x + 100, y + 40), cells=cells))
        lines += [printed(text, cell.x0 + 3, cell.y0 + 4) for text, cell in zip("abcd", cells, strict=True)]
    return inspection(*lines).model_copy(update={"grids": tuple(grids)}), []


def test_tables_are_found_without_comparing_each_with_all():
    """Guards against many small grids, each compared with every word."""

    def work(num):
        page_inspection, detections = gridded(num)
        page = PageDraft(inspection=page_inspection, layer=Layer(page_inspection), kept=tuple(detections))
        (step,) = (rule for rule in RULES["detections"] if rule.name == "find_tables")
        assert step.apply(page).kept != page.kept
        return steps_of(lambda: step.apply(page))

    assert work(400) < 2.5 * work(200)


def charted(num_drawings, num_lines):
    """Drawings side by side, and as many numbers on the page, none of which is far from all of them."""
    places = [(60 * (k % 10), 40 * (k // 10)) for k in range(num_drawings)]
    drawings = tuple(Drawing(box=box(x, y, x + 50, y + 41), num_slanted=0, slanted_share=0.0) for x, y in places)
    lines = [printed("12", 6 * (k % 100), 8 * (k // 100), 4) for k in range(num_lines)]
    return inspection(*lines).model_copy(update={"drawings": drawings}), []


def beside_a_drawing(num):
    """A drawing with as many numbers at its side, all of which may be of one axis."""
    lines = [printed(str(k % 97), 452 + k % 7, 100 + 300 * k / num) for k in range(num)]
    drawing = Drawing(box=box(200, 100, 450, 400), num_slanted=3, slanted_share=0.6)
    detected = detection_of("figure", 200, 100, 450, 400)
    return inspection(*lines).model_copy(update={"drawings": (drawing,)}), [detected]


def work_of_figures(page_inspection, detections):
    layer = Layer(page_inspection)
    page = PageDraft(inspection=page_inspection, layer=layer, detections=tuple(detections), kept=tuple(detections))
    return steps_of(lambda: drawn_figures(page, DrawnFigures()))


def test_drawings_are_not_compared_with_every_line_of_the_page():
    """Guards against a page of 200 drawings and 20,000 numbers, which took 20 seconds."""
    assert work_of_figures(*charted(160, 2000)) < 3 * work_of_figures(*charted(20, 2000))


def test_numbers_beside_a_drawing_are_not_compared_with_one_another():
    """Guards against thousands of numbers in one row, each of which counted all the others."""
    assert work_of_figures(*beside_a_drawing(800)) < 2.5 * work_of_figures(*beside_a_drawing(400))


def test_fonts_are_judged_without_reading_a_line_for_each_of_them():
    """Guards against a line of a thousand fonts, whose text was counted a thousand times."""

    def work(num):
        signs = "The harbour master signs the ledger. " * num
        page_inspection = inspection(
            line(signs, width=500).model_copy(update={"fonts": tuple(f"F{k}" for k in range(num))})
        )
        return steps_of(lambda: Layer(page_inspection))

    assert work(400) < 2.5 * work(200)
