"""Regions of page pictures, whatever shares the batch."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import numpy as np
import pytest
import torch

from documents.checkpoint import LayoutCheckpointError
from documents.detector import Detector, letterbox
from documents.errors import PageFailed
from documents.rendering import RendererPool

CHECKPOINT = Path(__file__).parents[2] / "checkpoints" / "layout-compact"


@pytest.fixture(scope="module")
def detector():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield Detector(CHECKPOINT)
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def pictures():
    from conftest import DATA, source_of

    async def draw():
        pool = RendererPool(1)
        try:
            columns, scan = source_of(DATA / "columns.pdf"), source_of(DATA / "scan.png")
            drawn = [await pool.picture(columns, number, long_side=640) for number in (1, 2)]
            return [*drawn, await pool.picture(scan, 1, long_side=640)]
        finally:
            await pool.close()

    return asyncio.run(draw())


def test_a_page_gives_the_same_regions_alone_and_in_any_batch(detector, pictures):
    """Guards against results that depend on other people's documents."""
    strip, noise = np.zeros((3, 900, 3), np.uint8), np.random.default_rng(0).integers(0, 255, (500, 300, 3), np.uint8)
    batch = [strip, *pictures, noise]
    together = detector.detect(batch, [(612.0, 792.0)] * len(batch))
    for index, picture in enumerate(pictures, 1):
        (alone,) = detector.detect([picture], [(612.0, 792.0)])
        assert [found.kind for found in together[index]] == [found.kind for found in alone]
        for a, b in zip(together[index], alone, strict=True):
            assert a.score == pytest.approx(b.score, abs=1e-4)
            assert np.allclose(list(a.box.model_dump().values()), list(b.box.model_dump().values()), atol=0.01)


def test_boxes_are_in_points_where_the_size_is_known_and_else_in_pixels(detector, pictures):
    """Guards against boxes in two units, off by the scale of the picture."""
    points, pixels = detector.detect([pictures[0]] * 2, [(612.0, 792.0), None])
    scale = 792 / 640
    assert points[0].box.x1 == pytest.approx(pixels[0].box.x1 * scale, rel=0.01)
    assert all(0 <= found.box.x0 < found.box.x1 <= 612 for found in points)


def test_columns_of_text_are_found(detector, pictures):
    """Guards against weights that were loaded wrongly and find nothing."""
    (found,) = detector.detect([pictures[0]], [(612.0, 792.0)])
    texts = [one.box for one in found if one.kind == "plain text"]
    assert any(box.x1 < 310 for box in texts)
    assert any(box.x0 > 300 for box in texts)


def test_a_bad_picture_fails_alone(detector, pictures):
    """Guards against one page taking its batch along."""
    bad = np.zeros((4, 4), np.uint8)
    first, second, third = detector.detect([bad, pictures[1], np.zeros((0, 5, 3), np.uint8)], [None] * 3)
    for failed in (first, third):
        assert isinstance(failed, PageFailed)
        assert failed.message == "the page's picture cannot be searched for regions"
    assert len(second) >= 2


def test_a_step_that_fails_for_one_picture_fails_that_picture_alone(detector, pictures, monkeypatch):
    """Guards against a batch that is lost because one of its pages, or their number, was too much for the device."""
    whole, sizes = detector._step, []

    def scarce(group):
        sizes.append(len(group))
        if len(group) > 1 or group[0].index == 1:
            raise torch.OutOfMemoryError("tried to allocate 20 GiB")
        return whole(group)

    monkeypatch.setattr(detector, "_step", scarce)
    first, second, third = detector.detect(pictures, [None] * 3)
    assert sizes == [3, 1, 1, 1]
    assert isinstance(second, PageFailed)
    assert second.message == "the layout model failed on this page"
    assert len(first) >= 2
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
    assert all(found.score > 0.8 for found in few)


def test_name_size_and_margin_come_from_the_folder(detector):
    """Guards against another checkpoint that is fed pictures of this one's size."""
    assert (detector.name, detector.image_size) == ("layout-compact", 640)
    assert detector.crop_margin == (4 / 640, 1 / 640)


@pytest.mark.parametrize("shape", [(1, 1, 3), (1, 20000, 3), (20000, 1, 3), (640, 640, 3)])
def test_any_shape_fits_the_square(shape):
    """Guards against strips and threads of pages that shrink to nothing."""
    square, scale, x, y = letterbox(np.zeros(shape, np.uint8), 640)
    assert square.shape == (640, 640, 3)
    assert min(x, y) >= 0
    assert scale > 0


def test_unknown_classes_are_refused(tmp_path):
    """Guards against a checkpoint of other classes whose regions are misnamed."""
    config = json.loads((CHECKPOINT / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps({**config, "classes": ["cat"]}))
    (tmp_path / "model.safetensors").write_bytes(b"")
    with pytest.raises(LayoutCheckpointError, match="cat"):
        Detector(tmp_path)
