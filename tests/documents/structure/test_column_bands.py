"""Headings over several columns of text part a page as lines across it do."""

from __future__ import annotations

import pytest
from page_making import detection_of, inspection, line

from documents.structure.build_page import compose_page, draft_regions
from documents.structure.column_bands import headings_over_columns
from documents.structure.footnotes import PlacedRegion
from documents.values import BoundingBox

WORDS = "words of the harbour office that fill a line"


def placed(x0, y0, x1, y1, kind="plain text"):
    return PlacedRegion(kind, BoundingBox(x0=x0, y0=y0, x1=x1, y1=y1), WORDS)


HEADING = placed(60, 300, 160, 314, "title")
LEFT, RIGHT = placed(60, 330, 290, 400), placed(310, 330, 540, 380)


def wide(*regions):
    """From where to where the first region reaches as a heading; None if it stands over no columns."""
    boxes = headings_over_columns(regions, [0], 10.0)
    return (boxes[0].x0, boxes[0].x1) if boxes else None


def test_a_heading_above_columns_that_begin_level_is_as_wide_as_they_are():
    assert wide(HEADING, LEFT, RIGHT) == (60, 540)
    assert wide(HEADING, LEFT, RIGHT, placed(60, 100, 290, 280), placed(310, 100, 540, 270)) == (60, 540)


@pytest.mark.parametrize(
    "others",
    [
        [LEFT],
        [LEFT, placed(310, 342, 540, 380)],  # begins lower
        [LEFT, RIGHT, placed(310, 100, 540, 326)],  # the column goes on beside the heading
        [LEFT, RIGHT, placed(310, 300, 400, 314, "title")],  # has a heading of its own
        [LEFT, RIGHT, placed(310, 100, 540, 294)],  # no more room above than between paragraphs
        [placed(60, 390, 290, 400), placed(310, 390, 540, 400)],  # too far below
    ],
)
def test_a_heading_of_one_column_stays_one(others):
    """Guards against a page of two columns that is cut where a heading of the left happens to stand."""
    assert wide(HEADING, *others) is None


def test_both_columns_above_a_heading_in_mid_page_are_read_before_it():
    """Guards against bullets of the right that come after the next section's of the left."""
    lines = [line(f"{n} {WORDS}", x=x, y=y, width=220) for n, x, y in (
        (1, 60, 100), (2, 310, 100), (3, 60, 230), (4, 310, 230),
    )]  # fmt: skip
    headings = [line("Lessons", x=60, y=y, size=14.0, width=60, bold=True) for y in (60, 190)]
    page = inspection(*lines, *headings)
    boxes = [
        detection_of(
            "title" if one in headings else "plain text", *(getattr(one.box, k) for k in ("x0", "y0", "x1", "y1"))
        )
        for one in (*lines, *headings)
    ]
    regions = compose_page(page, draft_regions(page, boxes), {}, {}).regions
    assert [region.text[0] for region in regions] == ["L", "1", "2", "L", "3", "4"]
