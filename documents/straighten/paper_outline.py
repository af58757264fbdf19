"""Finds the sheet of paper in a photograph."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import cv2
import numpy as np

from documents.straighten.pose import Point

SEARCH_PIXELS = 500  # long side of the picture that is searched
MAX_LETTER_GAP = 15  # maximum gap between letters or words, in pixels
MIN_BEND = 0.003  # smaller bends of an outline, as a share of its length, are ignored
MIN_SHEET_SHARE = 0.25  # minimum share of the picture that a sheet of paper covers
MIN_FILL = 0.94  # minimum share of the four sides' area that the bright patch fills
MIN_GROUND_CONTRAST = 18.0  # the ground beside a sheet's edges is darker than the sheet by at least this much, of 255
MIN_CLEAR_SHARE = 0.8  # minimum share of the places along an edge where that is so
EDGE_DISTANCE = 4.0  # distance from an edge at which both sides are compared, in pixels
BORDER_PIXELS = 3.0  # nearer to the picture's edge, the sheet goes on outside
MIN_ANGLE = 0.6  # degrees; four sides that lie straighter may as well be printed
MAX_OUTSIDE_INK = 0.05  # maximum share of the picture around a straight sheet that may contain ink
EDGE_MARGIN = 0.004  # margin within the sheet's edge and shadow that is cut off, as a share of the long side
MAX_CORNER_DISTANCE = 0.12  # maximum distance of a corner outside the picture, as a share of the long side

Line = tuple[np.ndarray, np.ndarray]


def find_paper(grey: np.ndarray) -> tuple[Point, Point, Point, Point] | None:
    """Corners (top left, top right, bottom right, bottom left; pixels) of the sheet in a grey picture."""
    scale = min(1.0, SEARCH_PIXELS / max(grey.shape))
    small = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    small = cv2.medianBlur(small, 5)
    filled = _without_print(small)
    best: tuple[float, np.ndarray] | None = None
    num_dark = -1
    for level in range(40, 232, 12):
        before, num_dark = num_dark, int(np.count_nonzero(filled < level))
        if num_dark == before:
            continue  # the same patch
        sides = _four_sides((filled >= level).astype(np.uint8))
        if sides is None:
            continue
        step = _step(filled, sides)
        if step is not None and (best is None or step > best[0]) and not _printed(small, sides):
            best = step, sides
    if best is None:
        return None
    sides = _shrunk(best[1], EDGE_MARGIN * max(small.shape)) / scale
    a, b, c, d = ((float(x), float(y)) for x, y in sides)
    return a, b, c, d


def _without_print(small: np.ndarray) -> np.ndarray:
    """The paper under its print; beyond the picture all is dark, so that a strip of ground at its edge stays."""
    padded = cv2.copyMakeBorder(
        small, MAX_LETTER_GAP, MAX_LETTER_GAP, MAX_LETTER_GAP, MAX_LETTER_GAP, cv2.BORDER_CONSTANT, value=0
    )
    closed = cv2.morphologyEx(padded, cv2.MORPH_CLOSE, np.ones((MAX_LETTER_GAP, MAX_LETTER_GAP), np.uint8))
    return closed[MAX_LETTER_GAP:-MAX_LETTER_GAP, MAX_LETTER_GAP:-MAX_LETTER_GAP]


def _four_sides(bright: np.ndarray) -> np.ndarray | None:
    """Corners, float64 (4, 2), around the largest bright patch, if it has four sides."""
    contours, _ = cv2.findContours(bright, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    patch = max(contours, key=cv2.contourArea, default=None)
    if patch is None or cv2.contourArea(patch) < MIN_SHEET_SHARE * bright.size:
        return None
    hull = cv2.convexHull(patch)
    outline = cv2.approxPolyDP(hull, MIN_BEND * cv2.arcLength(hull, True), True)[:, 0].astype(float)
    if not 4 <= len(outline) <= 14:
        return None
    corners = _corners(outline, bright.shape)
    if corners is None:
        return None
    reach, (height, width) = MAX_CORNER_DISTANCE * max(bright.shape), bright.shape
    if (corners < -reach).any() or (corners > (width + reach, height + reach)).any():
        return None
    inside = np.zeros_like(bright)
    cv2.fillConvexPoly(inside, np.round(corners).astype(np.int32), 1)
    covered = np.zeros_like(bright)
    cv2.fillPoly(covered, [patch], 1)
    total = int(inside.sum())
    good = total >= MIN_SHEET_SHARE * bright.size and int((inside & covered).sum()) >= MIN_FILL * total
    return corners if good and int((covered & ~inside & 1).sum()) <= (1 - MIN_FILL) * total else None


def _corners(outline: np.ndarray, shape: tuple[int, ...]) -> np.ndarray | None:
    """Where the longest edges above, right of, below and left of the middle meet; the picture's own come last."""
    height, width = shape
    middle = outline.mean(axis=0)
    sides: dict[str, tuple[bool, float, Line]] = {}
    for start, end in pairwise([*outline, outline[0]]):
        along = end - start
        length = float(np.hypot(*along))
        if length < 1:
            continue
        away = (start + end) / 2 - middle
        flat = abs(along[0]) >= abs(along[1])
        name = ("top" if away[1] < 0 else "bottom") if flat else ("left" if away[0] < 0 else "right")
        own = not _on_border(start, end, width, height)
        if own and length < 0.1 * max(shape):
            continue  # a corner that was cut
        if name not in sides or (own, length) > sides[name][:2]:
            sides[name] = own, length, (start, along)
    if len(sides) < 4:
        return None
    top, right, bottom, left = (sides[name][2] for name in ("top", "right", "bottom", "left"))
    met = [_meet(top, left), _meet(top, right), _meet(bottom, right), _meet(bottom, left)]
    return np.array(met) if all(point is not None for point in met) else None


