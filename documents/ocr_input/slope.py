"""Lines of a crop that rise or fall: how steeply, and the crop with its lines level, for a cutter that goes by rows."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np

from documents.values import BoundingBox

STEEPEST = math.tan(math.radians(3.5))
STEPS = 14  # slopes that are tried on either side of level, then between the best and its neighbours
GAIN = 1.1  # times clearer than level, or the crop is left as it is
LEAST_RISE = 0.3  # of a line's height, over the crop's width: what rises less is cut well enough
MAX_POINTS = 20_000  # ink that is weighed
WHITE = 255


@dataclass(frozen=True, slots=True)
class Levelled:
    """A crop sheared so that its lines are level: columns stay where they are."""

    grey: np.ndarray  # uint8 (height + 2 * pad, width)
    slope: float = 0.0  # pixels down for a pixel to the right, as the lines ran
    pad: int = 0

    def box_before(self, x0: int, y0: int, x1: int, y1: int) -> BoundingBox:
        """Where a box of the levelled crop stood; around its corners."""
        if not self.slope:
            return BoundingBox(x0=x0, y0=y0, x1=x1, y1=y1)
        middle, height = self.grey.shape[1] / 2, self.grey.shape[0] - 2 * self.pad
        down = [self.slope * (x - middle) - self.pad for x in (x0, x1)]
        top, bottom = max(0.0, y0 + min(down)), min(float(height), y1 + max(down))
        return BoundingBox(x0=x0, y0=min(top, bottom), x1=x1, y1=bottom)


def levelled(grey: np.ndarray, ink: np.ndarray) -> Levelled:
    """The crop, uint8 (height, width), by its `ink`, bool of the same shape: as it is, if its lines are level."""
    slope = find_slope(ink)
    if not slope:
        return Levelled(grey)
    height, width = grey.shape
    pad = math.ceil(abs(slope) * width / 2)
    back = np.array([[1, 0, 0], [slope, 1, -pad - slope * width / 2]], np.float32)
    sheared = cv2.warpAffine(
        grey,
        back,
        (width, height + 2 * pad),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=WHITE,
    )
    return Levelled(sheared, slope, pad)


def find_slope(ink: np.ndarray) -> float:
    """Pixels that its lines fall for each to the right; 0 where that makes them no clearer, or too little of a rise."""
    height, width = ink.shape
    ys, xs = np.nonzero(ink)
    if width < 2 * height / STEPS or len(xs) < 2 * STEPS:
        return 0.0
    every = -(-len(xs) // MAX_POINTS)
    ys, xs = ys[::every].astype(np.float32), xs[::every].astype(np.float32) - width / 2
    tried = {slope: _clearness(xs, ys, slope) for slope in np.linspace(-STEEPEST, STEEPEST, 2 * STEPS + 1).tolist()}
    best = max(tried, key=tried.__getitem__)
    finer = np.linspace(best - STEEPEST / STEPS, best + STEEPEST / STEPS, 11).tolist()
    slope = max(finer, key=lambda each: _clearness(xs, ys, each))
    if _clearness(xs, ys, slope) < GAIN * _clearness(xs, ys, 0.0):
        return 0.0
    return slope if abs(slope) * width >= LEAST_RISE * _line_height(xs, ys, slope) else 0.0


def _rows(xs: np.ndarray, ys: np.ndarray, slope: float) -> np.ndarray:
    """How much ink each row has, were the lines that steep."""
    at = ys - slope * xs
    return np.bincount((at - at.min()).astype(int)).astype(float)


def _clearness(xs: np.ndarray, ys: np.ndarray, slope: float) -> float:
    """How unevenly ink is spread over rows: the more, the better rows and lines agree."""
    rows = _rows(xs, ys, slope)
    return float((rows**2).sum())


def _line_height(xs: np.ndarray, ys: np.ndarray, slope: float) -> float:
    """The usual height of a run of rows with ink."""
    on = np.concatenate(([False], _rows(xs, ys, slope) > 0, [False]))
    edges = np.flatnonzero(on[1:] != on[:-1]).reshape(-1, 2)
    return float(np.median(edges[:, 1] - edges[:, 0]))
