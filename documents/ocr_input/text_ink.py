"""Separates ink from paper in a picture (binarization): dark or light text, without ruled lines."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np

from documents.ocr_input.components import Components, around
from documents.ocr_input.ruled_lines import without_rules

NEIGHBOURHOOD_PIXELS = 41  # wider than a stroke and narrower than a band of shade
DARK_LEVEL = 0.4  # an area below this level between black and white is light print on a dark ground
MIN_AREA_PIXELS = 61  # minimum length of the shorter side of an area of light print
MIN_CONTRAST = 28  # contrast (of 255) below which nothing is ink
MIN_INK_SHARE = 0.42  # minimum contrast of ink, as a share of the strongest contrast nearby
WHITE_LEVEL = 255
BATCH_ROWS = 32  # number of rows that are evened together: they stay in the processor's cache


@dataclass(frozen=True)
class TextInk:
    """`even` is the picture as ink on white, uint8; `ink`, bool of the same shape, what of it is darker than around."""

    even: np.ndarray
    ink: np.ndarray

    @cached_property
    def components(self) -> Components:
        """Of the ink."""
        return Components.of(self.ink)


def text_ink(grey: np.ndarray) -> TextInk:
    """Of a picture uint8 (height, width), at about 150 pixels per inch of usual print."""
    positive = _positive(grey)
    even = _evened(positive, _paper(positive))
    depth = cv2.bitwise_not(cv2.GaussianBlur(even, (0, 0), 0.7))
    nearby = cv2.dilate(depth, np.ones((NEIGHBOURHOOD_PIXELS // 2, NEIGHBOURHOOD_PIXELS), np.uint8))
    by_contrast = np.ceil(MIN_INK_SHARE * np.arange(WHITE_LEVEL + 1))  # of the surroundings
    least = np.maximum(MIN_CONTRAST, by_contrast).astype(np.uint8)
    return TextInk(even, without_rules(depth >= cv2.LUT(nearby, least)))


def _paper(grey: np.ndarray) -> np.ndarray:
    """The light of the paper at each pixel, uint8: what strokes leave free nearby."""
    height, width = grey.shape
    small = cv2.resize(grey, (max(1, width // 4), max(1, height // 4)), interpolation=cv2.INTER_AREA)
    side = max(3, NEIGHBOURHOOD_PIXELS // 4)
    lightest = cv2.morphologyEx(small, cv2.MORPH_CLOSE, np.ones((side, side), np.uint8))
    return np.asarray(cv2.resize(cv2.blur(lightest, (side, side)), (width, height)), np.uint8)


def _evened(grey: np.ndarray, light: np.ndarray) -> np.ndarray:
    """The picture, with paper that is white where its light is `light`."""
    gains = WHITE_LEVEL / np.maximum(np.arange(WHITE_LEVEL + 1, dtype=np.float32), 1)
    even = grey.copy()
    for first in range(0, len(grey), BATCH_ROWS):
        rows = slice(first, first + BATCH_ROWS)
        if light[rows].min() == WHITE_LEVEL:
            continue  # where the paper is white, nothing is to be done
        gain = np.asarray(cv2.LUT(light[rows], gains), np.float32)
        np.multiply(grey[rows], gain, out=gain)
        even[rows] = np.minimum(WHITE_LEVEL, gain, out=gain)
    return even


def _positive(grey: np.ndarray) -> np.ndarray:
    """The picture, uint8, with its light print on dark areas as dark print on light ones."""
    low, light = percentiles(grey, (1, 99))
    if light - low < MIN_CONTRAST:
        return grey
    dark_level = math.ceil(low + DARK_LEVEL * (light - low))
    half, quarter = MIN_AREA_PIXELS // 2, MIN_AREA_PIXELS // 4
    core = (np.asarray(cv2.blur(grey, (half, half)), np.uint8) < dark_level).view(np.uint8)
    if not cv2.countNonZero(core):
        return grey
    core = np.asarray(cv2.morphologyEx(core, cv2.MORPH_OPEN, np.ones((half, half), np.uint8)), np.uint8)
    part = around(core, MIN_AREA_PIXELS)
    core, dark = core[part], (grey[part] < dark_level).view(np.uint8)
    thick = cv2.morphologyEx(dark, cv2.MORPH_OPEN, np.ones((quarter, quarter), np.uint8))
    edge = cv2.bitwise_and(cv2.dilate(core, np.ones((MIN_AREA_PIXELS, MIN_AREA_PIXELS), np.uint8)), thick)
    area = np.asarray(cv2.bitwise_or(cv2.erode(core, np.ones((half, half), np.uint8)), edge), np.uint8)
    positive = grey.copy()
    positive[part] ^= WHITE_LEVEL * area
    return positive


def percentiles(grey: np.ndarray, percents: tuple[int, ...], mask: np.ndarray | None = None) -> list[float]:
    """As numpy's, of the pixels where `mask`, uint8, is not 0; from counts of the 256 values: a quarter of its time."""
    levels = WHITE_LEVEL + 1
    counts = cv2.calcHist([grey], [0], mask, [levels], [0, levels]).ravel()  # exact up to 2 ** 24 pixels
    up_to = np.cumsum(counts.astype(np.int64))
    last = int(up_to[-1]) - 1
    values: list[float] = []
    for percent in percents:
        place = last * (percent / 100)
        below, above = np.searchsorted(up_to, (int(place), min(int(place) + 1, last)), side="right").tolist()
        share = place - int(place)
        values.append(below + (above - below) * share if share < 0.5 else above - (above - below) * (1 - share))
    return values
