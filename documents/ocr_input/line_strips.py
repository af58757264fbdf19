"""Cuts a crop into line pictures for the small OCR model, and places the words of the text that it reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from documents.boxes import BoundingBox
from documents.errors import RegionTooDense
from documents.ocr_input.strip_folding import MARGIN, fold, parts, square

if TYPE_CHECKING:  # they load OpenCV, which only who cuts needs
    from documents.ocr_input.drop_capital import DropCapital
    from documents.ocr_input.line_scale import PictureLines
    from documents.ocr_input.text_ink import TextInk
    from documents.ocr_input.text_line import TextLine

MAX_SQUARES = 2000  # maximum number of squares per picture; a page of small print has a tenth of that
MIN_LINE_SHARE = 0.5  # minimum share of a line that lies in one of the boxes to be read


@dataclass(frozen=True, slots=True)
class Strip:
    """One printed line; the texts of its squares, joined by a space, are its text."""

    box: BoundingBox  # pixels of the picture
    squares: tuple[np.ndarray, ...]  # uint8 (256, 256, 3), from the left
    sizes: tuple[tuple[int, int], ...] = ()  # (width, height) of the ink that each square holds, at one scale
    gaps: tuple[tuple[float, float], ...] = ()  # x where columns without ink begin and end, between its letters

    def words(self, text: str) -> tuple[BoundingBox, ...]:
        """The boxes of the words of its text: its widest gaps part them. None if it has too few gaps."""
        num_gaps = len(text.split()) - 1
        if num_gaps < 0 or num_gaps > len(self.gaps):
            return ()
        spaces = sorted(sorted(self.gaps, key=lambda gap: (gap[0] - gap[1], gap))[:num_gaps])
        starts = [self.box.x0, *(end for _, end in spaces)]
        ends = [*(start for start, _ in spaces), self.box.x1]
        return tuple(
            BoundingBox(x0=x0, y0=self.box.y0, x1=x1, y1=self.box.y1) for x0, x1 in zip(starts, ends, strict=True)
        )


def cut(picture: np.ndarray, within: Sequence[BoundingBox] | None = None) -> list[Strip]:
    """The lines of a picture, uint8 (height, width, 3) or (height, width), from the top.

    `within` are boxes of the lines to be read, in pixels: what lies in none of them is left out, and of which the
    picture shows less than half by itself is cut as its box says. Raises RegionTooDense if MAX_SQUARES do not suffice.
    """
    from documents.ocr_input.line_scale import lines_of

    if picture.shape[0] < 2 or picture.shape[1] < 2:
        return []
    grey = grey_of(picture)
    strips: list[Strip] = []
    num_squares = 0
    for strip in _strips(lines_of(grey), grey.shape, within or ()):
        if within is None or _is_in(strip.box, within):
            strips.append(strip)
            num_squares += len(strip.squares)
            if num_squares > MAX_SQUARES:
                raise RegionTooDense(f"the region falls into more than {MAX_SQUARES} pieces of text")
    return strips


def grey_of(picture: np.ndarray) -> np.ndarray:
    """As `cut` sees a picture: uint8 (height, width)."""
    return picture if picture.ndim == 2 else np.asarray(Image.fromarray(np.ascontiguousarray(picture)).convert("L"))


def _strips(picture_lines: PictureLines, shape: tuple[int, ...], within: Sequence[BoundingBox]) -> Iterator[Strip]:
    from documents.ocr_input.drop_capital import drop_capital
    from documents.ocr_input.line_picture import line_picture
    from documents.ocr_input.line_scale import PictureLines

    ink, lines, zoom = picture_lines
    capital = drop_capital(ink)
    if capital:
        ink, lines = _without_capital(ink, capital)
    for line in _with_missing(PictureLines(ink, lines, zoom), within):
        picture = line_picture(ink, line)
        if picture is None:
            continue
        grey, box = picture.grey, picture.box
        if capital and line.x0 >= capital.corners[2] and line.bottom > capital.corners[1]:  # the first line beside it
            grey = capital.before(grey)
            box = box.union(_box(*capital.corners))
            capital = None
        pad = max(1, round(MARGIN * grey.shape[0]))
        pieces = parts(np.pad(grey, pad, constant_values=255))
        squares = tuple(square(fold(piece)) for piece in pieces)
        sizes = tuple((piece.shape[1], piece.shape[0] - 2 * pad) for piece in pieces)
        gaps = tuple((start, end) for start, end in (picture.gaps / zoom).tolist())
        box = box.scaled(1 / zoom, 1 / zoom)
        yield Strip(box=_clipped(box, shape), squares=squares, sizes=sizes, gaps=gaps)


def _with_missing(picture_lines: PictureLines, within: Sequence[BoundingBox]) -> list[TextLine]:
    """The lines of a picture with those of `within` that it shows no half of, each in place of its parts.

    A part of a page may show too few letters to tell which are usual, as next to dotted leaders or a raster.
    """
    from documents.ocr_input.text_line import TextLine, in_rows

    boxes = [_box(*corners) for corners in picture_lines.boxes().tolist()]
    missing = [box for box in within if sum(box.intersection(other) for other in boxes) < MIN_LINE_SHARE * box.area]
    if not missing:
        return picture_lines.lines
    zoom = picture_lines.zoom
    whole = [
        TextLine(
            x0=round(box.x0 * zoom),
            x1=round(box.x1 * zoom),
            top=box.y0 * zoom,
            bottom=box.y1 * zoom,
            letter=box.height * zoom,
        )
        for box in missing
    ]
    rest = [
        line
        for line, box in zip(picture_lines.lines, boxes, strict=True)
        if not any(box.share_inside(outer) >= MIN_LINE_SHARE for outer in missing)
    ]
    return in_rows([*rest, *whole])


def _without_capital(ink: TextInk, capital: DropCapital) -> tuple[TextInk, list[TextLine]]:
    from documents.ocr_input.line_finder import find_lines
    from documents.ocr_input.text_ink import TextInk

    x0, y0, x1, y1 = capital.corners
    mask = ink.ink.copy()
    mask[y0:y1, x0:x1] &= capital.rest[y0:y1, x0:x1] < 255
    rest = TextInk(capital.rest, mask)
    return rest, find_lines(rest)


def _is_in(box: BoundingBox, within: Sequence[BoundingBox]) -> bool:
    return any(box.intersection(outer) >= MIN_LINE_SHARE * box.area for outer in within)


def _box(x0: float, y0: float, x1: float, y1: float) -> BoundingBox:
    return BoundingBox(x0=x0, y0=y0, x1=x1, y1=y1)


def _clipped(box: BoundingBox, shape: tuple[int, ...]) -> BoundingBox:
    height, width = shape[:2]
    x0, y0 = min(max(0.0, box.x0), width - 1.0), min(max(0.0, box.y0), height - 1.0)
    return _box(x0, y0, min(max(x0 + 1, box.x1), width), min(max(y0 + 1, box.y1), height))
