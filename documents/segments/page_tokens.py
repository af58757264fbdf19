"""The tokens of a page: its segments, which are printed lines, and its rules, boxes and pictures.

A page is upright here, and mirrored where it is read from the right, so that one network reads all of them. Lines of
the text layer and lines that OCR read make the same tokens; of the latter nothing is known of their type (`typed`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from documents.boxes import BoundingBox
from documents.inspection import Inspection, TextLine
from documents.rotated_boxes import unrotate, usual_angle
from documents.text.ink_extent import ink_extent
from documents.text.printed_rows import is_backwards

SEGMENT, RULE, BOX, PICTURE = range(4)  # kinds of tokens
MAX_GRAPHICS = 60  # rules, boxes and pictures of a page; the longest are kept
MIN_GRAPHIC_POINTS = 8.0  # minimum length of a graphic's longer side
MAX_GRAPHIC_SHARE = 0.85  # a graphic over a larger share of the page's area is its ground
ASCENDER_HEIGHT = 0.8  # height of a line's box above the baseline, in type sizes
DESCENDER_DEPTH = 0.2  # depth of a line's box below the baseline, in type sizes
MAX_RULE_WIDTH = 3.0  # a narrower graphic (points) is a rule
COLOUR_BITS = 0xF0F0F0  # a colour is known to four bits per channel: drawn pages carry their truth in the others
SERIF_FONT = re.compile(r"serif|roman|times|garamond|georgia|palatino|cmr|mincho|song", re.I)


@dataclass(frozen=True, slots=True)
class PageTokens:
    """`n` tokens, segments first in the order of `lines`; boxes in points of the page as it is read.

    Attributes:
        width, height: of the page, points.
        texts: of the segments.
        kind: int8 (n,).
        box: float32 (n, 4), x0, y0, x1, y1.
        size: float32 (n,), points; 0 of graphics.
        style: float32 (n, 6): bold, italic, monospaced, serif, typed, sideways; 0 or 1, or a share of the letters.
        colour: float32 (n, 3), red, green, blue in 0..1; 0 of graphics.
    """

    width: float
    height: float
    texts: tuple[str, ...]
    kind: np.ndarray
    box: np.ndarray
    size: np.ndarray
    style: np.ndarray
    colour: np.ndarray

    @property
    def num_segments(self) -> int:
        return len(self.texts)


class Type(NamedTuple):
    """What a segment is set in."""

    bold: float
    italic: float
    monospaced: float
    serif: float
    typed: float
    sideways: float


def page_tokens(inspection: Inspection, lines: Sequence[TextLine]) -> PageTokens:
    """The tokens of a page whose visible lines are `lines`, of its text layer or read by OCR."""
    angle = usual_angle(lines)
    sheet = unrotate(inspection.box, angle)
    backwards = is_backwards("".join(line.text for line in lines))

    def placed(box: BoundingBox) -> tuple[float, float, float, float]:
        upright = unrotate(box, angle)
        left, right = upright.x0 - sheet.x0, upright.x1 - sheet.x0
        if backwards:
            left, right = sheet.width - right, sheet.width - left
        return left, upright.y0 - sheet.y0, right, upright.y1 - sheet.y0

    kinds, boxes = _graphics(inspection)
    count = len(lines) + len(boxes)
    style = np.zeros((count, len(Type._fields)), np.float32)
    colour = np.zeros((count, 3), np.float32)
    size = np.zeros(count, np.float32)
    for index, line in enumerate(lines):
        style[index] = _type(line, angle)
        rgb = line.colour & COLOUR_BITS
        colour[index] = rgb >> 16 & 255, rgb >> 8 & 255, rgb & 255
        size[index] = line.font_size
    all_boxes = [placed(box) for box in (*map(_box, lines), *boxes)]
    return PageTokens(
        width=sheet.width,
        height=sheet.height,
        texts=tuple(line.text for line in lines),
        kind=np.array([SEGMENT] * len(lines) + kinds, np.int8),
        box=np.array(all_boxes, np.float32).reshape(count, 4),
        size=size,
        style=style,
        colour=colour / 240,
    )


def _box(line: TextLine) -> BoundingBox:
    """A line's box from ascender to descender, as the text layer has it: what OCR read is known by its ink alone."""
    if line.fonts:
        return line.box
    ink = unrotate(line.box, line.angle)
    baseline = ink.y1 - ink_extent(line.text)[1] * line.font_size
    upright = ink.model_copy(
        update={"y0": baseline - ASCENDER_HEIGHT * line.font_size, "y1": baseline + DESCENDER_DEPTH * line.font_size}
    )
    return unrotate(upright, -line.angle % 360)


def _type(line: TextLine, angle: int) -> Type:
    sideways = float(line.angle != angle)
    if not line.fonts:  # OCR read it
        return Type(bold=0, italic=0, monospaced=0, serif=0, typed=0, sideways=sideways)
    letters = sum(len(word.text) for word in line.words)
    italic = sum(len(word.text) for word in line.words if word.italic) / letters if letters else 0.0
    bold = sum(len(word.text) for word in line.words if word.bold) / letters if letters else float(line.bold)
    serif = any(SERIF_FONT.search(font) and "sans" not in font.lower() for font in line.fonts[:1])
    return Type(
        bold=bold,
        italic=italic,
        monospaced=float(line.monospaced),
        serif=float(serif),
        typed=1.0,
        sideways=sideways,
    )


def _graphics(inspection: Inspection) -> tuple[list[int], list[BoundingBox]]:
    """Rules, boxes and pictures that are neither tiny nor the page's ground, the longest first."""
    plain = [(BOX, drawing.box) for drawing in inspection.drawings if not drawing.num_slanted]
    drawn = [(PICTURE, drawing.box) for drawing in inspection.drawings if drawing.num_slanted]
    rules = [(RULE, rule.box) for rule in inspection.rules]
    pictures = [(PICTURE, box) for box in inspection.images]
    graphics: dict[tuple[int, ...], tuple[int, BoundingBox]] = {}
    for kind, box in (*rules, *plain, *drawn, *pictures):
        if max(box.width, box.height) < MIN_GRAPHIC_POINTS or box.area > MAX_GRAPHIC_SHARE * inspection.box.area:
            continue
        if kind == BOX and min(box.width, box.height) < MAX_RULE_WIDTH:
            kind = RULE  # noqa: PLW2901
        graphics.setdefault((kind, *(round(edge) for edge in (box.x0, box.y0, box.x1, box.y1))), (kind, box))
    longest = sorted(graphics.values(), key=lambda graphic: -max(graphic[1].width, graphic[1].height))[:MAX_GRAPHICS]
    return [kind for kind, _ in longest], [box for _, box in longest]
