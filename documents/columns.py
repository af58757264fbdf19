"""Regions whose lines stand in two columns are parted, and those whose lines interleave are made one."""

from __future__ import annotations

from collections.abc import Sequence

from documents.inspection import TextLine
from documents.overlaps import share_inside
from documents.turning import upright
from documents.values import BoundingBox, Detection, RegionKind

GUTTER = 0.8  # of the type's size; less only if the lines on the right all start at one edge
LEAST, ALIGNED = 0.5, 3.0  # points
MERGED: tuple[RegionKind, ...] = ("plain text", "title", "figure_caption", "isolate_formula", "formula_caption")

Held = tuple[Detection, list[TextLine]]  # a region and its lines


def parted(region: Held) -> list[Held]:
    """The region, or its columns if its lines stand in several that each hold prose."""
    detection, lines = region
    if detection.kind not in ("plain text", "abandon", "figure_caption", "title") or len(lines) < 4:
        return [region]
    spans = _spans(lines)
    cut = _gutter(spans, LEAST)
    if cut is None:
        return [region]
    sides: tuple[list[TextLine], list[TextLine]] = ([], [])
    for line, (low, high) in zip(lines, spans, strict=True):
        sides[(low + high) / 2 > cut].append(line)
    if any(len(side) < 2 or sum(len(line.text.split()) for line in side) < 3 * len(side) for side in sides):
        return [region]
    starts = [span[0] for span in spans if span[0] > cut]
    wide = min(starts) - max(high for _, high in spans if high < cut) >= GUTTER * lines[0].font_size
    if not wide and sum(abs(start - min(starts)) < ALIGNED for start in starts) < 0.6 * len(starts):
        return [region]
    halves = [(detection.model_copy(update={"box": _around(side)}), side) for side in sides]
    return [part for half in halves for part in parted(half)]


def interleaved(regions: Sequence[Held]) -> list[Held]:
    """Text regions that lie within another text region go up in it."""
    left = sorted((r for r in regions if r[1] and r[0].kind in MERGED), key=lambda r: -_around(r[1]).area)
    merged: list[Held] = []
    for detection, lines in left:
        home = next((r for r in merged if share_inside(_around(lines), _around(r[1])) > 0.9), None)
        if home is None:
            merged.append((detection, list(lines)))
        else:
            home[1].extend(lines)
    return [*(r for r in regions if not r[1] or r[0].kind not in MERGED), *merged]


def _spans(lines: Sequence[TextLine]) -> list[tuple[float, float]]:
    boxes = [upright(line.box, line.angle) for line in lines]
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
