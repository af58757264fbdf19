"""Finds list bullets that a PDF draws as small shapes instead of characters."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pymupdf

from documents.boxes import BoundingBox
from documents.inspection import TextLine, Word

SIGN = "•"
# range of a bullet's side in type sizes: a smaller shape is a dot of a chart, a larger one a box to tick
BULLET_SIDES = (0.2, 0.75)
MAX_ASPECT_ERROR = 0.2  # maximum difference between width and height of a bullet, as a share of its width
BULLET_GAPS = (0.1, 2.5)  # range of the gap between the shape and its line, in type sizes
MAX_MIDDLE_OFFSET = 0.3  # maximum vertical offset between the middles of both, in type sizes
MAX_EDGE_DISTANCE = 1.0  # points
MIN_PAPER_LEVEL = 0.9  # a fill as light as this in each colour channel, of 1, is invisible
MIN_OPACITY = 0.1  # opacity
MIN_SHAPES = 2  # minimum number of shapes below one another: a single shape may be anything


def with_drawn_bullets(
    lines: Sequence[TextLine], paths: Sequence[dict[str, Any]], page: pymupdf.Page
) -> tuple[TextLine, ...]:
    """The lines, those that a drawn bullet marks beginning with its character."""
    shapes = sorted(_shapes(paths, page), key=lambda box: box.center[1])
    if len(shapes) < MIN_SHAPES:
        return tuple(lines)
    middles = [box.center[1] for box in shapes]
    bullets: dict[int, BoundingBox] = {}
    used: set[BoundingBox] = set()
    for k, line in enumerate(lines):
        if line.angle or line.hidden is not None or not line.words or not line.text[:1].isalnum():
            continue
        middle, size = line.box.center[1], line.font_size
        first = bisect_left(middles, middle - MAX_MIDDLE_OFFSET * size)
        for box in shapes[first : bisect_left(middles, middle + MAX_MIDDLE_OFFSET * size)]:
            if box not in used and _marks(box, line):
                bullets[k] = box
                used.add(box)
                break
    edges = sorted(box.x0 for box in bullets.values())
    listed = {
        k
        for k, box in bullets.items()
        if bisect_left(edges, box.x0 + MAX_EDGE_DISTANCE) - bisect_left(edges, box.x0 - MAX_EDGE_DISTANCE) >= MIN_SHAPES
    }
    return tuple(_marked(line, bullets[k]) if k in listed else line for k, line in enumerate(lines))


def _shapes(paths: Sequence[dict[str, Any]], page: pymupdf.Page) -> Iterator[BoundingBox]:
    """Filled paths that are about as wide as high and no larger than a bullet of large type."""
    for path in paths:
        if not _is_dark(path):
            continue
        rect = pymupdf.Rect(path["rect"]) * page.rotation_matrix
        if 1.0 <= rect.width <= 20.0 and abs(rect.width - rect.height) <= MAX_ASPECT_ERROR * rect.width:
            yield BoundingBox(x0=rect.x0, y0=rect.y0, x1=rect.x1, y1=rect.y1)


def _is_dark(path: Mapping[str, Any]) -> bool:
    """Whether a path is filled with ink and has no border of another color, as boxes to tick have."""
    fill = path.get("fill")
    if fill is None or min(fill) >= MIN_PAPER_LEVEL or path.get("fill_opacity", 1.0) < MIN_OPACITY:
        return False
    return "s" not in path["type"] or path.get("color") in (None, fill)


def _marks(box: BoundingBox, line: TextLine) -> bool:
    size = line.font_size
    fits = BULLET_SIDES[0] * size <= box.width <= BULLET_SIDES[1] * size
    return fits and BULLET_GAPS[0] * size <= line.box.x0 - box.x1 <= BULLET_GAPS[1] * size


def _marked(line: TextLine, box: BoundingBox) -> TextLine:
    first = line.words[0]
    bullet = Word(text=SIGN, box=box, font_size=line.font_size, font=first.font)
    words = (bullet, first.model_copy(update={"spaced": True}), *line.words[1:])
    return line.model_copy(update={"text": f"{SIGN} {line.text}", "box": line.box.union(box), "words": words})
