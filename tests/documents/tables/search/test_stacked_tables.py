"""Tables of different columns one above another, with headings or nothing between them."""

from __future__ import annotations

import pytest
from page_making import box, detection_of, inspection, printed, printed_table

from documents.inspection import Grid, Ruling
from documents.page.build_page import compose_page, draft_regions
from documents.tables.written.table_markup import texts

COSTS = [["District", "Staff", "Share"], ["Harbour", "12,400", "44"], ["Hills", "4,000", "20"], ["Coast", "900", "9"]]
VISITORS = [["", "2022", "2023", "2024"], ["Spring", "204", "310", "402"], ["Summer", "20", "", "411"]]
DUTIES = [["Role", "Deputy"], ["Master", "Clerk"], ["Clerk", "Nobody"]]
WIDTHS = {4: 94.5, 3: 126.0, 2: 189.0}  # of columns: all tables are equally wide


def stacked(*tables, heading):
    """A page of (rows, "ruled" or "plain") from the top, and what the network saw: each table and heading."""
    lines, grids, rules, detections, y = [], [], [], [], 60.0
    for k, (rows, style) in enumerate(tables):
        if heading:
            lines.append(printed(f"Heading number {k}", 60, y, size=13.0, bold=True))
            detections.append(detection_of("title", 58, y - 2, 180, y + 15))
            y += 30
        width, end = WIDTHS[len(rows[0])], y + 20 * len(rows)
        lines += printed_table(rows, x=60, y=y + 4, width=width)
        if style == "ruled":
            cells = [
                box(55 + width * c, y + 20 * r, 55 + width * (c + 1), y + 20 * r + 20)
                for r in range(len(rows))
                for c in range(len(rows[0]))
            ]
            grids.append(Grid(box=box(55, y, 433, end), cells=tuple(cells)))
            rules += [Ruling(box=box(55, y + 20 * r, 433, y + 20 * r + 0.5)) for r in range(len(rows) + 1)]
        detections.append(detection_of("table", 56, y + 2, 430, end - 1, score=0.5))
        y = end + (20 if heading else 12)
    return inspection(*lines).model_copy(update={"grids": tuple(grids), "rules": tuple(rules)}), detections


def read(page_inspection, detections):
    regions = compose_page(page_inspection, draft_regions(page_inspection, detections), {}, {}).regions
    return [texts(r.table) for r in regions if r.kind == "table"], [r.text for r in regions if r.kind != "table"]


@pytest.mark.parametrize(
    ("styles", "heading"),
    [*((styles, heading) for styles in ("rpr", "prp", "rrp", "prr") for heading in (True, False)), ("rpp", True)],
)
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
def test_each_of_several_stacked_tables_is_one(heading, styles, order):
    """Guards against a plain table that ran along the rules of the ruled ones around it, headings and all."""
    tables = [(COSTS, VISITORS, DUTIES)[k] for k in order]
    kinds = [{"r": "ruled", "p": "plain"}[style] for style in styles]
    page_inspection, detections = stacked(*zip(tables, kinds, strict=True), heading=heading)
    assert read(page_inspection, detections) == (tables, [f"Heading number {k}" for k in range(3)] if heading else [])


def test_a_heading_that_the_network_saw_is_no_row_of_the_tables_around_it():
    """Guards against two plain tables of the same columns that became one, with the heading as the name of a group."""
    tables = [COSTS, [["Boat", "Built", "Crew"], ["Alma", "1998", "12"], ["Skua", "2016", "7"]]]
    page_inspection, detections = stacked(*((rows, "plain") for rows in tables), heading=True)
    assert read(page_inspection, detections) == (tables, ["Heading number 0", "Heading number 1"])
