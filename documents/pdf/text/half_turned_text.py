"""Corrects the boxes of text that is turned by 180 degrees: PyMuPDF takes it for mirrored text, whose letters stand on
their baseline, and puts their boxes on the wrong side of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pymupdf

_Line = dict[str, Any]
_Edges = tuple[float, float, float, float]


def with_half_turned_boxes(page: pymupdf.Page, lines: Sequence[_Line], flags: int) -> list[_Line]:
    """The lines of `rawdict` with these flags, each box of half-turned letters on their side of the baseline."""
    if not any(_runs_backwards(line) for line in lines):
        return list(lines)
    pymupdf.TOOLS.unset_quad_corrections(True)  # MuPDF's own boxes are of another height and on the right side
    try:
        text: dict[str, Any] = page.get_text("rawdict", flags=flags, clip=pymupdf.INFINITE_RECT())  # pyright: ignore[reportAssignmentType]
    finally:
        pymupdf.TOOLS.unset_quad_corrections(False)
    plain = [line for block in text["blocks"] for line in block.get("lines", ())]
    return [
        _half_turned(line) if _runs_backwards(line) and _hangs(other) else line
        for line, other in zip(lines, plain, strict=True)
    ]


def _runs_backwards(line: _Line) -> bool:
    return line["dir"][0] == -1


def _hangs(line: _Line) -> bool:
    """Whether its letters are below their baseline, as seen on the unturned page."""
    chars = [char for span in line["spans"] for char in span["chars"]]
    return sum((char["bbox"][1] + char["bbox"][3]) / 2 - char["origin"][1] for char in chars) > 0


def _half_turned(line: _Line) -> _Line:
    spans: list[_Line] = []
    for span in line["spans"]:
        chars = [{**char, "bbox": _mirrored(char["bbox"], char["origin"][1])} for char in span["chars"]]
        box = _around([char["bbox"] for char in chars]) if chars else _mirrored(span["bbox"], span["origin"][1])
        spans.append({**span, "bbox": box, "chars": chars})
    return {**line, "bbox": _around([span["bbox"] for span in spans]), "spans": spans}


def _mirrored(box: _Edges, baseline: float) -> _Edges:
    return box[0], 2 * baseline - box[3], box[2], 2 * baseline - box[1]


def _around(boxes: Sequence[_Edges]) -> _Edges:
    left, top, right, bottom = zip(*boxes, strict=True)
    return min(left), min(top), max(right), max(bottom)
