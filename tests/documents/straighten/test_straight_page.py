"""`documents.straighten.straight_page`: pages that are pictures, set straight."""

import cv2
import numpy as np
import pytest
from drawn_text import on_desk, sheet_of_text, turned

from documents.boxes import BoundingBox
from documents.errors import PageFailed
from documents.inspection import InkGrid, Inspection
from documents.straighten.pose import Pose, moved
from documents.straighten.skew import Lean, find_lean, letter_points
from documents.straighten.straight_page import StraightPage, WholePage, find_pose
from documents.values import PageWarning


def page_of(picture: np.ndarray) -> WholePage:
    """At 144 dpi."""

    def draw(zoom: float) -> np.ndarray:
        return cv2.resize(picture, None, fx=zoom / 2, fy=zoom / 2, interpolation=cv2.INTER_AREA)

    return WholePage(picture.shape[1] / 2, picture.shape[0] / 2, draw)


def lean_of(page: WholePage, pose: Pose) -> float:
    grey = StraightPage(page, pose, 10**8).picture(1200, None, None, 0)[:, :, 0]
    points = letter_points(np.ascontiguousarray(grey))
    assert points is not None
    skew = find_lean(points)
    assert not skew.upended
    return skew.degrees


@pytest.mark.parametrize("degrees", [-4.6, 2.0])
@pytest.mark.parametrize("quarters", [0, 1])
def test_lines_of_a_skewed_page_run_level(degrees: float, quarters: int) -> None:
    """Guards against strips that cut across lines."""
    page = page_of(np.ascontiguousarray(np.rot90(turned(sheet_of_text(), degrees), -quarters)))
    assert abs(lean_of(page, find_pose(page))) < 0.15


def test_a_photographed_sheet_fills_the_page_and_runs_level() -> None:
    """Guards against a desk that is read, and lines that still converge."""
    page = page_of(on_desk(sheet_of_text(), [(70, 50), (930, 90), (900, 1240), (40, 1200)]))
    pose = find_pose(page)
    assert abs(lean_of(page, pose)) < 0.2
    drawn = StraightPage(page, pose, 10**8).picture(600, None, None, 0)
    assert np.mean(drawn[:, :, 0] < 90) < 0.1, "the desk is left out"


def test_a_straight_page_is_left_alone() -> None:
    """Guards against clean scans that are drawn again, and blurred, for nothing."""
    page = page_of(sheet_of_text())
    assert find_pose(page).shows(page.width, page.height)


