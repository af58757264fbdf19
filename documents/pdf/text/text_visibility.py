"""Decides from pictures whether text is visible: the page with and without it.

A page is drawn three times at one scale: as it is, without any text, and its text alone. Ink that stands in the last
and makes no difference between the first two is white on white, under a picture, under a drawing: nobody sees it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import cv2
import numpy as np
import pymupdf
from pymupdf import mupdf

from documents.boxes import BoundingBox
from documents.ink import MIN_INK_CONTRAST, has_ink


class Edges(NamedTuple):
    """A box in points of the upright page, in plain numbers: a page has thousands."""

    x0: float
    y0: float
    x1: float
    y1: float


Box = BoundingBox | pymupdf.Rect | Edges

_TEXT = ("fill_text", "stroke_text")  # a drawing device leaves out what it has no function for
_GRAPHICS = ("fill_path", "stroke_path", "fill_shade", "fill_image", "fill_image_mask")
MIN_CLEAR_CONTRAST = MIN_INK_CONTRAST // 2  # visible ink differs from its background by at least this much, of 255
# the same for ink of each opacity
_MIN_CHANGES = np.array([-(-ink * MIN_CLEAR_CONTRAST // 255) for ink in range(256)], np.uint8)
MIN_INK = 16  # ink that covers less of a pixel, of 255, is not judged
MIN_VISIBLE_INK = 0.75  # minimum visible share of a text's ink
MAX_COLOUR_DISTANCE = 90  # maximum distance of equal colours, of 255, summed over the channels
MAX_SHARED_SHARE = 0.3  # a box is crowded if other lines share more of it
MIN_SCAN_SHARE = 0.7  # minimum share of the page that a scan covers
MIN_PAPER_LEVEL = 225  # minimum level of paper, of 255
MIN_OWN_INK = 0.1  # minimum share of the ink in a box that has the colour of its text


class Sheet:
    """One page, drawn; boxes are in points of the upright page, `width` and `height` too; `zoom`: pixels per point."""

    def __init__(
        self,
        page: pymupdf.Page,
        rendering: np.ndarray,
        zoom: float,
        *,
        lines: Iterable[pymupdf.Rect],
        images: Iterable[BoundingBox],
    ) -> None:
        """`rendering` is the page, uint8 (height, width, 3), `zoom` pixels per point; `lines` are all its text."""
        self.zoom = zoom
        self.width = page.rect.width
        self.height = page.rect.height
        size = rendering.shape[:2]
        self._pixmaps = _drawn(page, size, zoom, _TEXT, alpha=False), _drawn(page, size, zoom, _GRAPHICS, alpha=True)
        self._bare, text = map(_pixels, self._pixmaps)
        self._text = text[..., :3]
        self._ink = cv2.threshold(cv2.extractChannel(text, 3), MIN_INK - 1, 0, cv2.THRESH_TOZERO)[1]
        least = cv2.LUT(self._ink, _MIN_CHANGES)
        self._unseen = cv2.compare(_change(rendering, self._bare), least, cv2.CMP_LT)
        self._pictured, once = np.zeros(size, bool), np.zeros(size, bool)
        for image in images:
            self._pictured[self._part(image)] = True
        self._shared = np.zeros(size, bool)
        for line in lines:
            part = self._part(line)
            self._shared[part] |= once[part]
            once[part] = True
        self.is_scan = bool(self._pictured.mean() >= MIN_SCAN_SHARE)

    def share_seen(self, box: Box, colour: int) -> float | None:
        """0..1 of the ink of the text in `box`, of `colour` (0xRRGGBB); None if no text is drawn there at all.

        Where lines stand on each other only ink of that colour counts, and most of it must be seen.
        """
        part = self._part(box)
        ink, unseen, shared = self._ink[part], self._unseen[part], self._shared[part]
        if not np.count_nonzero(ink):
            return None
        crowded = np.count_nonzero(shared) / shared.size > MAX_SHARED_SHARE
        if not crowded and not np.count_nonzero(unseen):  # so are most words
            return 1.0
        ink = ink.astype(np.int32)
        total, visible_ink = int(ink.sum()), np.where(unseen, 0, ink)
        if crowded:
            own = _near(self._text[part], ink, colour)
            ink, visible_ink = np.where(own, ink, 0), np.where(own, visible_ink, 0)
            if ink.sum() < MIN_OWN_INK * total or visible_ink.sum() < MIN_VISIBLE_INK * ink.sum():
                return 0.0
        return float(visible_ink.sum() / ink.sum())

    def has_background(self, box: Box) -> bool:
        """Whether the page without its text shows anything in the box."""
        z = self.zoom
        return has_ink(self._bare, box.x0 * z, box.y0 * z, box.x1 * z, box.y1 * z)

    def has_image(self, box: Box) -> bool:
        """Whether pictures lie in half of the box or more."""
        part = self._pictured[self._part(box)]
        return bool(part.size) and float(part.mean()) >= 0.5

    def same_as_background(self, box: Box, colour: int) -> bool:
        """Whether text of that colour cannot stand out from what lies behind most of the box."""
        part = self._bare[self._part(box)].reshape(-1, 3).astype(np.int16)
        away = np.abs(part - np.array(_channels(colour), np.int16)).max(axis=1)
        return bool(part.size) and float((away < MIN_CLEAR_CONTRAST).mean()) > 0.5

    def is_light(self, box: Box) -> bool:
        """Whether most of what lies behind the text in the box is about as light as paper."""
        part = self._bare[self._part(box)]
        return bool(part.size) and float(np.median(part)) >= MIN_PAPER_LEVEL

    def _part(self, box: Box) -> tuple[slice, slice]:
        z = self.zoom
        rows = slice(int(max(0.0, box.y0 * z)), math.ceil(max(0.0, box.y1 * z)))
        return rows, slice(int(max(0.0, box.x0 * z)), math.ceil(max(0.0, box.x1 * z)))


def _change(rendering: np.ndarray, bare: np.ndarray) -> np.ndarray:
    """How far two pictures differ, in the channel where they differ most; uint8 (height, width)."""
    difference = cv2.absdiff(rendering, bare)
    red, green, blue = (cv2.extractChannel(difference, k) for k in range(3))  # split takes eight times as long
    return cv2.max(cv2.max(red, green), blue)


def _near(premultiplied: np.ndarray, ink: np.ndarray, colour: int) -> np.ndarray:
    """Which pixels have that colour, as bool; ink that covers a part of a pixel tells that part of its colour."""
    whole = np.array(_channels(colour), np.int32) * ink[..., None]
    return np.abs(premultiplied.astype(np.int32) * 255 - whole).sum(axis=2) <= MAX_COLOUR_DISTANCE * ink


def _channels(colour: int) -> tuple[int, int, int]:
    return colour >> 16 & 255, colour >> 8 & 255, colour & 255


def _drawn(
    page: pymupdf.Page, size: tuple[int, int], zoom: float, left_out: tuple[str, ...], *, alpha: bool
) -> pymupdf.Pixmap:
    """Three channels, on white; with `alpha` four, on nothing."""
    box = mupdf.FzIrect(0, 0, size[1], size[0])
    pixmap = mupdf.fz_new_pixmap_with_bbox(mupdf.fz_device_rgb(), box, mupdf.FzSeparations(), int(alpha))
    if alpha:
        mupdf.fz_clear_pixmap(pixmap)
    else:
        mupdf.fz_clear_pixmap_with_value(pixmap, 255)
    device = mupdf.fz_new_draw_device(mupdf.FzMatrix(zoom, 0, 0, zoom, 0, 0), pixmap)
    for name in left_out:
        setattr(device.m_internal, name, None)
    mupdf.fz_run_page(page.this, device, mupdf.FzMatrix(), mupdf.FzCookie())
    mupdf.fz_close_device(device)
    return pymupdf.Pixmap("raw", pixmap)


def _pixels(pixmap: pymupdf.Pixmap) -> np.ndarray:
    """uint8 (height, width, channels): the pixmap's own memory, no longer than it lives."""
    return np.frombuffer(pixmap.samples_mv, np.uint8).reshape(pixmap.height, pixmap.width, pixmap.n)
