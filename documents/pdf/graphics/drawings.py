"""Finds where a PDF page draws more than rules: clusters of near paths, and how much of each runs aslant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import cv2
import numpy as np
import pymupdf

from documents.boxes import BoundingBox
from documents.inspection import Drawing

CELL_POINTS = 3.0  # paths that touch the same or neighbouring cells of this side belong to one drawing
CELL_MARGIN = 1  # each path is widened by this number of cells
MAX_SIDE = 400  # cells: larger pages have larger ones
MIN_GROUND_SHARE = 0.7  # a path around this share of the page is its ground or frame
MIN_SLANT = 0.5  # a slanted line runs at least this many points both horizontally and vertically
MAX_DOT_POINTS = 8.0  # shapes and bends up to this size are bullets, dots, corners of boxes
MAX_CORNER_CURVES = 8  # maximum number of curves of a box with round corners
MAX_HEAD_LINES = 6  # maximum number of lines of an arrow's head
MIN_ARROW_HEAD = 2.0  # points
MAX_ARROW_HEAD = 16.0  # points
MAX_HEAD_GAP = 2.5  # maximum distance between the head of an arrow and its line, in points
MAX_HEADS = 500
MIN_DRAWING_SIDE = 12.0  # smaller drawings (points) are ornaments, ticks, bullets
MAX_DRAWINGS = 200
MAX_PATHS = 20_000  # maximum number of paths that are compared
WHITE_LEVEL = 0.99

_Edges = tuple[float, float, float, float]


def drawings(page: pymupdf.Page, paths: Sequence[dict[str, Any]]) -> tuple[Drawing, ...]:
    """Clusters of the upright page's paths, the largest first."""
    sheet = page.rect
    cell = max(CELL_POINTS, max(sheet.width, sheet.height) / MAX_SIDE)
    rows, columns = int(sheet.height / cell) + 1, int(sheet.width / cell) + 1
    near, slanted = np.zeros((rows, columns), np.uint8), np.zeros((rows, columns), np.uint8)
    boxes: list[tuple[_Edges, bool]] = []
    for path in islice(paths, MAX_PATHS):
        rect = pymupdf.Rect(path["rect"]) * page.rotation_matrix
        x0, y0, x1, y1 = max(0.0, rect.x0), max(0.0, rect.y0), min(sheet.width, rect.x1), min(sheet.height, rect.y1)
        if not (x0 <= x1 and y0 <= y1) or _is_ground(path, (x1 - x0) * (y1 - y0), sheet):
            continue
        aslant = _is_aslant(path)
        boxes.append(((x0, y0, x1, y1), aslant))
        top, bottom, left, right = (int(edge / cell) for edge in (y0, y1, x0, x1))
        near[
            max(0, top - CELL_MARGIN) : bottom + CELL_MARGIN + 1, max(0, left - CELL_MARGIN) : right + CELL_MARGIN + 1
        ] = 1
        if aslant:
            slanted[top : bottom + 1, left : right + 1] = 1
    if not boxes:
        return ()
    tips = [
        (round(y / cell), round(x / cell)) for x, y in (point * page.rotation_matrix for point in _arrow_tips(paths))
    ]
    return tuple(islice(_clusters(boxes, near, slanted, tips, cell), MAX_DRAWINGS))