@pytest.mark.parametrize(("degrees", "looks"), [(0.0, 1), (2.0, 2)])
def test_a_page_is_looked_at_again_only_after_it_was_turned(
    degrees: float, looks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards against an upright scan whose lines are measured twice over for the same answer."""
    leans: list[float] = []

    def counted(points: np.ndarray) -> Lean:
        lean = find_lean(points)
        leans.append(lean.degrees)
        return lean

    monkeypatch.setattr("documents.straighten.straight_page.find_lean", counted)
    find_pose(page_of(turned(sheet_of_text(), degrees)))
    assert len(leans) == looks


def test_a_page_is_drawn_once_at_the_resolution_of_its_crops() -> None:
    """Guards against a scan of 35 megapixels that is scaled down again for every stage that looks at it coarser."""
    picture = sheet_of_text()
    zooms: list[float] = []

    def draw(zoom: float) -> np.ndarray:
        zooms.append(zoom)
        return page_of(picture).draw(zoom)

    page = WholePage(picture.shape[1] / 2, picture.shape[0] / 2, draw)
    straight = StraightPage(page, Pose.of_page(page.width, page.height).model_copy(update={"uneven": True}), 10**8)
    crop = straight.picture(None, 144, BoundingBox(x0=10, y0=10, x1=90, y1=50), 0)
    for long_side in (200, 400, 300):
        straight.picture(long_side, None, None, 0)
    assert np.array_equal(straight.picture(None, 144, BoundingBox(x0=10, y0=10, x1=90, y1=50), 0), crop)
    assert len(zooms) == len(set(zooms)) == 4


def test_a_crop_is_the_part_that_was_asked_for() -> None:
    """Guards against boxes that are off by the page's turn, its scale or half a pixel."""
    picture = np.full((600, 400, 3), 255, np.uint8)
    picture[100:120, 300:340] = 0  # upright: at x 480..500, y 300..340 of the page turned back by 90
    pose = Pose.of_page(200, 300).turned(90)
    box = BoundingBox(x0=50, y0=30, x1=60, y1=50)  # points of the straightened page
    crop = StraightPage(page_of(picture), pose, 10**8).picture(None, 144, box, 0)
    assert crop.shape == (40, 20, 3)
    assert crop.mean() < 20


def test_a_crop_outside_is_refused() -> None:
    """Guards against an empty picture on its way to a model."""
    page = page_of(sheet_of_text())
    with pytest.raises(PageFailed):
        StraightPage(page, Pose.of_page(450, 600), 10**8).picture(
            None, 144, BoundingBox(x0=900, y0=0, x1=990, y1=50), 0
        )


def test_what_a_turned_page_warns_of_lies_where_the_straightened_page_has_it() -> None:
    """Guards against a box that is moved to the page though it never left it."""
    there = BoundingBox(x0=10, y0=20, x1=30, y1=60)
    warning = PageWarning(code="image_too_large", message="", page=1, box=there)
    page_inspection = Inspection(
        number=1, width=450, height=600, ink=InkGrid.of(np.zeros((4, 4), bool), 4.0), warnings=(warning,)
    )
    pose = Pose.of_page(450, 600).turned(90)
    (moved_warning,) = StraightPage(page_of(sheet_of_text()), pose, 10**8).inspection(page_inspection).warnings
    assert moved_warning.box == BoundingBox(x0=20, y0=420, x1=60, y1=440)
    assert moved(moved_warning.box, pose.to_page()) == there


@pytest.mark.parametrize("uneven", [False, True])
def test_a_page_without_colour_is_the_same_whether_it_is_drawn_grey_or_in_colour(uneven: bool) -> None:
    """Guards against a grey scan that is read otherwise than the same scan with three channels."""
    picture = turned(sheet_of_text(), 1.5)
    coloured = page_of(picture)
    grey = WholePage(coloured.width, coloured.height, lambda zoom: np.ascontiguousarray(coloured.draw(zoom)[:, :, 0]))
    pose = find_pose(coloured)
    assert find_pose(grey) == pose
    pages = [StraightPage(page, pose.model_copy(update={"uneven": uneven}), 10**8) for page in (coloured, grey)]
    box = BoundingBox(x0=40, y0=40, x1=300, y1=200)
    one, other = (page.picture(None, 144, box, 0) for page in pages)
    assert one.shape == (320, 520, 3)
    assert np.array_equal(one, other)
    plain = Inspection(number=1, width=450, height=600, ink=InkGrid.of(np.zeros((150, 113), bool), 4.0))
    one, other = (page.inspection(plain) for page in pages)
    assert one.printed_lines
    assert one == other


def test_a_coloured_page_keeps_its_colours() -> None:
    """Guards against a stamp that turns grey because most of its page is."""
    picture = turned(sheet_of_text(), 1.5)
    picture[100:130, 100:130] = (200, 30, 30)
    page = page_of(picture)
    drawn = StraightPage(page, find_pose(page), 10**8).picture(None, 144, None, 0)
    assert (drawn[:, :, 0].astype(int) - drawn[:, :, 1] > 100).sum() > 400


@pytest.mark.parametrize("zoom", [2.0, 1.37])
def test_a_straight_page_is_inspected_as_it_is_drawn(zoom: float) -> None:
    """A drawing ends in a part of a pixel: to warp it for that made it softer."""
    picture = sheet_of_text()
    zooms = []

    def draw(pixels: float) -> np.ndarray:
        zooms.append(pixels)
        drawing = cv2.resize(picture, None, fx=pixels / 2, fy=pixels / 2, interpolation=cv2.INTER_AREA)
        return np.pad(drawing, ((0, 1), (0, 1), (0, 0)), mode="edge")

    width, height = picture.shape[1] / 2, picture.shape[0] / 2
    page = StraightPage(WholePage(width, height, draw), Pose.of_page(width, height), 10**8)
    part = page._part(zoom, page._sheet)
    assert zooms == [zoom]
    assert np.array_equal(part, draw(zoom)[:, :, 0])
    assert not part.flags.writeable, "the next one gets it, too"
