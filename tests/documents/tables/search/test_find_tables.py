"""Tables where rules close a grid and where cells of one table are read, whatever the layout network saw."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from page_making import box, detection_of, inspection, printed, printed_table

from documents.draft.page_draft import PageDraft
from documents.draft.text_source import Layer
from documents.inspection import Grid
from documents.segments.blocks import SegmentBlock
from documents.tables.search.find_tables import FindTables, find_tables

ROWS = [["Boat", "Left"], ["Alma", "04:10"], ["Dunlin", "05:15"]]
PORTS = [["Port", "Tide"], ["Hull", "3.1"], ["Brest", "4.4"]]
FRAME = box(55, 95, 255, 155)


def gridded(*more, rows=ROWS, top=95.0):
    """A table in a closed grid, and other lines."""
    cells = tuple(
        box(55 + 100 * c, top + 20 * r, 155 + 100 * c, top + 20 + 20 * r) for r in range(len(rows)) for c in range(2)
    )
    frame = box(55, top, 255, top + 20 * len(rows))
    page_inspection = inspection(*printed_table(rows, y=top + 5), *more)
    return page_inspection.model_copy(update={"grids": (Grid(box=frame, cells=cells),)})


def kept_of(page_inspection, detections=(), tables=None, cell=0.98, between="text", texts=()):
    """What is kept; `tables` are the numbers of the tables that lines are cells of by their text, others of a role.

    Of those, `texts` are running text.
    """
    layer = Layer(page_inspection)
    blocks = [
        SegmentBlock(
            segments=(k,),
            role="table" if line.text in tables else "text" if line.text in texts else between,
            score=0.9,
            cell=cell if line.text in tables else 0.0,
            table=tables.get(line.text),
        )
        for k, line in enumerate(layer.lines if tables is not None else ())
    ]
    page = PageDraft(inspection=page_inspection, layer=layer, kept=tuple(detections), blocks=tuple(blocks))
    return list(find_tables(page, FindTables()).kept)


def boxes(page_inspection, *args, **more):
    return [d.box for d in kept_of(page_inspection, *args, **more) if d.kind == "table"]


def numbered(*tables):
    return {text: number for number, rows in enumerate(tables) for row in rows for text in row}


def around(lines):
    return type(lines[0].box).around([line.box for line in lines])


@pytest.mark.parametrize(
    "detections",
    [[], [detection_of("figure", 56, 96, 250, 150)], [detection_of("plain text", 60, 100, 120, 130)]],
)
def test_a_grid_of_words_is_a_table_whatever_was_detected(detections):
    assert [(d.kind, d.box) for d in kept_of(gridded(), detections)] == [("table", FRAME)]


def test_a_grid_replaces_the_parts_that_were_detected_in_it():
    detections = [detection_of("table", 55, 95, 255, 120), detection_of("table", 55, 130, 250, 155)]
    assert boxes(gridded(), detections) == [FRAME]


def test_a_picture_in_a_cell_stays_a_picture():
    """It has no words."""
    kinds = [d.kind for d in kept_of(gridded(), [detection_of("figure", 130, 98, 150, 112)])]
    assert sorted(kinds) == ["figure", "table"]


def test_cells_that_nobody_detected_are_a_table():
    lines = printed_table(ROWS)
    text = printed("The boats left in the morning and came back at night", 60, 300)
    assert boxes(inspection(*lines, text), tables=numbered(ROWS)) == [around(lines)]


def test_cells_that_are_read_with_little_certainty_need_something_else_that_shows_them():
    lines = printed_table(ROWS)
    detected = detection_of("table", 50, 90, 260, 160)
    assert boxes(inspection(*lines), tables=numbered(ROWS), cell=0.6) == []
    assert boxes(inspection(*lines), [detected], tables=numbered(ROWS), cell=0.6) == [detected.box]


def test_a_detected_table_whose_lines_are_read_as_text_is_none():
    page_inspection = inspection(*printed_table(ROWS))
    (kept,) = kept_of(page_inspection, [detection_of("table", 50, 90, 260, 160)], tables={})
    assert kept.kind == "plain text"


def test_a_detected_table_on_a_page_that_nothing_read_stays():
    """Guards against tables of scans, of which nothing but the picture is known."""
    detected = detection_of("table", 50, 90, 260, 160)
    assert boxes(inspection(*printed_table(ROWS)), [detected]) == [detected.box]


def test_two_tables_side_by_side_are_two():
    left, right = printed_table(ROWS), printed_table(PORTS, x=340)
    assert boxes(inspection(*left, *right), tables=numbered(ROWS, PORTS)) == [around(left), around(right)]


def test_a_caption_between_the_rows_of_two_tables_parts_them():
    """Guards against stacked tables of equal columns, whose cells look like those of one."""
    above, below = printed_table(ROWS), printed_table(PORTS, y=200)
    caption = printed("Table 2. Tides of the summer", 60, 180)
    read = numbered([*ROWS, *PORTS])
    assert boxes(inspection(*above, caption, *below), tables=read) == [around(above), around(below)]
    assert boxes(inspection(*above, *below), tables=read) == [around([*above, *below])]


@pytest.mark.parametrize("role", ["heading", "contents", "label", "value"])
def test_a_row_that_looks_like_something_else_does_not_part_its_table(role):
    """Guards against reports whose rows of a label and one number are taken for a table of contents."""
    above, below = printed_table(ROWS), printed_table(PORTS, y=200)
    page = inspection(*above, printed("All boats of the harbour", 60, 180), *below)
    read = numbered([*ROWS, *PORTS])
    detected = [detection_of("table", 60, 95, 200, 255)]
    assert boxes(page, detected, tables=read, between=role) == [around([*above, *below]).union(detected[0].box)]
    assert len(boxes(page, detected, tables=read, between="footnote")) == 2


def test_a_heading_over_a_head_that_is_printed_again_parts_two_tables():
    """Guards against sections of a standard, each a heading and a table of the same columns, that were one table."""
    more = [["Boat", "Left"], ["Erna", "17:10"], ["Ida", "18:00"]]
    above, below = printed_table(ROWS), printed_table(more, y=200)
    read = numbered([*ROWS, *more])
    page = inspection(*above, printed("Boats of the evening", 60, 180, 12), *below)
    assert boxes(page, tables=read, between="heading") == [around(above), around(below)]
    group = inspection(*above, printed("Boats of the evening", 60, 180), *below)
    assert boxes(group, tables=read, between="heading") == [around([*above, *below])], "it looks like the cells"


def test_a_head_that_the_network_gives_to_the_table_above_is_not_of_it():
    """Guards against a table that reaches over a heading and its text to three cells below them."""
    more = [["Boat", "Left"], ["Erna", "17:10"], ["Ida", "18:00"]]
    above, below = printed_table(ROWS), printed_table(more, y=220)
    text = printed("They leave when the tide is in", 60, 200)
    page = inspection(*above, printed("Boats of the evening", 60, 180, 12), text, *below)
    detected = detection_of("table", 55, 215, 260, 275)
    tables = boxes(page, [detected], tables=numbered([*ROWS], more[1:]), between="heading", texts=[text.text])
    assert tables == [around(above), detected.box]


@pytest.mark.parametrize(
    ("size", "is_over_text", "num_tables"),
    [
        (12, True, 2),
        (12, False, 1),  # it may be a group's name, as the one right over the table may be
        (10, True, 1),  # it looks like the cells
    ],
)
def test_a_heading_that_looks_like_those_over_text_parts_its_table(size, is_over_text, num_tables):
    above, below = printed_table(ROWS), printed_table(PORTS, y=200)
    text = printed("The harbour was widened in the year of the flood", 60, 320)
    page = inspection(
        printed("Boats", 60, 80, size),
        *above,
        printed("Ports", 60, 180, size),
        *below,
        *([printed("The harbour", 60, 300, size), text] if is_over_text else []),
    )
    assert len(boxes(page, tables=numbered([*ROWS, *PORTS]), between="heading", texts=[text.text])) == num_tables


def test_rows_that_are_read_beside_a_grid_are_of_its_table():
    head = printed_table([["Name of boat", "Time"]], y=80)
    (table,) = boxes(gridded(*head), tables=numbered([*ROWS, ["Name of boat", "Time"]]))
    assert table == FRAME.union(around(head))


def test_two_closed_grids_stay_two_tables_though_their_cells_are_read_as_one():
    first, second = gridded(), gridded(rows=PORTS, top=160.0)
    both = first.model_copy(update={"lines": (*first.lines, *second.lines), "grids": (*first.grids, *second.grids)})
    read = numbered([*ROWS, *PORTS])
    assert boxes(both, tables=read) == [grid.box for grid in both.grids]


def test_a_text_beside_a_picture_in_a_frame_is_no_table():
    """Guards against a page that is laid out in a grid of two rows and columns."""
    columns, rows = (55, 155, 455), (95, 650, 670, 690)
    cells = [box(x, y, x1, y1) for y, y1 in pairwise(rows) for x, x1 in pairwise(columns)]

    def page_of(num_lines):
        text = [
            printed("The harbour was widened in the year of the flood", 160, 100 + 12 * k) for k in range(num_lines)
        ]
        lines = [printed(word, x, y) for y in (655, 675) for word, x in (("Alma", 60), ("Hull", 160))]
        page_inspection = inspection(printed("Boats", 60, 100), *text, *lines)
        return page_inspection.model_copy(update={"grids": (Grid(box=box(55, 95, 455, 690), cells=tuple(cells)),)})

    assert boxes(page_of(40)) == []
    assert len(boxes(page_of(1))) == 1


def test_a_grid_of_two_rows_and_a_table_that_was_of_network_are_one():
    """Guards against a table twice, once without its cells."""
    page_inspection = gridded(rows=ROWS[:2])
    (grid,) = page_inspection.grids
    of_network = detection_of("table", grid.box.x0, grid.box.y0, grid.box.x1, grid.box.y1)
    assert boxes(page_inspection, [of_network]) == [grid.box]
    assert boxes(page_inspection, tables={}) == [], "its lines are read as text"


def test_tables_of_cells_that_lie_in_one_another_are_one():
    """Guards against rows that the network gives to two tables in turn."""
    lines = printed_table([*ROWS, *PORTS])
    read = {text: k % 2 for k, row in enumerate([*ROWS, *PORTS]) for text in row}
    assert boxes(inspection(*lines), tables=read) == [around(lines)]


def test_a_line_of_units_below_a_header_does_not_part_it_from_its_table():
    head, body = printed_table(ROWS[:1]), printed_table([*ROWS[1:], *PORTS], y=140)
    units = printed("(in hours)", 60, 120)
    (table,) = boxes(inspection(*head, units, *body), tables=numbered([*ROWS, *PORTS]))
    assert table == around([*head, *body])


def test_limits_of_a_table_are_those_of_its_rule():
    page_inspection = inspection(*printed_table(ROWS))
    blocks = tuple(SegmentBlock(segments=(k,), role="table", score=0.9, cell=0.9, table=0) for k in range(6))
    page = PageDraft(inspection=page_inspection, layer=Layer(page_inspection), blocks=blocks)
    assert find_tables(page, FindTables()).kept
    assert not find_tables(page, replace(FindTables(), min_cells=7)).kept
