"""Separates ink from paper in a picture (binarization): dark or light text, without ruled lines."""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np

NEIGHBOURHOOD_PIXELS = 41  # wider than a stroke and narrower than a band of shade
DARK_LEVEL = 0.4  # an area below this level between black and white is light print on a dark ground
MIN_AREA_PIXELS = 61  # minimum length of the shorter side of an area of light print
MIN_CONTRAST = 28  # contrast (of 255) below which nothing is ink
MIN_INK_SHARE = 0.42  # minimum contrast of ink, as a share of the strongest contrast nearby
MIN_LEVEL_RULE = 56  # minimum length of a horizontal rule, in pixels
MIN_UPRIGHT_RULE = 72  # minimum length of a vertical rule, in pixels
MAX_RULE_STROKE = 6  # maximum thickness of a rule, in pixels
MIN_SOLID_PIXELS = 15  # minimum length of an unbroken piece of a rule
MAX_BREAK_PIXELS = 9  # maximum length of a break in a rule
RULE_NEIGHBOURHOOD = 2 * MAX_RULE_STROKE  # pixels above and below a rule whose ink is compared with it
MAX_CROSSED_SHARE = 0.35  # a run with more of its ink crossed by ink above or below is no rule
MIN_RULE_PIXELS = 300  # a run of this length is a rule: no letters are so long
WHITE_LEVEL = 255


class TextInk(NamedTuple):
    """`even` is the picture as ink on white, uint8; `ink`, bool of the same shape, what of it is darker than around."""

    even: np.ndarray
    ink: np.ndarray


