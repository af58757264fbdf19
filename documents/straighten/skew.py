"""Measures the skew of a scanned page and along which axis its lines run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np

from documents.ocr_input.components import Components
from documents.straighten.local_ink import local_ink

MAX_SKEW = 8.0  # degrees
# degrees on either side that are tried, and the step between tries
SEARCH_SPANS = ((MAX_SKEW, 0.5), (0.5, 0.1), (0.1, 0.02))
SMALL_SPANS = ((2.5, 0.25), (0.25, 0.05))
MAX_UNPROVEN_SKEW = 0.1  # degrees; so small a skew needs no proof
MIN_CLEARNESS_GAIN = 1.05  # the corrected picture is at least this factor clearer
WINDOW = 31  # pixels around a pixel whose light is compared with it
MIN_INK_CONTRAST = 14  # ink is darker than its surroundings by at least this much, of 255
MIN_LETTER_SIDE = 3  # longer side of a letter in pixels, in a picture of about 1,200 pixels
MAX_LETTER_SIDE = 70
MAX_LETTER_ASPECT = 4.0  # maximum ratio of a letter's sides
MIN_LETTERS = 20
MAX_POINTS = 40_000  # ink that is weighed


class Lean(NamedTuple):
    """`upended`: lines run from top to bottom or back; `degrees`: clockwise from their axis; `clear`: how plainly."""

    upended: bool
    degrees: float
    clear: float


def find_lean(points: np.ndarray) -> Lean:
    """The lean of a page's letters; `points` as `letter_points` gives them, at pixels of a page 1,200 pixels long."""
    along, upended = (
        _best(points, SEARCH_SPANS),
        _best(points[:, ::-1] * np.array([1.0, -1.0], np.float32), SEARCH_SPANS),
    )
    if along[1] >= upended[1]:
        return Lean(False, along[0], along[1] / max(upended[1], 1e-9))
    return Lean(True, upended[0], upended[1] / max(along[1], 1e-9))


def small_lean(points: np.ndarray) -> float | None:
    """The lean in degrees of lines that lean little, from their axis; None if it makes them no clearer."""
    degrees, score = _best(points, SMALL_SPANS)
    return (
        degrees
        if score >= MIN_CLEARNESS_GAIN * _clearness(points[:, 0].astype(float), points[:, 1].astype(float), 0.0)
        or abs(degrees) <= MAX_UNPROVEN_SKEW
        else None
    )


def letter_points(grey: np.ndarray) -> np.ndarray | None:
    """Where ink of letters lies: float32 (n, 2), x and y; None if there are too few of them."""
    smooth = cv2.GaussianBlur(grey, (3, 3), 0)
    labels, stats = Components.of(local_ink(np.asarray(smooth, np.uint8), WINDOW, MIN_INK_CONTRAST))
    wide, high, area = (stats[:, k].astype(float) for k in (cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT, cv2.CC_STAT_AREA))
    longer, shorter = np.maximum(wide, high), np.minimum(wide, high)
    fits = (
        (longer >= MIN_LETTER_SIDE)
        & (longer <= MAX_LETTER_SIDE)
        & (longer <= MAX_LETTER_ASPECT * shorter)
        & (area >= 6)
    )
    fits[0] = False
    if fits.sum() < MIN_LETTERS:
        return None
    usual = float(np.median(longer[fits & (area >= np.median(area[fits]))]))
    fits &= (longer <= 3 * usual) & (longer >= 0.3 * usual)
    places = np.flatnonzero(fits[labels])
    places = places[:: max(1, len(places) // MAX_POINTS)]
    return np.stack(np.divmod(places, labels.shape[1])[::-1], axis=1).astype(np.float32)


def _best(points: np.ndarray, spans: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The lean in degrees at which the rows are clearest, and how clear they are."""
    best, score = 0.0, -1.0
    x, y = np.ascontiguousarray(points.T, np.float64)
    for span, step in spans:
        middle = best
        for degrees in np.arange(middle - span, middle + span + step / 2, step):
            value = _clearness(x, y, float(degrees))
            if value > score + 1e-12:
                best, score = float(degrees), value
    return best, score


def _clearness(x: np.ndarray, y: np.ndarray, degrees: float) -> float:
    """How much the ink of neighbouring rows differs, as a share of all ink."""
    radians = np.deg2rad(degrees)
    places = y * np.cos(radians)
    places -= x * np.sin(radians)
    rows = places.astype(np.intp)
    rows -= rows.min()
    profile = np.bincount(rows).astype(np.float64)
    profile = np.convolve(profile, (0.25, 0.5, 0.25))
    return float(np.square(np.diff(profile)).sum() / len(x) ** 2)