def _on_border(start: np.ndarray, end: np.ndarray, width: int, height: int) -> bool:
    limits = ((0, 0.0), (0, width - 1.0), (1, 0.0), (1, height - 1.0))
    return any(abs(start[k] - at) <= BORDER_PIXELS and abs(end[k] - at) <= BORDER_PIXELS for k, at in limits)


def _meet(one: Line, two: Line) -> np.ndarray | None:
    (p, r), (q, s) = one, two
    cross = r[0] * s[1] - r[1] * s[0]
    if abs(cross) < 1e-6:
        return None
    return p + r * ((q[0] - p[0]) * s[1] - (q[1] - p[1]) * s[0]) / cross


def _step(picture: np.ndarray, corners: np.ndarray) -> float | None:
    """How much brighter the sheet is than its ground, summed over the edges seen; None unless two are, and clearly."""
    height, width = picture.shape
    middle, steps = corners.mean(axis=0), []
    for start, end in pairwise([*corners, corners[0]]):
        if _on_border(
            np.clip(start, 0, (width - 1, height - 1)), np.clip(end, 0, (width - 1, height - 1)), width, height
        ):
            continue
        across = np.array([start[1] - end[1], end[0] - start[0]]) / max(1e-6, float(np.hypot(*(end - start))))
        across = across if np.dot(across, middle - start) > 0 else -across
        at = start + np.linspace(0.05, 0.95, 40)[:, None] * (end - start)
        inner, outer = _values(picture, at + EDGE_DISTANCE * across), _values(picture, at - EDGE_DISTANCE * across)
        valid = ~np.isnan(inner) & ~np.isnan(outer)
        if valid.sum() < 10:
            continue
        change = (inner - outer)[valid]
        if np.mean(change >= MIN_GROUND_CONTRAST) < MIN_CLEAR_SHARE:
            return None
        steps.append(float(np.median(change)))
    return float(np.sum(steps)) if len(steps) >= 2 else None


def _values(picture: np.ndarray, points: np.ndarray) -> np.ndarray:
    height, width = picture.shape
    x, y = np.round(points).astype(int).T
    inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    values = picture[np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)].astype(float)
    return np.where(inside, values, np.nan)


def _printed(picture: np.ndarray, corners: np.ndarray) -> bool:
    """Whether this may be a box printed on the page: it lies straight, and there is ink around it."""
    edges = [
        (end - start) * sign
        for (start, end), sign in zip(pairwise([*corners, corners[0]]), (1, 1, -1, -1), strict=True)
    ]
    leans = [np.degrees(np.arctan2(edge[1], edge[0])) - at for edge, at in zip(edges, (0, 90, 0, 90), strict=True)]
    if max(map(abs, leans)) > MIN_ANGLE:
        return False
    around = np.ones_like(picture)
    cv2.fillConvexPoly(around, np.round(_shrunk(corners, -6)).astype(np.int32), 0)
    rough = cv2.morphologyEx(picture, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)) >= 40
    return around.sum() > 0 and float((rough & (around > 0)).sum()) > MAX_OUTSIDE_INK * float(around.sum())


def _shrunk(corners: np.ndarray, by: float) -> np.ndarray:
    inward = corners.mean(axis=0) - corners
    return corners + by * inward / np.maximum(1e-6, np.abs(inward))


def sides_of(corners: Sequence[Point]) -> tuple[float, float]:
    """The mean width and height of four corners."""
    a, b, c, d = (np.array(corner) for corner in corners)
    return float(np.hypot(*(b - a)) + np.hypot(*(c - d))) / 2, float(np.hypot(*(d - a)) + np.hypot(*(c - b))) / 2
