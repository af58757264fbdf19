"""How much of real pages' text lies in regions: as the network finds them, and after missed lines are gathered."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pymupdf

from documents.boxes import BoundingBox
from documents.layout.doclayout.detector import Detector
from documents.page.build_page import draft_regions
from documents.pdf.pdf_file import PdfFile
from documents.render_limits import RenderLimits
from documents.values import Source

PAGES_EACH = 6  # of a PDF
DPI = 110


class Coverage(NamedTuple):
    """Printed characters of some pages: those whose centre lies in a region, before and after gathering; those of them
    that only figures hold; and all.
    """

    detected: int
    gathered: int
    as_figure: int
    total: int


def coverage(detector: Detector, path: Path) -> Coverage:
    """Of the text layer of a few pages of a PDF, always the same ones."""
    file = PdfFile(Source(path=str(path), media_type="application/pdf"), RenderLimits())
    counts = np.zeros(4, int)
    with pymupdf.open(path) as pdf:
        page_numbers = random.Random(path.name).sample(range(len(pdf)), min(PAGES_EACH, len(pdf)))
        for number in sorted(page_numbers):
            inspection = file.inspect(number + 1)
            picture = file.picture(number + 1, None, DPI, None, 0)
            (detections,) = detector.detect([np.ascontiguousarray(picture)], [(inspection.width, inspection.height)])
            if isinstance(detections, Exception):
                raise detections
            x, y = centres(pdf[number])
            unseen = _inside(x, y, [line.box for line in inspection.lines if line.hidden])
            x, y = x[~unseen], y[~unseen]
            drafts = draft_regions(inspection, detections)
            covered = _within(x, y, [detection.box for detection in detections])
            as_figure = covered - _within(
                x, y, [detection.box for detection in detections if detection.kind != "figure"]
            )
            counts += covered, _within(x, y, [draft.box for draft in drafts]), as_figure, len(x)
    file.close()
    return Coverage(*counts.tolist())


def centres(page: pymupdf.Page) -> tuple[np.ndarray, np.ndarray]:
    """Centres of the printed characters that lie on the upright page, in points: x and y, (n, 1) each."""
    layer: Any = page.get_text("rawdict")
    lines = (line for block in layer["blocks"] for line in block.get("lines", ()))
    boxes = [char["bbox"] for line in lines for span in line["spans"] for char in span["chars"] if char["c"].strip()]
    box = np.array(boxes, float).reshape(-1, 4)
    turn = page.rotation_matrix
    middle = np.stack((box[:, 0::2].mean(1), box[:, 1::2].mean(1)), 1)
    x, y = (middle @ np.array([[turn.a, turn.b], [turn.c, turn.d]]) + (turn.e, turn.f)).T
    on = (x >= 0) & (x <= page.rect.width) & (y >= 0) & (y <= page.rect.height)
    return x[on, None], y[on, None]


def _within(x: np.ndarray, y: np.ndarray, boxes: Sequence[BoundingBox]) -> int:
    """How many of the points lie in some box."""
    return int(_inside(x, y, boxes).sum())


def _inside(x: np.ndarray, y: np.ndarray, boxes: Sequence[BoundingBox]) -> np.ndarray:
    """Of each point, whether it lies in some box: bool (n)."""
    edges = np.array([(box.x0, box.y0, box.x1, box.y1) for box in boxes], float).reshape(-1, 4)
    inside = (edges[:, 0] <= x) & (x <= edges[:, 2]) & (edges[:, 1] <= y) & (y <= edges[:, 3])
    return np.asarray(inside.any(1))
