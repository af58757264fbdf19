"""Twice as much on a page is twice the work, not four times: counted in calls, whatever the machine."""

from __future__ import annotations

import sys

import pytest
from page_making import inspection, line

from documents.page.build_page import RuleRun, compose_page, draft_regions


def one_point_lines(num):
    """Columns of lines of one point that touch, as of a page shrunk to nothing."""
    return [
        line(f"word{k % 97} of a line", x=20 + 44 * (k % 13), y=10 + 0.7 * (k // 13), size=1, width=40)
        for k in range(num)
    ]


def one_column(num):
    """Lines that lie over their neighbours."""
    return [line(f"word{k % 97} of a line and more", x=20, y=0.1 * k, size=1, width=400) for k in range(num)]


def regions(num):
    """Lines that each are a region."""
    return [line(f"R{k}", x=5 + 30 * (k % 20), y=2 + 3.9 * (k // 20), size=1.2, width=2) for k in range(num)]


def stacked(num):
    """Lines that all lie at one place."""
    return [line(f"word{k % 97} of a line", x=20, y=10, size=1, width=40) for k in range(num)]


def staircase(num):
    """Regions of which no two stand level, nor one above the other."""
    return [line(f"R{k}", x=5 + 5 * k, y=2 + 5 * k, size=1.2, width=2) for k in range(num)]


def foot_notes(num):
    """As many notes as calls of them."""
    calls = [
        line(f"text{k} goes on.{k % 999 + 1}", x=20 + 60 * (k % 9), y=5 + 3 * (k // 9), size=1, width=40)
        for k in range(num)
    ]
    top = max(one.box.y1 for one in calls) + 10
    notes = [
        line(f"{k % 999 + 1} of the foot", x=20 + 60 * (k % 9), y=top + 3 * (k // 9), size=1, width=40)
        for k in range(num)
    ]
    return calls + notes


def marks(num):
    """Numbers of clauses in the margin, each with its line."""
    return [
        part
        for k in range(num)
        for part in (
            line(f"{k % 300 + 1}.", x=20 + 120 * (k % 5), y=5 + 1.6 * (k // 5), size=1, width=3),
            line("a clause of it", x=28 + 120 * (k % 5), y=5 + 1.6 * (k // 5), size=1, width=60),
        )
    ]


def calls_for(lines):
    """How many functions are called while a page of those lines is composed."""
    page_inspection = inspection(*lines, size=(612, 3000))
    count = 0

    def counted(_, event, __):
        nonlocal count
        count += event in ("call", "c_call")

    run = RuleRun()
    sys.setprofile(counted)
    try:
        page = compose_page(page_inspection, draft_regions(page_inspection, [], run=run), {}, {}, run=run)
    finally:
        sys.setprofile(None)
    assert run.failures == []
    assert sum(len(region.spans) for region in page.regions) == len(lines)
    return count


@pytest.mark.parametrize("lines_of", [one_point_lines, one_column, regions, stacked, foot_notes, marks])
def test_work_grows_as_the_page_does(lines_of):
    """Guards against a page of many small things that holds a processor for minutes."""
    small, large = (calls_for(lines_of(num)) for num in (1500, 3000))
    assert large < 2.5 * small


def test_a_staircase_of_regions_is_bounded():
    """Guards against a gutter that is looked for again below each of thousands of steps."""
    assert calls_for(staircase(3000)) < 6_000_000
