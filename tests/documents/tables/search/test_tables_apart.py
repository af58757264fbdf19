"""How far tables with ruled cells may grow."""

from __future__ import annotations

from itertools import pairwise
from math import inf

from page_making import box, detection_of, detections_after_rules, inspection, kept, printed_table
from work import steps_of

from documents.inspection import Grid, Ruling
from documents.tables.search.tables_apart import TablesApart


def grid(top, edges, num_rows, height=20):
    cells = tuple(
        box(left, top + height * k, right, top + height * (k + 1))
        for k in range(num_rows)
        for left, right in pairwise(edges)
    )
    return Grid(box=box(edges[0], top, edges[-1], top + height * num_rows), cells=cells)


def room(*grids):
    """That of the first."""
    return TablesApart([one.box for one in grids], grids).room(grids[0].box)


TWO, THREE = (55, 155, 255), (55, 120, 190, 255)


def test_a_table_ends_before_one_with_other_columns():
    assert room(grid(95, TWO, 3), grid(175, THREE, 3)) == (-inf, 175)
    assert room(grid(175, THREE, 3), grid(95, TWO, 3)) == (155, inf)


def test_what_has_the_same_columns_touches_or_stands_beside_does_not_end_a_table():
    """Guards against headers that are drawn as a grid of their own, and tables in pieces."""
    assert room(grid(95, TWO, 3), grid(175, TWO, 3)) == (-inf, inf)
    assert room(grid(95, TWO, 3), grid(156, THREE, 3)) == (-inf, inf)
    assert room(grid(95, TWO, 3), grid(175, (300, 400, 450, 500), 3)) == (-inf, inf)


def test_single_rows_with_merged_cells_are_of_one_table():
    """Guards against a page on which each row of a table is a grid of its own."""
    rows = [grid(95 + 30 * k, THREE if k % 2 else TWO, 1) for k in range(6)]
    assert room(*rows) == (-inf, inf)
    assert room(grid(95, TWO, 2), grid(165, THREE, 2)) == (-inf, 165), "more than a row stands between"


def test_a_part_of_a_grid_or_none_has_room():
    assert TablesApart([box(55, 95, 255, 110)], [grid(95, TWO, 3)]).room(box(55, 95, 255, 110)) == (-inf, inf)


def test_a_table_without_the_notes_in_its_frame_is_ruled():
    """Guards against a table that is parted at the name of a group, because notes take a sixth of its grid."""
    one = grid(95, TWO, 4)
    notes = box(55, 175, 255, 235)
    framed = Grid(box=box(55, 95, 255, 235), cells=(*one.cells, notes))
    assert TablesApart([one.box], [framed]).grids() == {one.box: framed.box}
    assert TablesApart([box(55, 95, 255, 168)], [framed]).grids() == {}, "it ends within a row"
    assert TablesApart([box(55, 95, 255, 115)], [framed]).grids() == {}, "a header alone"
    assert TablesApart([box(55, 95, 155, 175)], [framed]).grids() == {}, "a column alone"


def test_ruled_tables_one_above_another_stay_two():
    """Guards against tables of one width that became one, as rules of equal ends were those of one table."""
    above, below = grid(95, TWO, 3), grid(175, THREE, 3)
    lines = [
        *printed_table([["Boat", "Left"], ["Alma", "0410"], ["Rosa", "0515"]]),
        *printed_table([["Port", "Nets", "Lines"], ["Hull", "60", "61"], ["Kiel", "50", "51"]], y=180, width=66),
    ]
    rules = tuple(Ruling(box=box(55, y, 255, y + 0.4)) for y in (95, 115, 135, 155, 175, 195, 215, 235))
    page = inspection(*lines).model_copy(update={"grids": (above, below), "rules": rules})
    tables = [d.box for d in detections_after_rules(page, [detection_of("table", 55, 95, 255, 235)])]
    assert [round(b.y1) for b in sorted(tables, key=lambda b: b.y0)] == [155, 235]


def test_numbered_headings_above_a_ruled_form_are_no_rows_of_it():
    """Guards against a form of labels and values that takes in each heading whose number stands above its labels."""
    one = grid(175, TWO, 3)
    lines = [
        *printed_table([["1.", "Boats"], ["1.1", "Number of the boat"], ["o", "Alma"], ["1.2", "About the boat"]]),
        *printed_table([["Name:", "Alma"], ["Port:", "Hull"], ["Left:", "0410"]], y=180),
    ]
    for known in ((one,), ()):
        page = inspection(*lines).model_copy(update={"grids": known})
        (table,) = (d.box for d in kept(page, [detection_of("table", 55, 175, 255, 235)]))
        assert (table.y0 < 110) is not bool(known)


def test_tables_are_not_each_compared_with_all():
    def rooms(num):
        grids = [grid(30 * k, TWO, 1) for k in range(num)]
        apart = TablesApart([one.box for one in grids], grids)
        return lambda: [apart.room(one.box) for one in grids]

    assert steps_of(rooms(256)) < 6 * steps_of(rooms(64))
