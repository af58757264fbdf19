"""Drawn pages know their regions."""

import random

import numpy as np
import pytest

from training.layout.augment import place, sample
from training.layout.batches import drawn_page
from training.layout.classes import CLASSES, FORM_CAP
from training.layout.pages.draw import KINDS, draw
from training.layout.pages.page import Page
from training.layout.pages.scan import scanned

SEEDS = range(24)


@pytest.fixture(scope="module")
def pages():
    return [draw(seed) for seed in SEEDS]


def test_every_region_lies_on_its_page(pages):
    """A box outside the picture teaches the network to find what cannot be seen."""
    assert len(CLASSES) - 1 == FORM_CAP
    assert sum(len(page.boxes) for page in pages) > 5 * len(pages)
    for page in pages:
        for cls, (x0, y0, x1, y1) in page.boxes:
            assert 0 <= cls < len(CLASSES)
            assert 0 <= x0 < x1 <= page.w
            assert 0 <= y0 < y1 <= page.h


def test_one_seed_gives_one_page(pages):
    """Figures on drawn pages must compare from run to run."""
    again = draw(SEEDS[5])
    assert again.boxes == pages[5].boxes
    assert np.array_equal(np.asarray(again.im), np.asarray(pages[5].im))


def test_every_kind_of_page_can_be_drawn():
    """A kind that fails is met after hours, in a worker."""
    kinds: dict[str, int] = {}
    for seed in range(1000):
        kinds.setdefault(random.Random(seed).choices(list(KINDS), list(KINDS.values()))[0], seed)
    assert set(kinds) == set(KINDS)
    for seed in kinds.values():
        assert draw(seed).boxes


def test_a_rotated_scan_moves_its_boxes():
    """A skewed page with upright boxes teaches crops that cut lines."""
    for seed in range(20):
        page = Page(random.Random(seed), 1600, 300, lang="latin", pt=12)
        page.paper, page.ink = (255, 255, 255), (0, 0, 0)
        page.im.paste((255, 255, 255), (0, 0, 1600, 300))
        page.d.rectangle((1450, 120, 1550, 150), (0, 0, 0))
        page.label(0, (1450, 120, 1551, 151))
        scanned(page)
        grey = np.asarray(page.im.convert("L")).astype(float)
        ys, xs = np.nonzero(grey < (grey.min() + np.median(grey)) / 2)
        ((_, (x0, y0, x1, y1)),) = page.boxes
        assert x0 - 3 <= np.percentile(xs, 2)
        assert np.percentile(xs, 98) <= x1 + 3
        assert y0 - 3 <= np.percentile(ys, 2)
        assert np.percentile(ys, 98) <= y1 + 3


def test_boxes_follow_a_page_into_the_square():
    """Boxes scaled or shifted otherwise than pixels are noise."""
    rest = drawn_page(0)
    for seed in range(12):
        r = random.Random(seed)
        square = np.full((448, 320, 3), 114, np.uint8)
        rows = place(rest, r, square, whole=seed % 2 == 0)
        assert (rows[:, 1:] >= 0).all()
        assert (rows[:, [1, 3]] <= 320).all()
        assert (rows[:, [2, 4]] <= 448).all()
        if seed % 2 == 0:
            assert len(rows) == len(rest.rows)


def test_an_image_has_the_size_that_was_asked_for():
    """A batch of unlike sizes cannot be stacked."""
    rest, r, g = [drawn_page(1)], random.Random(0), np.random.default_rng(0)
    for calm in (False, True):
        for _ in range(15):
            image, rows = sample(rest, r, g, 160, 112, calm=calm)
            assert image.shape == (160, 112, 3)
            assert image.dtype == np.uint8
            assert rows.shape[1] == 5
