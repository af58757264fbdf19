"""Whether text is seen is told from pictures: what of its ink the page shows, and what the page would show without it.

A page is drawn three times at one scale: as it is, without any text, and its text alone. Ink that stands in the last
and makes no difference between the first two is white on white, under a picture, under a drawing: nobody sees it.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pymupdf
from pymupdf import mupdf

from documents.rendering.ink import CONTRAST, has_ink
from documents.values import BoundingBox

Box = BoundingBox | pymupdf.Rect

_TEXT = ("fill_text", "stroke_text")  # a drawing device leaves out what it has no function for
_OTHERS = ("fill_path", "stroke_path", "fill_shade", "fill_image", "fill_image_mask")
CLEAR = CONTRAST // 2  # of 255: what ink must differ by from what lies behind it
FAINT = 16  # of 255: ink that covers less of a pixel is not judged
MOST = 0.75  # of its ink
NEAR = 90  # of 255, summed over the channels: colours that are one
CROWDED = 0.3  # of a box, that other lines stand in too
FILLS = 0.7  # of the page, by a scan
OWN = 0.1  # of the ink in a box, that must have the colour of its text


class Sheet:
    """One page, drawn; boxes are in points of the upright page, `width` and `height` too."""

    def __init__(
        self,
        page: pymupdf.Page,
        drawn: np.ndarray,
        zoom: float,
        *,
        lines: Iterable[pymupdf.Rect],
        images: Iterable[BoundingBox],
    ) -> None:
        """`drawn` is the page, uint8 (height, width, 3), at `zoom` pixels a point; `lines` are all of its text."""
        self._zoom, self.width, self.height = zoom, page.rect.width, page.rect.height
        size = drawn.shape[:2]
        self._bare = _drawn(page, size, zoom, _TEXT, alpha=False)
        text = _drawn(page, size, zoom, _OTHERS, alpha=True)
        self._text, self._ink = text[..., :3], np.where(text[..., 3] >= FAINT, text[..., 3], 0).astype(np.int32)
        change = np.abs(drawn.astype(np.int32) - self._bare).max(axis=2)
        self._seen = np.where(change * 255 >= CLEAR * self._ink, self._ink, 0)
        self._pictured, once = np.zeros(size, bool), np.zeros(size, bool)
        for image in images:
            self._pictured[self._part(image)] = True
        self._shared = np.zeros(size, bool)
        for line in lines:
            part = self._part(line)
            self._shared[part] |= once[part]
            once[part] = True
        self.is_scan = bool(self._pictured.mean() >= FILLS)

    def share_seen(self, box: Box, colour: int) -> float | None:
        """0..1 of the ink of the text in `box`, of `colour` (0xRRGGBB); None if no text is drawn there at all.

        Where lines stand on each other only ink of that colour counts, and most of it must be seen.
        """
        part = self._part(box)
        ink, seen = self._ink[part], self._seen[part]
        total = int(ink.sum())
        if not total:
            return None
        if self._shared[part].mean() > CROWDED:
            own = _near(self._text[part], ink, colour)
            ink, seen = np.where(own, ink, 0), np.where(own, seen, 0)
            if ink.sum() < OWN * total or seen.sum() < MOST * ink.sum():
                return 0.0
        return float(seen.sum() / ink.sum())

    def has_background(self, box: Box) -> bool:
        """Whether the page without its text shows anything in the box."""
        z = self._zoom
        return has_ink(self._bare, box.x0 * z, box.y0 * z, box.x1 * z, box.y1 * z)

    def has_image(self, box: Box) -> bool:
        """Whether pictures lie in half of the box or more."""
        part = self._pictured[self._part(box)]
        return bool(part.size) and float(part.mean()) >= 0.5

    def same_as_background(self, box: Box, colour: int) -> bool:
        """Whether text of that colour cannot stand out from what lies behind most of the box."""
        part = self._bare[self._part(box)].reshape(-1, 3).astype(np.int16)
        away = np.abs(part - np.array(_channels(colour), np.int16)).max(axis=1)
        return bool(part.size) and float((away < CLEAR).mean()) > 0.5

    def _part(self, box: Box) -> tuple[slice, slice]:
        x0, y0, x1, y1 = (max(0.0, side * self._zoom) for side in (box.x0, box.y0, box.x1, box.y1))
        return slice(int(y0), int(np.ceil(y1))), slice(int(x0), int(np.ceil(x1)))


def _near(premultiplied: np.ndarray, ink: np.ndarray, colour: int) -> np.ndarray:
    """Which pixels have that colour, as bool; ink that covers a part of a pixel tells that part of its colour."""
    whole = np.array(_channels(colour), np.int32) * ink[..., None]
    return np.abs(premultiplied.astype(np.int32) * 255 - whole).sum(axis=2) <= NEAR * ink


def _channels(colour: int) -> tuple[int, int, int]:
    return colour >> 16 & 255, colour >> 8 & 255, colour & 255


def _drawn(
    page: pymupdf.Page, size: tuple[int, int], zoom: float, left_out: tuple[str, ...], *, alpha: bool
) -> np.ndarray:
    """uint8 (height, width, 3), on white; with `alpha` (height, width, 4), on nothing."""
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
    whole = pymupdf.Pixmap("raw", pixmap)
    return np.frombuffer(whole.samples_mv, np.uint8).reshape(whole.height, whole.width, whole.n).copy()
