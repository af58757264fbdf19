"""Tables by the columns in which rows stand."""

from __future__ import annotations

import pytest
from page_making import box, detection_of, inspection, kept, printed, printed_table

from documents.inspection import Ruling
from documents.page.build_page import compose_page, draft_regions

NAMES = ("Hull", "Brest", "Kiel", "Riga", "Oslo", "Gdansk", "Bergen")
ROWS = [["Port", "2009", "2010", "2011"], *([name, "60", "61", "1,062"] for name in NAMES)]


def tables(page_inspection, detections=()):
    return [d.box for d in kept(page_inspection, detections) if d.kind == "table"]


def test_rows_of_values_are_a_table_that_nobody_detected():
    page_inspection = inspection(*printed_table(ROWS))
    pieces = [detection_of("plain text", 55, 98, 150, 260), detection_of("title", 250, 98, 300, 112)]
    (table,) = tables(page_inspection, pieces)
    assert table.contains(*page_inspection.lines[0].box.center)
    assert table.contains(*page_inspection.lines[-1].box.center)
    assert [d.kind for d in kept(page_inspection, pieces)] == ["table"]


def test_lines_of_text_in_columns_are_no_table():
    texts = ["the harbour master signs it", "every morning at six and", "the wind is from the west"]
    lines = [printed(texts[(k + c) % 3], 60 + 170 * c, 100 + 12 * k) for k in range(8) for c in range(3)]
    assert tables(inspection(*lines)) == []


def test_numbers_that_count_lines_make_no_table():
    """Guards against the pages of a court's transcript, whose lines are numbered in the margin."""
    lines = [printed(str(k + 1), 60, 100 + 20 * k) for k in range(12)]
    lines += [printed(text, x, 100 + 20 * k) for k in range(3, 9) for x, text in ((120, "WARDEN,"), (300, ":"))]
    assert tables(inspection(*lines)) == []


def test_rows_below_a_table_that_stand_in_its_columns_belong_to_it():
    """Guards against a long table of which the network saw the first half."""
    page_inspection = inspection(*printed_table(ROWS))
    (table,) = tables(page_inspection, [detection_of("table", 55, 95, 400, 170)])
    assert table.y1 >= page_inspection.lines[-1].box.y1


def test_the_name_of_a_group_between_rows_does_not_end_a_table():
    rows = [*ROWS[:4], ["Baltic ports", None, None, None], *ROWS[4:]]
    page_inspection = inspection(*printed_table(rows))
    (table,) = tables(page_inspection, [detection_of("table", 55, 95, 400, 170)])
    assert table.y1 >= page_inspection.lines[-1].box.y1


def test_a_column_of_labels_beside_a_table_belongs_to_it():
    page_inspection = inspection(
        *printed_table([["Port of", *row[1:]] if k else row for k, row in enumerate(ROWS[:4])], width=60)
    )
    (table,) = tables(page_inspection, [detection_of("table", 110, 95, 290, 175)])
    assert table.x0 <= 60


def test_a_header_above_its_rule_belongs_to_a_table():
    head = [printed("Year of the catch", 160, 60), printed("Sum", 360, 60)]
    rule = Ruling(box=box(55, 80, 400, 80.5))
    for rules, is_held in (((rule,), True), ((), False)):
        page_inspection = inspection(*head, *printed_table(ROWS[1:5], pitch=12)).model_copy(update={"rules": rules})
        (table,) = tables(page_inspection, [detection_of("table", 55, 95, 400, 150)])
        assert (table.y0 <= 60) is is_held


def test_a_paragraph_below_a_table_stays_out():
    text = printed("Source: the harbour master of each port, who counted them every morning", 60, 190)
    page_inspection = inspection(*printed_table(ROWS[:4]), text)
    (table,) = tables(page_inspection, [detection_of("table", 55, 95, 400, 175)])
    assert table.y1 < text.box.y0


