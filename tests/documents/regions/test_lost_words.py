"""Every visible word is in the text of exactly one region: counted by its letters, whatever the rules made of it."""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page_making import box, detection_of, inspection, line, printed, printed_table

from documents.boxes import BoundingBox
from documents.document.assemble_document import assemble
from documents.exports.markdown import markdown
from documents.inspection import Grid
from documents.page.build_page import RuleRun, compose_page, draft_regions
from documents.page.rules import RULES
from documents.region_values import Span, Table, TableCell, TextRange, region_of, table_in
from documents.regions.lost_words import with_all_words
from documents.values import Opened

ROWS = [["Boat", "Left"], ["Alma", "04:10"], ["Dunlin", "05:15"]]


def letters(*texts):
    """Letters and digits as they are once typography is taken off."""
    return Counter(one for text in texts for one in unicodedata.normalize("NFKD", text) if one.isalnum())


def words_of_page(page):
    """What the page says, by the cells where there are any."""
    tables = {k: table_in(region) for k, region in enumerate(page.regions)}
    texts = [region.text for k, region in enumerate(page.regions) if tables[k] is None]
    return letters(*texts, *(cell.text for table in tables.values() if table for cell in table.cells))


def composed(page_inspection, detections=(), run=None):
    run = run or RuleRun()
    drafts = draft_regions(page_inspection, detections, text_source="text_layer", run=run)
    return compose_page(page_inspection, drafts, {}, {}, run=run)


def gridded(lines, top, rows=3):
    """A page whose lines lie partly in a grid of two columns."""
    cells = tuple(
        box(55 + 100 * c, top + 20 * r, 155 + 100 * c, top + 20 + 20 * r) for r in range(rows) for c in (0, 1)
    )
    frame = box(55, top, 255, top + 20 * rows)
    return inspection(*lines).model_copy(update={"grids": (Grid(box=frame, cells=cells),)})


def test_what_a_table_region_holds_beside_its_grid_is_text_of_its_own():
    """Guards against notes and headings in the frame of a table, of which no cell takes a word: up to two in five."""
    above, below = printed("Departures", 60, 76), printed("Local times", 60, 166)
    page_inspection = gridded([above, *printed_table(ROWS), below], 95)
    run = RuleRun(skipped={"find_tables"})
    page = composed(page_inspection, [detection_of("table", 50, 70, 300, 180)], run)
    assert [region.text for region in page.regions] == [
        "Departures",
        "Boat\tLeft\nAlma\t04:10\nDunlin\t05:15",
        "Local times",
    ]
    assert [len(region.spans) for region in page.regions] == [1, 6, 1]
    assert words_of_page(page) == letters(*(one.text for one in page_inspection.lines))


def test_a_caption_in_the_frame_of_a_table_is_its_caption():
    page_inspection = gridded([printed("Table 3. Departures", 60, 76), *printed_table(ROWS)], 95)
    run = RuleRun(skipped={"find_tables"})
    caption, table = composed(page_inspection, [detection_of("table", 50, 70, 300, 160)], run).regions
    assert (caption.kind, caption.describes) == ("table_caption", table.order)


def test_a_line_of_which_cells_hold_a_part_is_in_two_regions_in_parts():
    """Guards against labels of rows that stand beside the grid, in the same printed line."""
    lines = [printed(f"{label} {boat} {time}", 20, 100 + 20 * k) for k, (label, boat, time) in enumerate(ROWS_LABELLED)]
    cells = tuple(box(35 + 35 * c, 95 + 20 * r, 70 + 35 * c, 115 + 20 * r) for r in range(3) for c in (0, 1))
    page_inspection = inspection(*lines).model_copy(update={"grids": (Grid(box=box(35, 95, 105, 155), cells=cells),)})
    page = composed(page_inspection, [detection_of("table", 15, 90, 110, 160)])
    assert words_of_page(page) == letters(*(one.text for one in page_inspection.lines))
    table = next(region for region in page.regions if table_in(region))
    assert [span.text for span in table.spans] == ["Boat Left", "Alma Four", "Dory Five"]
    assert sorted(span.text for region in page.regions for span in region.spans if region is not table) == [
        "i",
        "ii",
        "iii",
    ]