def text_ink(grey: np.ndarray) -> TextInk:
    """Of a picture uint8 (height, width), at about 150 pixels per inch of usual print."""
    dark = _dark_areas(grey)
    positive = np.where(dark, WHITE_LEVEL - grey, grey).astype(np.uint8) if dark.any() else grey
    light = _paper(positive)  # and then, in the same memory, what makes the picture even
    np.maximum(light, 1, out=light)
    np.divide(WHITE_LEVEL, light, out=light)
    np.multiply(positive, light, out=light)
    even = np.minimum(WHITE_LEVEL, light, out=light).astype(np.uint8)
    depth = WHITE_LEVEL - cv2.GaussianBlur(even, (0, 0), 0.7)
    nearby = cv2.dilate(depth, np.ones((NEIGHBOURHOOD_PIXELS // 2, NEIGHBOURHOOD_PIXELS), np.uint8))
    by_contrast = np.ceil(MIN_INK_SHARE * np.arange(WHITE_LEVEL + 1))  # of the surroundings
    least = np.maximum(MIN_CONTRAST, by_contrast).astype(np.uint8)
    return TextInk(even, without_rules(depth >= cv2.LUT(nearby, least)))


def without_rules(ink: np.ndarray) -> np.ndarray:
    """Ink, bool (height, width), without straight thin lines, but where letters cross them."""
    # OpenCV takes what lies outside a picture for ink: a low stem is a rule
    margin = max(MIN_LEVEL_RULE, MIN_UPRIGHT_RULE)
    pixels = np.pad(ink.astype(np.uint8), margin)
    level = _rules(pixels, MIN_LEVEL_RULE)
    upright = _transposed(_rules(_transposed(pixels), MIN_UPRIGHT_RULE))
    rest = pixels & ~(level | upright) & 1
    across = np.ones((MAX_RULE_STROKE + 3, 1), np.uint8)
    crossing = cv2.morphologyEx(rest, cv2.MORPH_CLOSE, across) & level & (1 - upright)
    crossing |= cv2.morphologyEx(rest, cv2.MORPH_CLOSE, across.T) & upright & (1 - level)
    letters = (rest | (crossing & pixels)).astype(bool)
    return letters[margin:-margin, margin:-margin]


def _rules(pixels: np.ndarray, shortest: int) -> np.ndarray:
    """Level runs of ink that are long and thin, uint8, with the ragged edge of their strokes."""
    solid = cv2.morphologyEx(pixels, cv2.MORPH_OPEN, np.ones((1, MIN_SOLID_PIXELS), np.uint8))
    closed = cv2.morphologyEx(solid, cv2.MORPH_CLOSE, np.ones((1, MAX_BREAK_PIXELS), np.uint8))
    runs = cv2.morphologyEx(closed, cv2.MORPH_OPEN, np.ones((1, shortest), np.uint8))
    if not runs.any():
        return runs
    thick = cv2.morphologyEx(runs, cv2.MORPH_OPEN, np.ones((MAX_RULE_STROKE + 1, 1), np.uint8))
    thin = np.asarray(runs & (1 - cv2.dilate(thick, np.ones((3, 3), np.uint8))), np.uint8)
    x, y, width, height = cv2.boundingRect(thin)  # most pages have few rules or none
    part = slice(max(0, y - RULE_NEIGHBOURHOOD), y + height + RULE_NEIGHBOURHOOD), slice(x, x + width)
    rules = np.zeros_like(thin)
    if width:
        rules[part] = cv2.dilate(_bare(thin[part], pixels[part]), np.ones((3, 1), np.uint8))
    return rules


def _transposed(pixels: np.ndarray) -> np.ndarray:
    """Contiguous; OpenCV takes a tenth of numpy's time."""
    return np.asarray(cv2.transpose(pixels), np.uint8)


def _bare(runs: np.ndarray, pixels: np.ndarray) -> np.ndarray:
    """The runs at which no row of letters hangs: bold letters that touch make runs, too."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(runs, connectivity=8)
    edge, beyond = (cv2.dilate(runs, np.ones((rows, 1), np.uint8)) for rows in (3, 5))
    hanging = cv2.dilate(pixels & beyond & (1 - edge), np.ones((2 * MAX_RULE_STROKE + 3, 1), np.uint8)) & runs
    share = np.bincount(labels[hanging > 0], minlength=count) / np.maximum(stats[:, cv2.CC_STAT_AREA], 1)
    keep = (share < MAX_CROSSED_SHARE) | (stats[:, cv2.CC_STAT_WIDTH] > MIN_RULE_PIXELS)
    keep[0] = False
    return np.take(keep.astype(np.uint8), np.asarray(labels, np.int32))


def _paper(grey: np.ndarray) -> np.ndarray:
    """The light of the paper at each pixel, float32: what strokes leave free nearby."""
    height, width = grey.shape
    small = cv2.resize(grey, (max(1, width // 4), max(1, height // 4)), interpolation=cv2.INTER_AREA)
    side = max(3, NEIGHBOURHOOD_PIXELS // 4)
    lightest = cv2.morphologyEx(small, cv2.MORPH_CLOSE, np.ones((side, side), np.uint8))
    return cv2.resize(cv2.blur(lightest, (side, side)), (width, height)).astype(np.float32)


def _dark_areas(grey: np.ndarray) -> np.ndarray:
    """Where the picture is printed light on dark, bool (height, width), to the edge of such areas."""
    low, light = percentiles(grey, (1, 99))
    if light - low < MIN_CONTRAST:
        return np.zeros(grey.shape, bool)
    dark = (grey < low + DARK_LEVEL * (light - low)).astype(np.uint8)
    core = (cv2.blur(grey, (MIN_AREA_PIXELS // 2, MIN_AREA_PIXELS // 2)) < low + DARK_LEVEL * (light - low)).astype(
        np.uint8
    )
    core = cv2.morphologyEx(core, cv2.MORPH_OPEN, np.ones((MIN_AREA_PIXELS // 2, MIN_AREA_PIXELS // 2), np.uint8))
    if not core.any():
        return core.astype(bool)
    thick = cv2.morphologyEx(dark, cv2.MORPH_OPEN, np.ones((MIN_AREA_PIXELS // 4, MIN_AREA_PIXELS // 4), np.uint8))
    edge = cv2.bitwise_and(cv2.dilate(core, np.ones((MIN_AREA_PIXELS, MIN_AREA_PIXELS), np.uint8)), thick)
    return cv2.bitwise_or(
        cv2.erode(core, np.ones((MIN_AREA_PIXELS // 2, MIN_AREA_PIXELS // 2), np.uint8)), edge
    ).astype(bool)


def percentiles(grey: np.ndarray, percents: tuple[int, ...]) -> list[float]:
    """As numpy's, from how often each of the 256 values occurs: a quarter of its time."""
    levels = WHITE_LEVEL + 1
    counts = cv2.calcHist([grey], [0], None, [levels], [0, levels]).ravel()  # exact up to 2 ** 24 pixels
    up_to = np.cumsum(counts.astype(np.int64))
    values: list[float] = []
    for percent in percents:
        place = (grey.size - 1) * percent / 100
        below, above = np.searchsorted(up_to, (int(place), min(int(place) + 1, grey.size - 1)), side="right").tolist()
        values.append(below + (above - below) * (place - int(place)))
    return values
