"""Measures a layout checkpoint on drawn pages that no training saw, and on real PDFs with a text layer.

    python -m training.layout.evaluate checkpoints/layout-compact some.pdf --json figures.json

Drawn pages give average precision at IoU 0.5 for each class. A PDF gives the share of its characters whose centre lies
in some region: what no region covers is never read.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pymupdf
import torch

from documents.detector import Detector
from training.layout.batches import drawn_page
from training.layout.classes import CLASSES
from training.layout.precision import average_precision

SEED = 999_000_000_000  # of no training run
ALL = 0.01  # confidence that leaves precision its whole curve
PAGES_EACH = 6  # of a PDF
DPI = 110


def drawn_precision(detector: Detector, count: int) -> dict[str, float]:
    """Average precision of each class on that many drawn pages."""
    found: list[np.ndarray] = []
    truth: list[np.ndarray] = []
    for k in range(count):
        page = drawn_page(SEED + k)
        image = cv2.imdecode(page.jpeg, cv2.IMREAD_COLOR)
        assert image is not None
        found.append(rows_of(detector, image[..., ::-1], ALL))
        truth.append(page.rows)
    return {name: average_precision(found, truth, cls) for cls, name in enumerate(CLASSES)}


def coverage(detector: Detector, path: Path) -> tuple[int, int]:
    """Printed characters of some pages' text layer whose centre lies in a region, and all of them."""
    inside = total = 0
    with pymupdf.open(path) as pdf:
        chosen = random.Random(path.name).sample(range(len(pdf)), min(PAGES_EACH, len(pdf)))
        for number in sorted(chosen):
            page = pdf[number]
            drawn = page.get_pixmap(dpi=DPI, colorspace=pymupdf.csRGB)
            image = np.frombuffer(drawn.samples, np.uint8).reshape(drawn.height, drawn.width, 3)
            x, y = _centres(page, DPI / 72)
            rows = rows_of(detector, image, None)
            within = (rows[:, 0] <= x) & (x <= rows[:, 2]) & (rows[:, 1] <= y) & (y <= rows[:, 3])
            inside, total = inside + int(within.any(1).sum()), total + len(x)
    return inside, total


def rows_of(detector: Detector, image: np.ndarray, confidence: float | None) -> np.ndarray:
    """Regions of an RGB page in its pixels: (k, 6), rows x0, y0, x1, y1, score, class."""
    (found,) = detector.detect([np.ascontiguousarray(image)], [None], confidence=confidence)
    if isinstance(found, Exception):
        raise found
    rows = [(*each.box.model_dump().values(), each.score, CLASSES.index(each.kind)) for each in found]
    return np.array(rows, float).reshape(-1, 6)


def _centres(page: pymupdf.Page, scale: float) -> tuple[np.ndarray, np.ndarray]:
    """Centres of the printed characters that lie on the page, in pixels: x and y, (n, 1) each."""
    layer: Any = page.get_text("rawdict")
    lines = (line for block in layer["blocks"] for line in block.get("lines", ()))
    boxes = [char["bbox"] for line in lines for span in line["spans"] for char in span["chars"] if char["c"].strip()]
    box = np.array(boxes, float).reshape(-1, 4) * scale
    x, y = box[:, 0::2].mean(1), box[:, 1::2].mean(1)
    on = (x >= 0) & (x <= page.rect.width * scale) & (y >= 0) & (y <= page.rect.height * scale)
    return x[on, None], y[on, None]


def evaluate(folder: Path, pdfs: list[Path], *, count: int = 240) -> dict[str, float]:
    """Figures by stable names; classes that no page shows are left out of the mean."""
    detector, begun = Detector(folder), time.monotonic()
    precisions = {name: each for name, each in drawn_precision(detector, count).items() if not math.isnan(each)}
    figures = {f"ap50_{name.replace(' ', '_')}": each for name, each in precisions.items()}
    figures["map50_synthetic"] = sum(precisions.values()) / max(1, len(precisions))
    print(f"{count} drawn pages: mAP50 {figures['map50_synthetic']:.3f}, {time.monotonic() - begun:.0f} s", flush=True)
    counts = []
    for path in pdfs:
        inside, total = coverage(detector, path)
        counts.append((inside, total))
        print(f"  {path.name}: {inside / max(1, total):.3f} of {total} characters", flush=True)
    if counts:
        figures["coverage_real"] = sum(inside for inside, _ in counts) / max(1, sum(total for _, total in counts))
    return figures


def main() -> None:
    assert __doc__
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", default=Path("checkpoints/layout-compact"))
    parser.add_argument("pdfs", type=Path, nargs="*")
    parser.add_argument("--count", type=int, default=240, help="drawn pages")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", type=Path, metavar="FILE")
    chosen = parser.parse_args()
    torch.set_num_threads(chosen.threads)
    figures = evaluate(chosen.folder, chosen.pdfs, count=chosen.count)
    for name, figure in figures.items():
        print(f"{name}: {figure:.3f}")
    if chosen.json:
        chosen.json.write_text(json.dumps({"benchmark": "layout", "figures": figures}, indent=2) + "\n")


if __name__ == "__main__":
    main()
