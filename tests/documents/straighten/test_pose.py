"""`documents.straighten.pose`: what is found on a straightened page is true on the page as it came."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from page_making import box, page, region

from documents.region_values import ListItem, Table, TableCell, TextRegion, table_in
from documents.straighten.pose import Pose, moved, on_page
from documents.values import DroppedLine, PageWarning

WIDE = Pose.of_page(600, 800)


@pytest.mark.parametrize(("angle", "corner"), [(0, (10, 20)), (90, (580, 10)), (180, (590, 780)), (270, (20, 790))])
def test_a_box_of_a_turned_page_is_found_where_it_was_printed(angle: int, corner: tuple[float, float]) -> None:
    """Guards against quarters counted the wrong way round."""
    pose = WIDE.turned(angle)
    assert pose.angle == angle
    assert pose.size == ((600, 800) if angle % 180 == 0 else (800, 600))
    point = moved(box(10, 20, 10, 20), pose.to_page())
    assert (point.x0, point.y0) == pytest.approx(corner)


@given(st.lists(st.tuples(*[st.floats(-20, 20)] * 2), min_size=4, max_size=4), st.sampled_from([0, 90, 180, 270]))
def test_every_corner_goes_home(shifts: list[tuple[float, float]], angle: int) -> None:
    """Guards against a homography that maps but three corners."""
    moved_corners = [(x + dx, y + dy) for (x, y), (dx, dy) in zip(WIDE.corners, shifts, strict=True)]
    pose = Pose(size=WIDE.size, corners=tuple(moved_corners)).turned(angle)
    (width, height), matrix = pose.size, pose.to_page()
    for (u, v), corner in zip(((0, 0), (width, 0), (width, height), (0, height)), pose.corners, strict=True):
        x, y, scale = matrix @ np.array([u, v, 1.0])
        assert (x / scale, y / scale) == pytest.approx(corner, abs=1e-6)


def test_all_boxes_of_a_page_are_moved_and_type_keeps_its_size() -> None:
    """Guards against cells or warnings left in the points of the straightened page, and lines as high as a column."""
    cell = TableCell(row=0, column=0, text="a", box=box(10, 20, 40, 30))
    one = region("a", corners=(10, 20, 110, 30))
    span = one.spans[0].model_copy(update={"source": "ocr", "font_size": None})
    items = (ListItem(line=0, marker="a", box=box(10, 20, 15, 30)),)
    one = one.model_copy(update={"spans": (span,), "items": items})
    rows = Table(num_rows=1, num_columns=1, num_header_rows=0, cells=(cell,))
    whole = page(one, region("a", "table", table=rows), size=(800, 600)).model_copy(
        update={
            "warnings": (PageWarning(code="low_confidence", message="", box=box(10, 20, 110, 30)),),
            "dropped": (DroppedLine(text="a", box=box(10, 20, 110, 30), reason="asked for"),),
        }
    )
    moved_page = on_page(whole, WIDE.turned(90), (600, 800))
    there = box(570, 10, 580, 110)
    assert moved_page.size == (600, 800)
    assert moved_page.regions[0].box == there == moved_page.warnings[0].box == moved_page.dropped[0].box
    assert moved_page.regions[0].angle == 90
    assert moved_page.regions[0].spans[0].box == there
    assert moved_page.regions[0].spans[0].font_size == pytest.approx(20), "an a is half as high as its type"
    text, table = moved_page.regions
    assert isinstance(text, TextRegion)
    assert text.items[0].box == box(570, 10, 580, 15)
    moved_rows = table_in(table)
    assert moved_rows is not None
    assert moved_rows.cells[0].box == box(570, 10, 580, 40)


def test_only_a_page_that_moves_is_drawn_anew() -> None:
    """Guards against needless resampling of clean scans."""
    assert WIDE.shows(600, 800)
    assert not WIDE.turned(180).shows(600, 800)
    assert not WIDE.model_copy(update={"uneven": True}).shows(600, 800)
    assert not Pose.of_page(300, 800).shows(600, 800), "the left half of a page is not the page"


SLANTED = Pose(size=(600, 800), corners=((5, 0), (600, 6), (595, 800), (0, 794)))


@pytest.mark.parametrize(
    ("pose", "changes"),
    [
        (WIDE, ()),
        (WIDE.turned(90), ("turned",)),
        (WIDE.turned(270).model_copy(update={"uneven": True}), ("turned", "evened")),
        (SLANTED, ("deskewed",)),
        (SLANTED.turned(180), ("turned", "deskewed")),
    ],
)
def test_what_is_done_to_a_page_is_told_apart(pose: Pose, changes: tuple[str, ...]) -> None:
    """Guards against every turned page counted as skewed, which would hide a scanner that feeds askew."""
    assert pose.changes(600, 800) == changes
