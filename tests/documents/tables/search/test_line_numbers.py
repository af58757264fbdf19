"""Numbers that count lines are told from those of a table's rows."""

from __future__ import annotations

import pytest
from page_making import box, detection_of, detections_after_rules, inspection, line

from documents.tables.search.line_numbers import LineNumbers, counts_lines

TABLE = box(60, 140, 500, 260)
LIMITS = LineNumbers()


def page(numbers, x=60.0):
    return [line(f"{n} the court", x=x + (3 if n > 9 else 0), y=100 + 20 * k) for k, n in enumerate(numbers)]


def test_numbers_that_go_on_outside_of_a_table_count_lines():
    """Guards against the lines of a transcript read as rows."""
    lines = page(range(1, 15))
    assert counts_lines(TABLE, lines, LIMITS)
    (kept,) = detections_after_rules(inspection(*lines), [detection_of("table", 60, 140, 500, 260)])
    assert (kept.kind, kept.box) == ("plain text", TABLE)


def test_numbers_of_rows_and_of_no_order_make_a_table():
    """Guards against numbered rows, and years, that are no longer a table."""
    assert not counts_lines(box(60, 95, 500, 400), page(range(1, 15)), LIMITS), "all numbers are the table's own"
    assert not counts_lines(TABLE, page([4, 9, 2, 1, 7, 3, 5, 8, 6, 12]), LIMITS), "they do not rise line by line"
    assert not counts_lines(TABLE, page(range(1, 6)), LIMITS), "they are few"
    assert not counts_lines(box(300, 140, 500, 260), page(range(1, 15)), LIMITS), "they stand outside"


@pytest.mark.parametrize("first", ["³", "①", "𝟣", "٣", "Ⅷ", "፩", "  ", ""])
def test_whatever_stands_first_in_a_line_counts_or_does_not(first):
    """Guards against pages that were lost over `int('³')`, or over a line of nothing but spaces."""
    assert not counts_lines(TABLE, [line(f"{first} the court", y=150), line(first, y=170)], LIMITS)
    assert detections_after_rules(inspection(line(f"{first} a", y=150)), [detection_of("table", 60, 140, 500, 260)])


def test_numbers_before_lines_of_a_program_count_these():
    """Guards against listings in a shaded box that became tables of two columns."""
    numbers = [line(str(n), x=62, y=100 + 20 * k) for k, n in enumerate(range(250, 262))]
    program = [line("return strategy", x=100 + 10 * (k % 3), y=100 + 20 * k, monospaced=True) for k in range(12)]
    around = box(60, 95, 500, 400)
    assert counts_lines(around, [*numbers, *program], LIMITS)
    beside = [line("a comment", x=300, y=100 + 20 * k, monospaced=True) for k in range(12)]
    assert not counts_lines(around, [*numbers, *program, *beside], LIMITS), "these are columns"
    names = [one.model_copy(update={"monospaced": False}) for one in program]
    assert not counts_lines(around, [*numbers, *names], LIMITS), "a list of names is no program"
    assert not counts_lines(around, [*page([4, 9, 2, 1, 7, 3, 5, 8, 6, 12]), *program], LIMITS), "they do not rise"
