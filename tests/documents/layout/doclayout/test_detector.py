"""Regions of page pictures, whatever shares the batch."""

from __future__ import annotations

import asyncio
import functools
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from documents.errors import PageFailed
from documents.layout.doclayout.detector import Detector, Thresholds
from documents.layout.errors import LayoutCheckpointError
from documents.sandbox import RendererPool

CHECKPOINT = Path(__file__).parents[4] / "checkpoints" / "layout-compact"


@pytest.fixture(scope="module")
def detector():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield Detector(CHECKPOINT)
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def pictures():
    from tests.documents.conftest import DATA, source_of

    async def draw():
        pool = RendererPool(1)
        try:
            columns, scan = source_of(DATA / "columns.pdf"), source_of(DATA / "scan.png")
            drawn = [await pool.picture(columns, number, long_side=640) for number in (1, 2)]
            return [*drawn, await pool.picture(scan, 1, long_side=640)]
        finally:
            await pool.close()

    return asyncio.run(draw())


MATES = st.sampled_from(["columns", "prose", "scan", "black", "white", "strip", "thread", "dot", "noise", "cut"])
SIZE = (612.0, 792.0)


@pytest.fixture(scope="module")
def mates(pictures):
    """Pages by name, of all sizes, real and worst."""
    noise = np.random.default_rng(0).integers(0, 255, (500, 300, 3), np.uint8)
    return {
        **dict(zip(("columns", "prose", "scan"), pictures, strict=True)),
        "black": np.zeros((640, 480, 3), np.uint8),
        "white": np.full((300, 900, 3), 255, np.uint8),
        "strip": np.zeros((3, 20_000, 3), np.uint8),
        "thread": np.full((20_000, 1, 3), 90, np.uint8),
        "dot": np.zeros((1, 1, 3), np.uint8),
        "noise": noise,
        "cut": pictures[0][50:333, 20:400],
    }


@pytest.fixture(scope="module")
def alone(detector, mates):
    """What each page gives by itself, found when first asked for."""
    return functools.cache(lambda name: detector.detect([mates[name]], [SIZE])[0])


@given(names=st.lists(MATES, min_size=1, max_size=9))
@settings(max_examples=8, deadline=None)
def test_a_layout_page_gives_the_same_regions_in_any_batch_and_order(detector, mates, alone, names):
    """Guards against results that depend on other people's documents."""
    for name, regions in zip(names, detector.detect([mates[name] for name in names], [SIZE] * len(names)), strict=True):
        assert [one.kind for one in regions] == [one.kind for one in alone(name)]
        for a, b in zip(regions, alone(name), strict=True):
            assert a.score == pytest.approx(b.score, abs=1e-4)
            assert np.allclose(list(a.box.model_dump().values()), list(b.box.model_dump().values()), atol=0.01)


def test_one_pass_of_many_gives_the_same_regions_too(detector, pictures, monkeypatch):
    """Guards against the GPU's way, one pass a batch, that finds other regions than a page alone."""
    apart = detector.detect(pictures, [SIZE] * 3)
    monkeypatch.setattr(detector._runner, "rows", lambda squares: list(detector._runner.step(squares)))
    for one, other in zip(apart, detector.detect(pictures, [SIZE] * 3), strict=True):
        assert [region.kind for region in one] == [region.kind for region in other]
        for a, b in zip(one, other, strict=True):
            assert a.score == pytest.approx(b.score, abs=1e-4)
            assert np.allclose(list(a.box.model_dump().values()), list(b.box.model_dump().values()), atol=0.01)


def test_boxes_are_in_points_where_the_size_is_known_and_else_in_pixels(detector, pictures):
    """Guards against boxes in two units, off by the scale of the picture."""
    points, pixels = detector.detect([pictures[0]] * 2, [(612.0, 792.0), None])
    scale = 792 / 640
    assert points[0].box.x1 == pytest.approx(pixels[0].box.x1 * scale, rel=0.01)
    assert all(0 <= region.box.x0 < region.box.x1 <= 612 for region in points)


