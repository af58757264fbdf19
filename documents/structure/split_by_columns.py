"""Splits a region whose lines stand in two columns or below a title, and joins regions whose lines interleave."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from documents.inspection import TextLine
from documents.rotated_boxes import unrotate
from documents.structure.duplicate_detections import share_inside
from documents.tables.point_index import PointIndex
from documents.text.word_count import num_words
from documents.values import BoundingBox, Detection, RegionKind

MERGED: tuple[RegionKind, ...] = ("plain text", "title", "figure_caption", "isolate_formula", "formula_caption")

Held = tuple[Detection, list[TextLine]]  # a region and its lines


@dataclass(frozen=True, slots=True)
class Gutters:
    """What parts the lines of one region."""

    gutter: float = 0.8  # of the type's size; less only if the lines on the right start at one edge
    least: float = 0.5  # points, of any gutter
    aligned: float = 3.0  # points by which beginnings at one edge differ
    byline: float = 0.7  # of a title's type: smaller lines below it are no part of it


@dataclass(frozen=True, slots=True)
class Interleaving:
    """When a text is a part of another."""

    within: float = 0.9  # of its area, in the other


USUAL, ONE_TEXT = Gutters(), Interleaving()


def split_columns(region: Held, limits: Gutters = USUAL) -> list[Held]:
    """The region, or its columns if its lines stand in several that each hold prose, or a title and what is below."""
    detection, lines = region
    below = _below_title(region, limits)
    if below:
        smaller = set(map(id, below))
        title = [line for line in lines if id(line) not in smaller]
        return [
            (detection.model_copy(update={"box": _around(title)}), title),
            *split_columns((_text(detection, below), below), limits),
        ]
    if detection.kind not in ("plain text", "abandon", "figure_caption", "title") or len(lines) < 4:
        return [region]
    spans = _spans(lines)
    cut = _gutter(spans, limits.least)
    if cut is None:
        return [region]
    sides: tuple[list[TextLine], list[TextLine]] = ([], [])
    for line, (low, high) in zip(lines, spans, strict=True):
        sides[(low + high) / 2 > cut].append(line)
    if any(len(side) < 2 or sum(num_words(line.text) for line in side) < 3 * len(side) for side in sides):
        return [region]
    starts = [span[0] for span in spans if span[0] > cut]
    wide = min(starts) - max(high for _, high in spans if high < cut) >= limits.gutter * lines[0].font_size
    if not wide and sum(abs(start - min(starts)) < limits.aligned for start in starts) < 0.6 * len(starts):
        return [region]
    halves = [(detection.model_copy(update={"box": _around(side)}), side) for side in sides]
    return [part for half in halves for part in split_columns(half, limits)]


def _below_title(region: Held, limits: Gutters) -> list[TextLine]:
    """Lines of a title that are set much smaller than all above them: its author, a date."""
    detection, lines = region
    if detection.kind != "title" or any(line.angle for line in lines):
        return []
    size = max((line.font_size for line in lines), default=0.0)
    title = [line for line in lines if line.font_size >= limits.byline * size]
    below = [line for line in lines if line.font_size < limits.byline * size]
    parts = min((line.box.y0 for line in below), default=0.0) - max((line.box.y1 for line in title), default=0.0)
    return below if sum(num_words(line.text) for line in below) > 1 and parts >= -0.3 * size else []


def _text(detection: Detection, lines: Sequence[TextLine]) -> Detection:
    return detection.as_kind("plain text", _around(lines))


def merge_interleaved(regions: Sequence[Held], limits: Interleaving = ONE_TEXT) -> list[Held]:
    """Text regions that lie within another text region go up in it."""
    texts = [(r, _around(r[1])) for r in regions if r[1] and r[0].kind in MERGED]
    merged: list[Held] = []
    boxes: list[BoundingBox] = []  # around the lines of each
    index = PointIndex()
    numbers: list[int] = []  # which of them each box of the index is of: it has one for each time that it grew
    for (detection, lines), box in sorted(texts, key=lambda text: -text[1].area):
        over = sorted({numbers[k] for k in index.holding(*box.center)})  # most of it lies in none but these
        home = next((k for k in over if share_inside(box, boxes[k]) > limits.within), None)
        if home is None:
            home = len(merged)
            merged.append((detection, list(lines)))
            boxes.append(box)
        else:
            merged[home][1].extend(lines)
            if boxes[home].union(box) == boxes[home]:
                continue
            boxes[home] = boxes[home].union(box)
        index.add(boxes[home])
        numbers.append(home)
    return [*(r for r in regions if not r[1] or r[0].kind not in MERGED), *merged]


def _spans(lines: Sequence[TextLine]) -> list[tuple[float, float]]:
    boxes = [unrotate(line.box, line.angle) for line in lines]
    return [(box.x0, box.x1) for box in boxes]


def _gutter(spans: Sequence[tuple[float, float]], least: float) -> float | None:
    """The middle of the widest stretch of at least `least` points that no span covers."""
    best, at, end = least, None, float("inf")
    for low, high in sorted(spans):
        if low - end >= best:
            best, at = low - end, (low + end) / 2
        end = high if end == float("inf") else max(end, high)
    return at


def _around(lines: Sequence[TextLine]) -> BoundingBox:
    return BoundingBox.around([line.box for line in lines])
