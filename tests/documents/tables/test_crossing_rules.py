"""Upright rules above level ones, for many at once."""

from __future__ import annotations

from page_making import box
from work import steps_of

from documents.inspection import Ruling
from documents.tables.crossing_rules import places_above
from documents.tables.table_columns import joined_between


def level(left, right, y):
    return box(left, y, right, y + 0.4)


def upright(x, top, end):
    return box(x - 0.2, top, x + 0.2, end)


def test_rules_that_end_at_a_level_one_or_cross_it_stand_above_it():
    levels = [level(0, 100, 50), level(0, 100, 20), level(60, 100, 50)]
    uprights = [upright(30, 10, 50), upright(70, 40, 90), upright(50, 51, 90), upright(90, 0, 15)]
    assert places_above(levels, uprights, 1.0, 60) == [[30, 70], [30], [70]]


def test_a_rule_that_is_drawn_twice_counts_once():
    uprights = [upright(30, 10, 50), upright(30, 20, 50), upright(30, 0, 5)]
    assert places_above([level(0, 100, 50)], uprights, 1.0, 2) == [[30]]


def test_too_many_part_nothing():
    uprights = [upright(10 * k, 0, 50) for k in range(1, 10)]
    assert places_above([level(0, 100, 50)], uprights, 1.0, 9) == [[]]
    assert len(places_above([level(0, 100, 50)], uprights, 1.0, 10)[0]) == 9


def test_level_rules_are_parted_without_comparing_each_with_all_upright_ones():
    """Guards against a header of as many level rules as upright ones, each compared with every other."""

    def rules(num):
        levels = [Ruling(box=level(0, 12 * num, 20 + 2 * k)) for k in range(num)]
        return levels, [Ruling(box=upright(12 * k, 0, 20)) for k in range(num)]

    small, large = (rules(num) for num in (128, 512))
    assert steps_of(lambda: joined_between(*large)) < 6 * steps_of(lambda: joined_between(*small))
