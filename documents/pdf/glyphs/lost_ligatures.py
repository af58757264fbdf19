"""Reads ligatures for which a font's table has no letters by their shape: that of the letters that they join."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import pymupdf

REPLACEMENT_CHARACTER = "\ufffd"
LIGATURES = {"ff": "\ufb00", "fi": "\ufb01", "fl": "\ufb02", "ffi": "\ufb03", "ffl": "\ufb04"}
EM_PIXELS = 48.0  # the type's size is drawn with this number of pixels
MAX_LOST_CHARACTERS = 400  # maximum number of lost characters per page that are compared
MAX_EXAMPLES = 4  # maximum number of examples per letter
# maximum difference of the widths of a ligature and of the letters that it joins, in type sizes
MAX_EXCESS_WIDTH = 0.12
MAX_SHIFT = 3  # maximum shift of a letter, in pixels
MIN_LIKENESS = 0.6  # minimum share of the ink of either glyph that both have
MIN_LEAD = 0.2  # over any other, of the ink in which both differ

_Line = dict[str, Any]  # as MuPDF's rawdict has it


class _Type(NamedTuple):
    """What characters must share to be compared."""

    font: str
    size: float


class _Shape(NamedTuple):
    ink: np.ndarray  # 0..1, float (height, width)
    width: float  # of the type's size


def with_ligatures(page: pymupdf.Page, lines: list[_Line]) -> list[_Line]:
    """The lines; ligatures that are certain have the character for them, which is taken apart later."""
    lost = list(islice(_level_characters(lines, REPLACEMENT_CHARACTER), MAX_LOST_CHARACTERS))
    if not lost:
        return lines
    drawing = page.get_displaylist()
    kinds = {kind for kind, _ in lost}
    examples: dict[tuple[_Type, str], list[_Shape]] = {}
    for kind, char in _level_characters(lines, "fil"):
        if kind in kinds and len(own := examples.setdefault((kind, char["c"]), [])) < MAX_EXAMPLES:
            own.append(_shape(drawing, kind, char, page))
    letters = {key: min(shapes, key=_sum_of_ink) for key, shapes in examples.items()}  # neighbours reach into some
    for kind, char in lost:
        own = {name: letters[kind, name] for name in "fil" if (kind, name) in letters}
        char["c"] = _ligature(_shape(drawing, kind, char, page), own) or REPLACEMENT_CHARACTER
    return lines


def _level_characters(lines: Sequence[_Line], characters: str) -> Iterator[tuple[_Type, dict[str, Any]]]:
    for line in lines:
        if line["dir"][0] < 0.999:
            continue
        for span in line["spans"]:
            for char in span["chars"]:
                if char["c"] in characters and char["bbox"][2] > char["bbox"][0]:
                    yield _Type(span["font"], round(span["size"], 1)), char


def _shape(drawing: pymupdf.DisplayList, kind: _Type, char: dict[str, Any], page: pymupdf.Page) -> _Shape:
    zoom = EM_PIXELS / max(1.0, kind.size)
    x0, y0, x1, y1 = char["bbox"]
    clip = pymupdf.Rect(x0, y0, x1, y1) * page.rotation_matrix
    pixmap = drawing.get_pixmap(pymupdf.Matrix(zoom, zoom), colorspace=pymupdf.csGRAY, alpha=0, clip=clip)
    grey = np.frombuffer(pixmap.samples_mv, np.uint8).reshape(pixmap.height, pixmap.width)
    upright = np.rot90(grey, page.rotation // 90)
    darkest, lightest = int(upright.min()), int(upright.max())
    ink = (lightest - upright.astype(np.float32)) / max(1, lightest - darkest)
    return _Shape(ink, (x1 - x0) / max(1.0, kind.size))


def _sum_of_ink(shape: _Shape) -> float:
    return float(shape.ink.sum())


def _ligature(shape: _Shape, letters: dict[str, _Shape]) -> str | None:
    """The one whose letters, side by side, look most like the shape, if no other looks nearly so."""
    pictures: list[tuple[float, str, np.ndarray]] = []
    for name, ligature in LIGATURES.items():
        parts = [letters[letter] for letter in name if letter in letters]
        width = sum(part.width for part in parts)
        if len(parts) == len(name) and abs(width - shape.width) <= MAX_EXCESS_WIDTH:
            picture = _side_by_side(shape.ink, parts)
            pictures.append((_likeness(shape.ink, picture), ligature, picture))
    pictures.sort(key=lambda one: -one[0])
    if not pictures or pictures[0][0] < MIN_LIKENESS:
        return None
    best = pictures[0][2]
    is_certain = all(_lead(shape.ink, best, picture) >= MIN_LEAD for _, _, picture in pictures[1:])
    return pictures[0][1] if is_certain else None


def _likeness(ink: np.ndarray, picture: np.ndarray) -> float:
    return float(np.minimum(picture, ink).sum() / max(1e-6, np.maximum(picture, ink).sum()))


def _lead(ink: np.ndarray, one: np.ndarray, other: np.ndarray) -> float:
    """-1..1: how much nearer the ink is to one picture than to the other, where the two differ."""
    differ = np.abs(one - other)
    distances = [float((differ * np.abs(ink - picture)).sum()) for picture in (one, other)]
    return (distances[1] - distances[0]) / max(1e-6, sum(distances))


def _side_by_side(ink: np.ndarray, parts: Sequence[_Shape]) -> np.ndarray:
    """Letters over the whole width of a shape, each moved to where it fits best."""
    excess = sum(part.ink.shape[1] for part in parts) - ink.shape[1]
    step = excess / (len(parts) - 1)
    picture = np.zeros_like(ink)
    x = 0.0
    for part in parts:
        moved = (
            _with(picture, part.ink, round(x) + dx, dy) for dx in range(-MAX_SHIFT, MAX_SHIFT + 1) for dy in (-1, 0, 1)
        )
        picture = max(moved, key=lambda one: float(np.minimum(one, ink).sum() - np.maximum(one - ink, 0).sum()))
        x += part.ink.shape[1] - step
    return picture


def _with(picture: np.ndarray, part: np.ndarray, left: int, top: int) -> np.ndarray:
    """A picture with a part laid on it; what lies beyond its edges is left out."""
    after = picture.copy()
    part = part[max(0, -top) :, max(0, -left) :]
    place = after[max(0, top) :, max(0, left) :][: part.shape[0], : part.shape[1]]
    np.maximum(place, part[: place.shape[0], : place.shape[1]], out=place)
    return after
