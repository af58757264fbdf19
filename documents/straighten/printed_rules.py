"""Finds ruled lines in the picture of a scanned page."""

from __future__ import annotations

import cv2
import numpy as np

from documents.boxes import BoundingBox
from documents.inspection import Grid, Ruling
from documents.ocr_input.components import Components, around
from documents.ocr_input.ink_runs import InkRuns
from documents.straighten.local_ink import local_ink

WINDOW = 25  # pixels around a pixel whose light is compared with it
MIN_INK_CONTRAST = 22  # ink is darker than they are by at least this much, of 255
MIN_LEVEL_LENGTH = 36.0  # minimum length of a horizontal rule, in points
MIN_UPRIGHT_LENGTH = 16.0  # minimum length of a vertical rule, in points
MAX_THICKNESS = 4.0  # points
MAX_RULE_GAP = 1.5  # maximum gap in a rule, in points
MIN_CELL_SIDE = 4.0  # minimum length of a cell's shorter side, in points
MAX_RULES = 2000
MAX_CELLS = 2000


def printed_rules(grey: np.ndarray, zoom: float) -> tuple[tuple[Ruling, ...], tuple[Grid, ...]]:
    """Rules and the grids that they make, in points, of a page uint8 (height, width) at `zoom` pixels a point."""
    ink = local_ink(np.asarray(cv2.GaussianBlur(grey, (0, 0), 1.0), np.uint8), WINDOW, MIN_INK_CONTRAST)
    level = _runs(ink, MIN_LEVEL_LENGTH, zoom)
    upright = _transposed(_runs(_transposed(ink), MIN_UPRIGHT_LENGTH, zoom))
    rules = [*_boxes(level, zoom), *_boxes(upright, zoom)]
    if not rules or len(rules) > MAX_RULES:
        return (), ()
    return tuple(Ruling(box=box) for box in rules), tuple(_grids(level | upright, zoom))


def _runs(ink: np.ndarray, shortest: float, zoom: float) -> np.ndarray:
    """Where ink runs level for long, and is thin."""
    long, gap = max(3, round(shortest * zoom)), max(1, round(MAX_RULE_GAP * zoom))
    runs = np.zeros_like(ink)
    # a run that the picture's edge cuts off may be half as long
    apart = np.pad(ink, ((0, 0), (1, gap)))
    rows = np.unique(InkRuns.of(apart).closed(gap).long(long // 2 - gap).starts // apart.shape[1])
    if not len(rows):
        return runs
    closed = cv2.morphologyEx(ink[rows], cv2.MORPH_CLOSE, np.ones((1, gap), np.uint8))
    runs[rows] = cv2.morphologyEx(closed, cv2.MORPH_OPEN, np.ones((1, long), np.uint8))
    thickness = max(4, round(MAX_THICKNESS * zoom) + 2)
    part = around(runs, 2 * thickness)
    thicker = cv2.morphologyEx(runs[part], cv2.MORPH_OPEN, np.ones((thickness, 1), np.uint8))
    runs[part] &= ~np.asarray(cv2.dilate(thicker, np.ones((3, 3), np.uint8)), np.uint8)
    return runs


def _transposed(pixels: np.ndarray) -> np.ndarray:
    return np.asarray(cv2.transpose(pixels), np.uint8)


def _boxes(mask: np.ndarray, zoom: float) -> list[BoundingBox]:
    part = around(mask, 0)
    y0, x0 = part[0].start, part[1].start
    stats = Components.of(mask[part]).stats[1:] if mask[part].size else ()
    boxes = [
        _box(x0 + x, y0 + y, x0 + x + wide, y0 + y + high, zoom) for x, y, wide, high, _ in np.asarray(stats).tolist()
    ]
    return [box for box in boxes if min(box.width, box.height) <= MAX_THICKNESS]


def _grids(rules: np.ndarray, zoom: float) -> list[Grid]:
    """Cells are what rules enclose; those that share rules make a grid."""
    closed = np.asarray(cv2.morphologyEx(rules, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8)), np.uint8)
    least, grids = max(2, round(MIN_CELL_SIDE * zoom)), []
    for x, y, wide, high, _ in Components.of(closed).stats[1:].tolist():
        if wide < 4 * least or high < 2 * least:
            continue
        holes = np.pad(1 - closed[y : y + high, x : x + wide], 1, constant_values=1)
        _, labels, stats, _ = cv2.connectedComponentsWithStats(holes, connectivity=4)
        outside = int(labels[0, 0])
        cells = [
            _box(x + left - 1, y + top - 1, x + left - 1 + w, y + top - 1 + h, zoom)
            for k, (left, top, w, h, area) in enumerate(np.asarray(stats, int).tolist())
            if k not in (0, outside) and min(w, h) >= least and area >= 0.8 * w * h
        ]
        if 2 <= len(cells) <= MAX_CELLS:
            grids.append(Grid(box=_box(x, y, x + wide, y + high, zoom), cells=tuple(cells)))
    return grids


def _box(x0: float, y0: float, x1: float, y1: float, zoom: float) -> BoundingBox:
    return BoundingBox(x0=x0 / zoom, y0=y0 / zoom, x1=x1 / zoom, y1=y1 / zoom)