def test_columns_of_text_are_found(detector, pictures):
    """Guards against weights that were loaded wrongly and find nothing."""
    (regions,) = detector.detect([pictures[0]], [(612.0, 792.0)])
    texts = [one.box for one in regions if one.kind == "plain text"]
    assert any(box.x1 < 310 for box in texts)
    assert any(box.x0 > 300 for box in texts)


def test_a_bad_picture_fails_alone(detector, pictures):
    """Guards against one page taking its batch along."""
    bad = np.zeros((4, 4), np.uint8)
    first, second, third = detector.detect([bad, pictures[1], np.zeros((0, 5, 3), np.uint8)], [None] * 3)
    for failed in (first, third):
        assert isinstance(failed, PageFailed)
        assert failed.message == "layout detection cannot use the page's picture"
    assert len(second) >= 2


def test_a_page_whose_pass_fails_or_gives_no_numbers_fails_alone(detector, pictures, monkeypatch):
    """Guards against a page that silently has no regions because half floats ran over."""
    rows = detector._runner.rows

    def broken(squares):
        _, second, third = rows(squares)
        return [None, torch.full_like(second, torch.nan), third]

    monkeypatch.setattr(detector._runner, "rows", broken)
    first, second, third = detector.detect(pictures, [None] * 3)
    assert first.message == "the layout model failed on this page"
    assert second.message == "the layout model returned invalid numbers for this page"
    assert third


def test_loading_prints_nothing(capfd):
    """Guards against the package's own notes among the server's output."""
    Detector(CHECKPOINT)
    assert "".join(capfd.readouterr()) == ""


def test_thresholds_can_be_set_for_a_call(detector, pictures):
    """Guards against settings of confidence that nobody reads."""
    (few,) = detector.detect([pictures[0]], [None], confidence=0.8)
    (many,) = detector.detect([pictures[0]], [None], confidence=0.05, iou_threshold=0.95)
    assert len(few) < len(many)
    assert all(region.score > 0.8 for region in few)


def test_thresholds_differ_by_class_and_by_page(detector, pictures):
    """Guards against a batch whose pages all get the thresholds of the first."""
    square = detector.fit(pictures[0])
    few, many = detector.detect_squares([square] * 2, [Thresholds(confidence=0.8), Thresholds(confidence=0.05)])
    assert len(few) < len(many)
    picky = Detector(CHECKPOINT, class_confidence={"plain text": 0.999})
    (regions,) = picky.detect([pictures[0]], [None])
    assert {one.kind for one in regions} == {one.kind for one in few + many if one.score > 0.15} - {"plain text"}


def test_overlaps_stay_where_no_suppression_is_asked(detector, pictures):
    """Guards against a published checkpoint, free of duplicates, whose regions are thinned out all the same."""
    (thinned,), (whole,) = (detector.detect([pictures[0]], [None], iou_threshold=limit) for limit in (0.6, 1.0))
    assert len(whole) > len(thinned)


def test_boxes_on_a_huge_page_are_exact(detector, pictures):
    """Guards against coordinates of a million points that are rounded to the next sixteenth of one."""
    small, huge = detector.detect([pictures[0]] * 2, [(1.0, 1.0), (1e6, 1e6)])
    assert huge[0].box.x1 == pytest.approx(small[0].box.x1 * 1e6, abs=1e-3)
    assert all(0 <= region.box.x0 <= region.box.x1 <= 1e6 for region in huge)


def test_name_size_and_margin_come_from_the_folder(detector):
    """Guards against another checkpoint that is fed pictures of this one's size."""
    assert (detector.name, detector.image_size) == ("layout-compact", 640)
    assert detector.crop_margin == (4 / 640, 1 / 640)


def test_a_class_that_does_not_exist_has_no_threshold():
    """Guards against a threshold that is silently never used because of its spelling."""
    with pytest.raises(LayoutCheckpointError, match="text"):
        Detector(CHECKPOINT, class_confidence={"text": 0.3})