def _clusters(
    boxes: Sequence[tuple[_Edges, bool]],
    near: np.ndarray,
    slanted: np.ndarray,
    tips: Sequence[tuple[int, int]],
    cell: float,
) -> Iterator[Drawing]:
    num_labels, labels = cv2.connectedComponents(near, connectivity=8)
    areas = np.bincount(labels[slanted > 0], minlength=num_labels) * cell**2
    edges = np.tile(np.array([np.inf, np.inf, -np.inf, -np.inf]), (num_labels, 1))
    counts, arrows = np.zeros(num_labels, int), np.zeros(num_labels, int)
    rows, columns = labels.shape
    for row, column in tips:
        if 0 <= row < rows and 0 <= column < columns:
            arrows[labels[row, column]] += 1
    for box, aslant in boxes:
        label = labels[int(box[1] / cell), int(box[0] / cell)]
        counts[label] += aslant
        edges[label, :2] = np.minimum(edges[label, :2], box[:2])
        edges[label, 2:] = np.maximum(edges[label, 2:], box[2:])
    sides = edges[:, 2:] - edges[:, :2]
    for k in sorted(range(1, num_labels), key=lambda k: -float(sides[k].prod())):
        if sides[k].min() >= MIN_DRAWING_SIDE:
            x0, y0, x1, y1 = (float(edge) for edge in edges[k])
            box = BoundingBox(x0=x0, y0=y0, x1=x1, y1=y1)
            share = min(1.0, float(areas[k]) / box.area)
            yield Drawing(box=box, num_slanted=int(counts[k]), slanted_share=round(share, 3), num_arrows=int(arrows[k]))


def _is_ground(path: dict[str, Any], area: float, sheet: pymupdf.Rect) -> bool:
    """Whether a path lies around most of the page, or is as white as paper."""
    if area > MIN_GROUND_SHARE * sheet.width * sheet.height:
        return True
    fill = path.get("fill")
    return path["type"] == "f" and fill is not None and min(fill) > WHITE_LEVEL


def _is_aslant(path: dict[str, Any]) -> bool:
    """Whether a path has lines neither level nor upright, or curves, but for corners and dots."""
    x0, y0, x1, y1 = path["rect"]
    if max(x1 - x0, y1 - y0) <= MAX_DOT_POINTS:
        return False
    num_straight = num_curved = 0
    bent = False
    for kind, *points in path["items"]:
        if kind == "l":
            (ax, ay), (bx, by) = points
            if abs(ax - bx) > MIN_SLANT and abs(ay - by) > MIN_SLANT:
                return True
            num_straight += 1
        elif kind == "c":
            (ax, ay), (bx, by) = points[0], points[-1]
            bent = bent or max(abs(ax - bx), abs(ay - by)) > MAX_DOT_POINTS
            num_curved += 1
    return bent and not (num_straight >= 2 and num_curved <= MAX_CORNER_CURVES)


def _arrow_tips(paths: Sequence[dict[str, Any]]) -> Iterator[pymupdf.Point]:
    """The middles of small filled shapes, pointed and straight, at which a drawn line ends."""
    heads = [
        (x0, y0, x1, y1)
        for path in islice(paths, MAX_PATHS)
        if "f" in path["type"] and len(path["items"]) <= MAX_HEAD_LINES
        for x0, y0, x1, y1 in [path["rect"]]
        if MIN_ARROW_HEAD <= max(x1 - x0, y1 - y0) <= MAX_ARROW_HEAD and _is_pointed(path)
    ]
    if not heads:
        return
    ends = np.array(
        [
            point
            for path in islice(paths, MAX_PATHS)
            if "s" in path["type"] and all(item[0] in "lc" for item in path["items"])
            for point in (path["items"][0][1], path["items"][-1][-1])
        ]
    ).reshape(-1, 2)
    for x0, y0, x1, y1 in heads[:MAX_HEADS]:
        low, high = (x0 - MAX_HEAD_GAP, y0 - MAX_HEAD_GAP), (x1 + MAX_HEAD_GAP, y1 + MAX_HEAD_GAP)
        if ((ends >= low) & (ends <= high)).all(axis=1).any():
            yield pymupdf.Point((x0 + x1) / 2, (y0 + y1) / 2)


def _is_pointed(path: dict[str, Any]) -> bool:
    """Whether a path has straight lines alone, some of them aslant."""
    lines = [item[1:] for item in path["items"] if item[0] == "l"]
    aslant = (abs(ax - bx) > MIN_SLANT and abs(ay - by) > MIN_SLANT for (ax, ay), (bx, by) in lines)
    return len(lines) == len(path["items"]) and any(aslant)
