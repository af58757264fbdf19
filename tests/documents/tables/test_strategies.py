"""Strategies propose, the measure of fit chooses."""

from __future__ import annotations

from dataclasses import replace

from page_making import box, printed, printed_table

from documents.tables.cells import placed_words
from documents.tables.fit import fit
from documents.tables.settings import DEFAULT_SETTINGS
from documents.tables.strategies import best_cut
from documents.tables.table_area import TableArea


def area(lines, grids=()):
    return TableArea(placed_words(lines, 0), [], grids)


def grid(*, rows):
    """Boxes 100 wide and 20 high in three columns; `rows` of them are one high box."""
    return [box(55 + 100 * c, 95, 155 + 100 * c, 95 + 20 * rows) for c in range(3)] + [
        box(55 + 100 * c, 95 + 20 * rows + 20 * r, 155 + 100 * c, 115 + 20 * rows + 20 * r)
        for r in range(2)
        for c in range(3)
    ]


VALUES = [["Port", "2009", "2010"], *([name, "60", "61"] for name in ("Hull", "Brest", "Kiel", "Riga", "Oslo"))]


def test_a_grid_wins_where_it_fits_as_well():
    lines = printed_table([["Boat", "Left", "Crew"], ["Alma", "04:10", "6"], ["Dunlin", "05:15", "4"]])
    cut = best_cut(area(lines, [grid(rows=1)]), DEFAULT_SETTINGS)
    assert cut is not None
    assert all(slot.box is not None for slot in cut.slots)


def test_alignment_wins_over_rules_that_part_no_rows():
    """Guards against a frame around all rows of a table that makes one row of them."""
    lines = printed_table(VALUES)
    cut = best_cut(area(lines, [grid(rows=4)]), DEFAULT_SETTINGS)
    assert cut is not None
    assert cut.num_rows == len(VALUES)


def test_a_grid_that_is_no_table_does_not_hide_the_next():
    lines = printed_table(VALUES)
    cut = best_cut(
        area(lines, [[box(50, 90, 360, 220)], grid(rows=4)]), replace(DEFAULT_SETTINGS, strategies=("ruled",))
    )
    assert cut is not None


def test_a_grid_that_fits_too_badly_does_not_hide_columns_that_fit():
    """Guards against a grid just below the least fit, whose margin the judge had to reach as well."""
    lines = printed_table(VALUES)
    boxes = [box(55 + 100 * c, 95 + 20 * r, 155 + 200 * c, 115 + 20 * r) for r in range(len(VALUES)) for c in range(2)]
    proposals = area(lines, [boxes])
    poor, good = (
        best_cut(proposals, replace(DEFAULT_SETTINGS, strategies=(name,), least_fit=0.0))
        for name in ("ruled", "judged")
    )
    assert poor is not None
    assert good is not None
    assert fit(poor) < fit(good)
    cut = best_cut(proposals, replace(DEFAULT_SETTINGS, least_fit=fit(good), sure_rules=1.0))
    assert cut is not None
    assert cut.num_columns == 3


def test_nothing_fits_what_is_no_table():
    lines = [printed("a b", 60 + 37 * (k % 5) + 90 * j, 100 + 7 * k) for k in range(9) for j in range(k % 3 + 1)]
    assert best_cut(area(lines), replace(DEFAULT_SETTINGS, least_fit=0.99)) is None
