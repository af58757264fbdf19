"""A scan's tables are found in the lines that OCR read, wherever its picture seemed to show some."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest
from page_making import box, detection_of, inspection, line

from documents.draft.page_draft import PageDraft
from documents.draft.rule import run_rules
from documents.draft.text_source import Layer
from documents.page.build_page import RuleRun, compose_page, draft_regions
from documents.page.rules import RULES
from documents.region_values import TableRegion
from documents.regions.read_blocks import read_segments
from documents.segments.blocks import SegmentBlock
from documents.values import Reading, ReadLine

ZOOM = 2  # pixels of a crop per point
ROWS = (("Boat", "Left", "Back"), ("Alma", "04:10", "11:40"), ("Dunlin", "05:15", "12:20"), ("Egret", "05:50", "13:05"))
CELLS = tuple((text, 60 + 150 * j, 200 + 20 * k) for k, row in enumerate(ROWS) for j, text in enumerate(row))
CELL_TEXTS = {text for text, _, _ in CELLS}
PROSE = (("The harbour was closed for the winter", 60, 120), ("and opened again in April.", 60, 134))
COLUMNS = tuple(("plain text", 55 + 150 * j, 195, 150 + 150 * j, 275) for j in range(3))
TEXT = ("plain text", 55, 115, 400, 150)


def place(text, x, y, crop):
    """The box of a line that stands at `x`, `y` of the page, in pixels of a crop; letters are half as wide as high."""
    return box(0, 0, 5 * len(text), 10).shifted(x - crop.x0, y - crop.y0).scaled(ZOOM, ZOOM)


def scan(regions, lines=(*PROSE, *CELLS), guesses=()):
    """The page, drafts, readings and sizes of a scan whose regions hold those of the lines that begin in them."""
    detections = [detection_of(*region) for region in regions]
    page = inspection(ink=[one.box for one in detections], images=[box(0, 0, 612, 792)])
    drafts = draft_regions(page, detections, text_source="ocr")
    readings, sizes = {}, {}
    for draft in drafts:
        crop = draft.crop_box
        read, unreadable = (
            tuple(
                ReadLine(text=text, box=place(text, x, y, crop), confidence=0.9)
                for text, x, y in several
                if draft.box.contains(x, y)
            )
            for several in (lines, guesses)
        )
        if read or unreadable:
            readings[draft.index] = Reading(
                text="\n".join(one.text for one in read),
                lines=read,
                unreadable=unreadable,
                confidence=0.9,
                reader="ocr",
            )
            sizes[draft.index] = round(ZOOM * crop.width), round(ZOOM * crop.height)
    return page, drafts, readings, sizes


def read(parts, cells=CELL_TEXTS, roles=("text",)):
    """The drafts before and after the rules of read blocks; each line is a block."""
    page_inspection, drafts, readings, sizes = parts
    page = PageDraft(
        inspection=page_inspection, layer=Layer(page_inspection), drafts=drafts, readings=readings, crop_sizes=sizes
    )
    before, failures = run_rules(RULES["readings"], page)
    after, more = run_rules(RULES["read_blocks"], replace(before, blocks=tuple(blocks(before, cells, roles))))
    assert not (*failures, *more), (failures, more)
    return before, after


def blocks(page, cells=CELL_TEXTS, roles=("text",)):
    for number, segment in enumerate(read_segments(page)):
        is_cell = segment.text in cells
        yield SegmentBlock(
            segments=(number,),
            role="table" if is_cell else roles[number % len(roles)],
            score=0.9,
            cell=0.95 if is_cell else 0.01,
            table=0 if is_cell else None,
        )


def composed(parts, run=None):
    before, _ = read(parts)
    return compose_page(*parts, blocks=tuple(blocks(before)), run=run)


def texts(drafts):
    return [[one.text for one in draft.lines] for draft in drafts]


def test_columns_that_the_picture_showed_as_text_are_a_table():
    """Guards against worn scans: the network of pictures saw three paragraphs side by side."""
    page = composed(scan([TEXT, *COLUMNS]))
    table = next(region for region in page.regions if isinstance(region, TableRegion))
    assert table.table is not None
    assert [[cell.text for cell in table.table.cells if cell.row == k] for k in range(len(ROWS))] == [*map(list, ROWS)]
    assert [region.kind for region in page.regions] == ["plain text", "table"]
    assert table.rules == ("read_tables",)
    assert (table.text_source, table.confidence, table.reader) == ("ocr", 0.9, "ocr")


@pytest.mark.parametrize("regions", [[TEXT, *COLUMNS], [("plain text", 50, 110, 560, 280)]])
def test_read_lines_of_a_table_stand_where_they_stood(regions):
    """Guards against lines of several crops that are placed by the crop of one of them."""
    page = composed(scan(regions))
    assert any(region.kind == "table" for region in page.regions)
    assert_lines_stand(page)


def assert_lines_stand(page):
    corners = {span.text: (span.box.x0, span.box.y0) for region in page.regions for span in region.spans}
    for text, x, y in (*PROSE, *CELLS):
        assert corners[text] == pytest.approx((x, y), abs=0.5)


def test_what_the_picture_showed_as_a_table_is_text_where_its_lines_are_no_cells():
    """Guards against paragraphs in cells."""
    lines = (("The harbour was closed for the winter", 60, 120), ("It opened again in April.", 60, 134))
    _, after = read(scan([("table", 55, 115, 400, 150)], lines))
    assert [(draft.kind, draft.role, draft.rules) for draft in after.drafts] == [
        ("plain text", "text", ("read_tables",))
    ]


def test_a_region_that_holds_more_than_a_table_keeps_the_rest():
    _, after = read(scan([("plain text", 50, 110, 560, 280)]))
    assert [(draft.kind, len(draft.lines)) for draft in after.drafts] == [("plain text", 2), ("table", 12)]
    assert [draft.order for draft in after.drafts] == [0, 2]
    assert after.readings[0].text == "\n".join(text for text, _, _ in PROSE)


def test_a_table_that_picture_and_lines_show_is_the_same_draft():
    """Guards against clean scans that are made again: what they were is right."""
    before, after = read(scan([TEXT, ("table", 55, 195, 420, 275)]))
    assert [draft.index for draft in after.drafts] == [draft.index for draft in before.drafts]
    assert after.readings == before.readings


def test_a_page_with_lines_of_a_text_layer_stays_as_it_is():
    printed = line("Printed, not read", y=60)
    page, drafts, readings, sizes = scan([TEXT, *COLUMNS])
    layer = drafts[0].model_copy(update={"index": 99, "text_source": "text_layer", "lines": (printed,)})
    before, after = read((page, (*drafts, layer), readings, sizes))
    assert [draft.kind for draft in after.drafts] == [draft.kind for draft in before.drafts]
    assert texts(after.drafts) == texts(before.drafts)
    assert after.readings == before.readings


@pytest.mark.parametrize("seed", range(12))
def test_every_read_line_is_in_one_draft(seed):
    """Guards against lines that are lost, or read twice, where regions cut a table in any way."""
    chance = random.Random(seed)
    kinds = ("plain text", "table", "title", "abandon")
    edges = sorted(chance.sample(range(120, 270, 10), 3))
    bands = [
        (chance.choice(kinds), 50, top, 560, bottom) for top, bottom in zip([110, *edges], [*edges, 290], strict=True)
    ]
    cells = {text for text in CELL_TEXTS if chance.random() < 0.9}
    before, after = read(scan(bands), cells, ("text", "heading", "caption"))
    assert Counter(id(one) for one in read_segments(after)) == Counter(id(one) for one in read_segments(before))
    for draft in after.drafts:
        reading = after.readings.get(draft.index)
        assert [one.text for one in draft.lines] == ([] if reading is None else reading.text.split("\n"))


def test_a_block_is_of_the_same_lines_in_their_new_order():
    before, after = read(scan([*COLUMNS[:1], TEXT, *COLUMNS[1:]]))
    segments = read_segments(after)
    assert [segments[block.segments[0]].text for block in after.blocks] == [one.text for one in read_segments(before)]


def test_a_figure_whose_ink_is_cells_is_gone_and_a_picture_stays():
    """Guards against a table that stands on the page twice, as cells and as a picture of them."""
    page, drafts, readings, sizes = scan([TEXT, *COLUMNS])
    around = drafts[0].model_copy(update={"index": 98, "kind": "figure", "box": box(58, 198, 300, 272)})
    below = around.model_copy(update={"index": 99, "box": box(60, 500, 300, 700)})
    _, after = read((page, (*drafts, around, below), readings, sizes))
    assert [draft.index for draft in after.drafts if draft.kind == "figure"] == [99]
    composed_page = composed((page, (*drafts, around, below), readings, sizes))
    assert sorted(region.kind for region in composed_page.regions) == ["figure", "plain text", "table"]


def test_a_guess_stays_where_it_was_read():
    """Guards against unreadable lines that leave the page with the region that they were in."""
    page = composed(scan([TEXT, *COLUMNS], guesses=(("sm?dged", 220, 262),)))
    (guess,) = (one for region in page.regions for one in region.unreadable)
    assert guess.guess == "sm?dged"
    assert (guess.box.x0, guess.box.y0) == pytest.approx((220, 262), abs=0.5)


def lose_all(page, _):
    return replace(page, drafts=())


def lose_tables(page, _):
    return replace(page, drafts=tuple(draft for draft in page.drafts if draft.kind != "table"))


@pytest.mark.parametrize("step", [lose_all, lose_tables])
def test_no_read_word_is_lost_where_a_later_rule_loses_drafts(step):
    """Guards against lines that went to a new table which the next rule left out."""
    rules = tuple(replace(rule, step=step) if rule.name == "read_blocks" else rule for rule in RULES["read_blocks"])
    run = RuleRun(rules={**RULES, "read_blocks": rules})
    page = composed(scan([("plain text", 50, 110, 560, 280)]), run)
    expected = Counter(word for text, _, _ in (*PROSE, *CELLS) for word in text.split())
    assert Counter(word for region in page.regions for word in region.text.split()) == expected
    assert_lines_stand(page)
