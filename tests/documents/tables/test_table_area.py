"""Tables that are printed sideways, alone on a page that a reader turns or beside upright text."""

from __future__ import annotations

import pytest
from page_making import box, inspection, kept, printed, printed_table

from documents.boxes import BoundingBox
from documents.inspection import Grid
from documents.page.build_page import compose_page, draft_regions
from documents.rotated_boxes import rotate_back
from documents.tables.written.table_markup import texts
from documents.values import Detection

ROWS = [["Week", "Mon", "Wed", "Fri"], *([str(k), "7", "1,040", "36"] for k in range(10, 16))]
SIZE = 420.0, 200.0  # of the part of the page that the table stands in, as its reader turns it


def turned(lines, angle):
    """Lines of an upright page as they lie on one that is turned by `angle`."""
    width, height = SIZE[::-1] if angle % 180 else SIZE

    def place(one):
        return rotate_back(one, angle, width, height)

    return [
        line.model_copy(
            update={
                "angle": angle,
                "box": place(line.box),
                "words": tuple(word.model_copy(update={"box": place(word.box)}) for word in line.words),
            }
        )
        for line in lines
    ]


def grid_of(rows, angle):
    cells = [box(55 + 90 * c, 15 + 20 * r, 145 + 90 * c, 35 + 20 * r) for r in range(len(rows)) for c in range(4)]
    width, height = SIZE[::-1] if angle % 180 else SIZE
    cells = [rotate_back(cell, angle, width, height) for cell in cells]
    around = BoundingBox.around(cells)
    return Grid(box=around, cells=tuple(cells))


def cells_on(page_inspection, detections=()):
    drafts = draft_regions(page_inspection, detections)
    (table,) = (r for r in compose_page(page_inspection, drafts, {}, {}).regions if r.kind == "table")
    return texts(table.table)


UPRIGHT = [
    printed("The harbour authority publishes its tariff every spring and keeps", 60, 500 + 14 * k) for k in range(6)
]


@pytest.mark.parametrize("angle", [90, 180, 270])
@pytest.mark.parametrize("beside", [[], UPRIGHT])
@pytest.mark.parametrize("num_rows", [4, 7])
def test_a_ruled_sideways_table_has_the_rows_of_who_turns_the_page(angle, beside, num_rows):
    """Guards against a page without a table: grids were compared with upright words alone."""
    rows = ROWS[:num_rows]
    lines = turned(printed_table(rows, x=60, y=20, width=90), angle)
    page_inspection = inspection(*lines, *beside).model_copy(update={"grids": (grid_of(rows, angle),)})
    assert cells_on(page_inspection) == rows


@pytest.mark.parametrize("angle", [90, 270])
@pytest.mark.parametrize("beside", [[], UPRIGHT])
def test_sideways_rows_of_values_are_a_table_beside_upright_text_too(angle, beside):
    lines = turned(printed_table(ROWS, x=60, y=20, width=90), angle)
    around = BoundingBox.around([line.box for line in lines])
    detected = Detection(kind="table", box=around, score=0.8)
    assert cells_on(inspection(*lines, *beside), [detected]) == ROWS


def test_the_names_of_a_chart_s_axis_are_no_table():
    names = turned([printed(text, 60, 20 + 20 * k) for k, text in enumerate(["2019", "2020", "2021", "2022"])], 270)
    assert not [d for d in kept(inspection(*names, *UPRIGHT), []) if d.kind == "table"]
