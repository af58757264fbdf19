"""Calls to the renderer with a pose: all speak of the straightened page, and none spoils the next one without."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawn_text import sheet_of_text, turned

from documents.boxes import BoundingBox
from documents.straighten.pose import Pose


@pytest.fixture
def scanned(tmp_path, source):
    """A scan of text, leaning by two degrees."""
    picture = turned(sheet_of_text(), 2.0)
    cv2.imwrite(str(tmp_path / "scan.png"), picture)
    return source(tmp_path / "scan.png")


def test_a_leaning_scan_is_posed_and_drawn_straight(scanned, with_pool):
    """Guards against a pose that is lost on its way into the child, or back."""

    async def use(pool):
        pose = await pool.pose(scanned, 1)
        page_inspection = await pool.inspect(scanned, 1, pose=pose)
        plain = await pool.inspect(scanned, 1)
        drawn = await pool.picture(scanned, 1, long_side=600, pose=pose)
        return pose, page_inspection, plain, drawn

    pose, page_inspection, plain, drawn = with_pool(use)
    assert not pose.shows(plain.width, plain.height)
    assert (page_inspection.width, page_inspection.height) == pytest.approx(pose.size)
    assert max(drawn.shape) == 600
    inked = (drawn[:, :, 0] < 128).any(axis=1)
    assert 0.1 < inked.mean() < 0.9, "level lines leave blank rows between them"


def test_a_box_is_one_of_the_posed_page_and_the_next_call_has_no_pose(scanned, with_pool):
    """Guards against crops of the wrong page: the child keeps the straightened page that it drew last."""

    async def use(pool):
        first = await pool.inspect(scanned, 1)
        half = Pose.of_page(first.width, first.height).turned(180)
        box = BoundingBox(x0=0, y0=0, x1=first.width, y1=first.height / 4)
        there = BoundingBox(x0=0, y0=0.75 * first.height, x1=first.width, y1=first.height)
        posed = await pool.picture(scanned, 1, dpi=72, box=box, pose=half)
        plain = await pool.picture(scanned, 1, dpi=72, box=there)
        return posed, plain, await pool.inspect(scanned, 1) == first

    posed, plain, same = with_pool(use)
    assert posed.shape == plain.shape
    assert np.abs(posed[::-1, ::-1].astype(int) - plain).mean() < 12
    assert same
