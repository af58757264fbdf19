"""Training images of pages: whole, cropped or four in one, with contrast, tint, noise and inversion; no flips."""

from __future__ import annotations

import random

import cv2
import numpy as np

from training.layout.training_pages import TrainingPage

GREY = 114  # what surrounds a page, as in detection
MIN_SEEN = 0.2  # of a box's area: a smaller rest of it after cropping is no region


def place(page: TrainingPage, r: random.Random, square: np.ndarray, *, whole: bool) -> np.ndarray:
    """Paste a page into the square, whole or cropped; its visible boxes: class, x0, y0, x1, y1."""
    (big_h, big_w), half = square.shape[:2], whole and max(square.shape) < 480
    image = cv2.imdecode(page.jpeg, cv2.IMREAD_REDUCED_COLOR_2 if half else cv2.IMREAD_COLOR)  # half decodes faster
    assert image is not None
    h, w = image.shape[:2]
    rows = page.rows / (1, 2, 2, 2, 2) if half else page.rows
    k = min(big_h / h, big_w / w) * (r.uniform(0.8, 1.0) if whole else r.uniform(1.0, 2.2))
    k = min(k, big_h / h, big_w / w) if whole and r.random() < 0.7 else k
    how = r.choice((cv2.INTER_AREA, cv2.INTER_AREA, cv2.INTER_LINEAR))
    image = cv2.resize(image, (round(w * k), round(h * k)), interpolation=how)
    h, w = image.shape[:2]
    y, x = _offset(r, big_h, h), _offset(r, big_w, w)
    square[max(0, y) : y + h, max(0, x) : x + w] = image[max(0, -y) : big_h - y, max(0, -x) : big_w - x]
    full = rows * (1, k, k, k, k) + (0, x, y, x, y)
    page_drawn = full.copy()
    page_drawn[:, 1::2], page_drawn[:, 2::2] = full[:, 1::2].clip(0, big_w), full[:, 2::2].clip(0, big_h)
    size, left = full[:, 3:] - full[:, 1:3], page_drawn[:, 3:] - page_drawn[:, 1:3]
    return page_drawn[(left > 2).all(1) & (left.prod(1) > MIN_SEEN * size.prod(1))]


def sample(
    pages: list[TrainingPage], r: random.Random, g: np.random.Generator, h: int, w: int, *, calm: bool
) -> tuple[np.ndarray, np.ndarray]:
    """One image, uint8 BGR (h, w, 3), and its boxes; `calm`: seldom cropped, as the end of training wants it."""
    square, kind = np.full((h, w, 3), GREY, np.uint8), r.random()
    if kind < (0.02 if calm else 0.1):
        corners = [(i, j) for i in (0, h // 2) for j in (0, w // 2)]
        parts: list[np.ndarray] = []
        for i, j in corners:
            quarter = square[i : i + h // 2, j : j + w // 2]
            placed = place(r.choice(pages), r, quarter, whole=r.random() < 0.5)
            parts.append(placed + np.array((0, j, i, j, i)))
        rows = np.concatenate(parts)
    else:
        rows = place(r.choice(pages), r, square, whole=kind > (0.1 if calm else 0.35))
    return _tinted(square, r, g), rows


def _offset(r: random.Random, room: int, length: int) -> int:
    """Where a page begins along one side: in the middle, or anywhere."""
    if room >= length and r.random() < 0.7:
        return (room - length) // 2
    return r.randint(min(0, room - length), max(0, room - length))


def _tinted(square: np.ndarray, r: random.Random, g: np.random.Generator) -> np.ndarray:
    a = square.astype(np.float32)
    if r.random() < 0.3:
        a = 255 - a if r.random() < 0.08 else (a - 128) * r.uniform(0.6, 1.15) + 128 + r.uniform(-20, 20)
    if r.random() < 0.15:
        a *= np.array([r.uniform(0.8, 1) for _ in range(3)], np.float32)
    if r.random() < 0.15:
        a += g.standard_normal((*square.shape[:2], 1), np.float32) * r.uniform(2, 12)
    return np.clip(a, 0, 255).astype(np.uint8)
