"""Twice as much on a page is about twice the work of a rule: counted in instructions, whatever the machine."""

from __future__ import annotations

import pytest
from page_making import box, detection_of, inspection, line, printed
from work import steps_of

from documents.inspection import Grid, Ruling
from documents.structure.page_draft import PageDraft
from documents.structure.rules import RULES
from documents.structure.split_by_columns import merge_interleaved
from documents.structure.text_source import Layer


def texts(num):
    """Regions of a line each, side by side and below each other, and one small one in each fourth of them."""
    places = [(40 * (k % 40), 12 * (k // 40)) for k in range(num)]
    large = [(detection_of("plain text", x, y, x + 30, y + 10), [line("word", x=x, y=y, width=30)]) for x, y in places]
    small = [(detection_of("title", x, y, x + 9, y + 5), [line("in", x=x, y=y, size=5)]) for x, y in places[::4]]
    return [*large, *small]


@pytest.mark.parametrize("shape", ["lattice", "row", "column"])
def test_texts_are_made_one_without_comparing_each_with_all(shape):
    """Guards against n regions of which each is compared with each, and its box worked out again every time."""

    def work(num):
        regions = texts(num)
        if shape == "row":
            regions = [
                (d, [one.model_copy(update={"box": one.box.shifted(1600 * (k // 40), 0)}) for one in lines])
                for k, (d, lines) in enumerate(regions)
            ]
        elif shape == "column":
            regions = [(d, [line("word", x=0, y=12 * k, width=30)]) for k, (d, _) in enumerate(regions)]
        return steps_of(lambda: merge_interleaved(regions))

    assert work(480) < 2.5 * work(240)


def gridded(num):
    """A page of as many small grids, each with words of its own."""
    grids, lines = [], []
    for k in range(num):
        x, y = 120 * (k % 5), 50 * (k // 5)
        cells = tuple(box(x + 50 * c, y + 20 * r, x + 50 * c + 50, y + 20 * r + 20) for r in (0, 1) for c in (0, 1))
        grids.append(Grid(box=box(x, y, x + 100, y + 40), cells=cells))
        lines += [printed(text, cell.x0 + 3, cell.y0 + 4) for text, cell in zip("abcd", cells, strict=True)]
    return inspection(*lines).model_copy(update={"grids": tuple(grids)}), []


def ruled(num):
    """A table that grows over as many rules, which the file draws from the bottom up, past a text that stands apart."""
    rules = tuple(Ruling(box=box(50, 20 * k, 300, 20 * k + 0.5)) for k in reversed(range(num)))
    words = [printed("a b", 60, 4), printed("c d", 60, 24)]
    detections = [detection_of("table", 50, 0, 300, 40), detection_of("plain text", 400, 0, 500, 20 * num)]
    return inspection(*words).model_copy(update={"rules": rules}), detections


@pytest.mark.parametrize(("rule", "page_of"), [("ruled_tables", gridded), ("long_tables", ruled)])
def test_tables_are_found_without_comparing_each_with_all(rule, page_of):
    """Guards against many small grids, each compared with every word, and rulings that are tried again and again."""

    def work(num):
        page_inspection, detections = page_of(num)
        page = PageDraft(inspection=page_inspection, layer=Layer(page_inspection), detections=tuple(detections))
        (step,) = (rule_step for rule_step in RULES["detections"] if rule_step.name == rule)
        assert step.apply(page).detections != page.detections
        return steps_of(lambda: step.apply(page))

    assert work(400) < 2.5 * work(200)


def test_fonts_are_judged_without_reading_a_line_for_each_of_them():
    """Guards against a line of a thousand fonts, whose text was counted a thousand times."""

    def work(num):
        signs = "The harbour master signs the ledger. " * num
        page_inspection = inspection(
            line(signs, width=500).model_copy(update={"fonts": tuple(f"F{k}" for k in range(num))})
        )
        return steps_of(lambda: Layer(page_inspection))

    assert work(400) < 2.5 * work(200)