ROWS_LABELLED = [["i", "Boat", "Left"], ["ii", "Alma", "Four"], ["iii", "Dory", "Five"]]


def test_words_in_a_gap_of_a_grid_are_a_cell():
    """Guards against the words of a box that a file does not draw around them."""
    page_inspection = gridded(printed_table([*ROWS, *ROWS[1:]]), 95, rows=5)
    (grid,) = page_inspection.grids
    page_inspection = page_inspection.model_copy(update={"grids": (Grid(box=grid.box, cells=grid.cells[:-1]),)})
    (region,) = composed(page_inspection, [detection_of("table", 50, 90, 260, 200)]).regions
    assert region.text == "Boat\tLeft\nAlma\t04:10\nDunlin\t05:15\nAlma\t04:10\nDunlin\t05:15"


@st.composite
def tables(draw):
    """A page of one table in rows of words, some outside of a grid that may lack a box, and what detected it."""
    columns, pitch = draw(st.integers(2, 4)), draw(st.sampled_from([12, 20]))
    texts = st.sampled_from([None, "Alma", "04:10", "two words", "x² + 1", "exam-", "ple", "1,204", "ﬁrst", "א ב"])
    rows = draw(st.lists(st.lists(texts, min_size=columns, max_size=columns), min_size=2, max_size=6))
    lines = printed_table(rows, pitch=pitch)
    if draw(st.booleans()):  # each row one line of the file
        lines = [printed(" ".join(filter(None, row)), 60, 100 + pitch * k) for k, row in enumerate(rows) if any(row)]
    more = st.builds(
        printed, st.sampled_from(["Table 2. Boats", "a note", "7"]), st.integers(0, 400), st.integers(60, 260)
    )
    lines += draw(st.lists(more, max_size=3))
    left, top = draw(st.integers(20, 120)), draw(st.integers(70, 130))
    cells = [
        box(left + 100 * c, top + pitch * r, left + 100 * c + 100, top + pitch * r + pitch)
        for r in range(draw(st.integers(1, 6)))
        for c in range(columns)
    ]
    gap = draw(st.integers(1, 30))
    del cells[gap : gap + 1]
    grids = (Grid(box=BoundingBox.around(cells), cells=tuple(cells)),) if draw(st.booleans()) else ()
    x0, y0, x1, y1 = (draw(st.integers(low, low + 40)) for low in (20, 60, 250, 120 + pitch * len(rows)))
    return inspection(*lines).model_copy(update={"grids": grids}), [detection_of("table", x0, y0, x1, y1)]


@settings(deadline=None)
@given(tables(), st.sets(st.sampled_from(["ruled_tables", "orphan_lines"])))
def test_no_word_of_any_table_is_lost(page, skipped):
    """Guards against cells that hold fewer words than the lines of their table."""
    page_inspection, detections = page
    run = RuleRun(skipped=skipped)
    made = composed(page_inspection, detections, run)
    assert not run.failures
    assert words_of_page(made) == letters(*(one.text for one in page_inspection.lines))
    assert not any(region.origin == "words that a rule lost" for region in made.regions)
    assert letters(*(span.text for region in made.regions for span in region.spans)) == words_of_page(made)


def changing(name, change):
    """The rules, after one of which `change` is made of each region."""

    def step_of(rule):
        def step(page, thresholds):
            after = rule.step(page, thresholds)
            return replace(after, regions={k: change(region) for k, region in after.regions.items()})

        return step

    return {
        stage: tuple(replace(rule, step=step_of(rule)) if rule.name == name else rule for rule in rules)
        for stage, rules in RULES.items()
    }


def without_first_cell(region):
    table = table_in(region)
    return region if table is None else region.model_copy(update={"table": cells_of(table, table.cells[1:])})


