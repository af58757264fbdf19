"""Tables that reach from their first to their last rule."""

from __future__ import annotations

from page_making import box, printed, printed_table

from documents.tables.cells import baselines, placed_words
from documents.tables.search.several_tables import Surroundings
from documents.tables.search.tables_between_rules import RuledStretches, tables_between_rules
from documents.tables.table_columns import segments

NAMES = ("Hull", "Brest", "Kiel", "Riga", "Oslo", "Gdansk")
ROWS = [["Port", "Built in", "Known for"], *([name, "stone", "grey seals"] for name in NAMES)]
RULES = [box(55, y, 400, y + 0.5) for y in (95, 115, 235)]
PART = box(150, 95, 400, 150)


def boxes_of(lines, levels, tables, grids=()):
    rows = [segments(row, []) for row in baselines(placed_words(lines, 0))]
    return list(tables_between_rules(rows, Surroundings(tables, levels), grids, [], RuledStretches()))


def test_a_table_of_words_reaches_from_its_first_rule_to_its_last():
    """Guards against tables of which the network saw the first rows, without their labels."""
    (table,) = boxes_of(printed_table(ROWS), RULES, [PART])
    assert (table.x0, table.y0, table.x1, table.y1) == (55, 95, 400, 235.5)


def test_rules_alone_make_no_table():
    """Guards against forms and title blocks: the network saw no table in them."""
    assert boxes_of(printed_table(ROWS), RULES, []) == []


def test_text_between_two_tables_of_one_width_belongs_to_neither():
    text = "The harbour master signs the ledger every morning at six and again at nine in the evening"
    lines = [*printed_table(ROWS), *(printed(text[:70], 60, 245 + 12 * k) for k in range(4))]
    lines += printed_table(ROWS, y=305)
    levels = [*RULES, *(box(55, y, 400, y + 0.5) for y in (300, 320, 440))]
    tables = boxes_of(lines, levels, [PART, box(150, 300, 400, 350)])
    assert [(table.y0, table.y1) for table in tables] == [(95, 235.5), (300, 440.5)]


def test_a_caption_between_two_tables_parts_them():
    lines = [*printed_table(ROWS), printed("Table 2. Ports", 60, 242), *printed_table(ROWS, y=265)]
    levels = [*RULES, *(box(55, y, 400, y + 0.5) for y in (260, 280, 400))]
    tables = boxes_of(lines, levels, [PART, box(150, 260, 400, 300)])
    assert [(table.y0, table.y1) for table in tables] == [(95, 235.5), (260, 400.5)]


def test_rules_of_other_widths_are_those_of_no_table():
    assert boxes_of(printed_table(ROWS), [RULES[0], box(20, 115, 500, 115.5), RULES[2]], [PART]) == []


def test_a_table_with_a_grid_is_left_to_it():
    assert boxes_of(printed_table(ROWS), RULES, [PART], [box(55, 95, 400, 235)]) == []


def test_a_line_of_text_among_short_ones_makes_no_table():
    """Guards against a page of definitions between rules, which became one table with the one that stands in it."""
    text = "The respondent's age at the time when the degree was received, in years"
    rows = [*ROWS[:4], ["", "", ""], *ROWS[5:]]
    assert boxes_of([*printed_table(rows), printed(text[:66], 60, 180)], RULES, [PART]) == []