def test_a_table_that_reaches_further_than_its_rows_stays_as_it_is():
    """Guards against a table with a header and notes of which nothing but the rows of values was left."""
    page_inspection = inspection(*printed_table(ROWS))
    tables = [detection_of("table", 20, 40, 560, 340), detection_of("title", 30, 45, 300, 60)]
    assert kept(page_inspection, tables) == tables


def test_rows_beside_one_another_that_were_seen_as_one_table_are_two():
    """Guards against tables one closely above the other."""
    below = printed_table([["Boat", "Left", "Back", "Hands"], *([n, "410", "930", "7"] for n in NAMES)], x=90, y=300)
    page_inspection = inspection(*printed_table(ROWS), *below)
    boxes = sorted(tables(page_inspection, [detection_of("table", 55, 98, 500, 455)]), key=lambda one: one.y0)
    assert [(round(one.y0), round(one.y1)) for one in boxes] == [(100, 250), (300, 450)]


def test_a_column_of_text_beside_rows_of_values_makes_no_table_with_them():
    """Guards against a table beside a column of the page's text, which became one of four columns."""
    texts = ("the harbour master signs it", "in ink every morning at six", "as a wind from the west may")
    beside = [printed(texts[k % 3], 380, 100 + 20 * k) for k in range(len(ROWS))]
    page_inspection = inspection(*printed_table([row[:3] for row in ROWS]), *beside)
    assert tables(page_inspection) == []
    assert tables(inspection(*printed_table(ROWS))), "without it they are one"


def test_long_labels_before_values_that_end_below_one_another_are_those_of_a_table():
    """Guards against a table of three columns whose labels have as many words as a line of text."""
    labels = ("Number of nets in a boat of the port", "Pages of the book of the harbour master", "Boats in the port")
    ends = (300, 120, 5000, 870, 1062, 41)

    def rows(values):
        parts = [(f"{value:,}", k) for k, value in enumerate(values)]
        lines = [printed(text, 420 - 5 * len(text), 100 + 14 * k) for text, k in parts]
        lines += [printed(labels[k % 3], 140, 100 + 14 * k) for _, k in parts]
        return inspection(*lines, *(printed(f"({chr(97 + k)})", 60, 100 + 14 * k) for _, k in parts))

    assert len(tables(rows(ends))) == 1
    assert tables(rows(sorted(ends))) == [], "numbers that rise may be those of pages"


BESIDE = {
    "en": "the harbour is closed from the first of May",
    "zh": "港口从五月一日起不对外来船只开放请各船长注意",
    "ja": "港は五月一日から外国の船には開かれないので注意",
    "th": "ท่าเรือปิดให้บริการตั้งแต่วันที่หนึ่งพฤษภาคม",
}


@pytest.mark.parametrize("language", BESIDE)
def test_text_beside_a_table_is_no_column_of_it_in_any_script(language):
    """Guards against lines of Chinese that count as one word, as a cell holds: the text became the last column."""
    table = printed_table([row[:3] for row in ROWS], width=70)
    text = [printed(BESIDE[language], 300, 100 + 20 * k) for k in range(len(ROWS))]
    page_inspection = inspection(*table, *text)
    page = compose_page(
        page_inspection, draft_regions(page_inspection, [detection_of("table", 55, 95, 240, 255)]), {}, {}
    )
    (table_region,) = (region for region in page.regions if region.kind == "table")
    assert table_region.table.num_columns == 3
    assert sum(region.text.count(BESIDE[language]) for region in page.regions if region.kind != "table") == len(ROWS)


@pytest.mark.parametrize("language", BESIDE)
def test_lines_of_text_in_three_columns_are_no_table_in_any_script(language):
    lines = [printed(BESIDE[language], 60 + 260 * c, 100 + 12 * k) for k in range(8) for c in range(3)]
    lines += [printed("2024", 60 + 260 * c, 196) for c in range(3)]
    assert tables(inspection(*lines, size=(900, 792))) == []