def cells_of(table, cells):
    return table.model_copy(update={"cells": tuple(cells)})


def with_a_strange_cell(region):
    table = table_in(region)
    strange = TableCell(row=0, column=0, text="Unprinted", box=region.box)
    return (
        region if table is None else region.model_copy(update={"table": cells_of(table, [strange, *table.cells[1:]])})
    )


def updated(**update):
    return lambda region: region.model_copy(update=update)


LOSSES = {
    "text": updated(text=""),
    "spans": updated(spans=()),
    "text_and_spans": updated(text="", spans=()),
    "half": lambda region: region.model_copy(update={"text": region.text[: len(region.text) // 2]}),
    "twice": lambda region: region.model_copy(update={"text": region.text * 2}),
    "strange": updated(text="Unprinted"),
    "first_span": lambda region: region.model_copy(update={"spans": region.spans[1:]}),
    "first_cell": without_first_cell,
    "strange_cell": with_a_strange_cell,
    "no_cells": lambda region: (
        region.model_copy(update={"table": Table(num_rows=1, num_columns=1, num_header_rows=1, cells=())})
        if table_in(region)
        else region
    ),
}


@pytest.mark.parametrize("rule", ["running_text", "tables", "formulas", "reading_order"])
@pytest.mark.parametrize("loss", LOSSES)
def test_words_that_a_rule_takes_out_of_a_text_come_back_once(rule, loss):
    """Guards against a check of lines alone: these stood in a region whose text said nothing of them."""
    prose = [line(f"The harbour was closed for {k} exam-", y=300 + 12 * k) for k in range(3)]
    page_inspection = inspection(*printed_table(ROWS), *prose, line("Of boats", y=40, size=16))
    run = RuleRun(rules=changing(rule, LOSSES[loss]))
    page = composed(page_inspection, [detection_of("table", 50, 90, 260, 160)], run)
    assert words_of_page(page) == letters(*(one.text for one in page_inspection.lines))
    assert Counter(span.text for region in page.regions for span in region.spans) == Counter(
        one.text for one in page_inspection.lines
    ) or loss in ("half", "first_cell")
    assert [region.order for region in page.regions] == list(range(len(page.regions)))
    text = markdown(assemble("x", 1, Opened(num_pages=1), [page]))
    assert letters(text) >= letters(*(one.text for one in page_inspection.lines))


def test_words_that_a_table_lost_stand_beside_it():
    """Guards against a note that is put back at the foot of the page, far from what it is of."""
    prose = [line("The harbour was closed until the spring of the next year.", y=300 + 12 * k) for k in range(3)]
    page_inspection = inspection(*printed_table(ROWS), *prose)
    run = RuleRun(rules=changing("tables", without_first_cell))
    page = composed(page_inspection, [detection_of("table", 50, 90, 260, 160)], run)
    assert [region.origin for region in page.regions][:2].count("words that a rule lost") == 1
    assert page.regions[2].text.startswith("The harbour")


def test_struck_words_that_are_put_back_stay_struck_out():
    """Guards against void words that read as valid once a rule has lost their region's text."""
    struck = (TextRange(start=4, end=7),)
    span = Span(text="Pay 310 now", box=box(60, 100, 200, 110), source="text_layer", struck=struck)
    plain = region_of("plain text", box=box(60, 90, 300, 120), score=0.9, spans=(span,), text=span.text, struck=struck)
    lost = plain.model_copy(update={"spans": (), "text": "", "struck": ()})
    broken = plain.model_copy(update={"text": "Pay 3x0 now"})
    for finished in (lost, broken):
        delivered = with_all_words({0: plain}, {0: finished}, ())
        regions = [*delivered.before.get(0, ()), delivered.regions[0], *delivered.after.get(0, ())]
        (region,) = [one for one in regions if one.text]
        assert [region.text[one.start : one.end] for one in region.struck] == ["310"]
