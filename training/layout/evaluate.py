"""Measures a layout checkpoint on drawn pages that no training saw, and on real PDFs with a text layer.

    python -m training.layout.evaluate checkpoints/layout-compact some.pdf --json figures.json

Drawn pages give average precision at IoU 0.5 for each class. A PDF gives the share of its characters whose centre lies
in some region, as the network finds them and after gathering: what no region covers is never read. Without PDFs named,
the real ones of the evaluation corpus are taken, where it lies beside the project, and its reading order is scored.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Iterable
from pathlib import Path

import cv2
import numpy as np
import torch

from documents.layout.doclayout.detector import Detector
from training.layout.batches import drawn_page
from training.layout.classes import CLASSES
from training.layout.coverage import Coverage, coverage
from training.layout.order import order_with_detector
from training.layout.precision import average_precision
from training.layout.training_pages import TrainingPage, read_pages

SEED = 999_000_000_000  # of no training run
ALL = 0.01  # confidence that leaves precision its whole curve
CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus"


def precision(detector: Detector, pages: Iterable[TrainingPage]) -> dict[str, float]:
    """Average precision of each class."""
    detections_by_page: list[np.ndarray] = []
    truth: list[np.ndarray] = []
    for page in pages:
        image = cv2.imdecode(page.jpeg, cv2.IMREAD_COLOR)
        assert image is not None
        detections_by_page.append(rows_of(detector, image[..., ::-1], ALL))
        truth.append(page.rows)
    return {name: average_precision(detections_by_page, truth, cls) for cls, name in enumerate(CLASSES)}


def rows_of(detector: Detector, image: np.ndarray, confidence: float | None) -> np.ndarray:
    """Regions of an RGB page in its pixels: (k, 6), rows x0, y0, x1, y1, score, class."""
    (detections,) = detector.detect([np.ascontiguousarray(image)], [None], confidence=confidence)
    if isinstance(detections, Exception):
        raise detections
    rows = [
        (*detection.box.model_dump().values(), detection.score, CLASSES.index(detection.kind))
        for detection in detections
    ]
    return np.array(rows, float).reshape(-1, 6)


def evaluate(
    folder: Path, pdfs: list[Path], *, count: int = 240, ordered: Path | None = None, real: Path | None = None
) -> dict[str, float]:
    """Figures by stable names; classes that no page shows are left out of the mean.

    `ordered`: the corpus whose reading order is scored; `real`: pages of `benchmarks.tagged_pages`.
    """
    detector, begun, figures = Detector(folder), time.monotonic(), dict[str, float]()
    sets = {"synthetic": (drawn_page(SEED + k) for k in range(count)), "tagged": read_pages(real) if real else ()}
    for name, pages in sets.items():
        precisions = {kind: share for kind, share in precision(detector, pages).items() if not math.isnan(share)}
        figures |= {f"ap50_{name}_{kind.replace(' ', '_')}": share for kind, share in precisions.items()}
        figures[f"map50_{name}"] = sum(precisions.values()) / max(1, len(precisions))
        print(f"{name}: mAP50 {figures[f'map50_{name}']:.3f}, {time.monotonic() - begun:.0f} s", flush=True)
    counts: list[Coverage] = []
    for path in pdfs:
        counts.append(row := coverage(detector, path))
        shares = f"{row.detected / max(1, row.total):.3f}, after gathering {row.gathered / max(1, row.total):.3f}"
        print(f"  {path.name}: {shares} of {row.total} characters", flush=True)
    if counts:
        total = max(1, sum(count.total for count in counts))
        figures["coverage_real"] = sum(count.detected for count in counts) / total
        figures["as_figure_real"] = sum(count.as_figure for count in counts) / total
        figures["coverage_real_gathered"] = sum(count.gathered for count in counts) / total
    if ordered and (order := order_with_detector(detector, ordered)) is not None:
        figures["order_with_detector"] = order
    return figures


def main() -> None:
    assert __doc__
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", default=Path("checkpoints/layout-compact"))
    parser.add_argument("pdfs", type=Path, nargs="*")
    parser.add_argument("--count", type=int, default=240, help="drawn pages")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--real", type=Path, metavar="PAGES", help="of `benchmarks.tagged_pages`")
    parser.add_argument("--json", type=Path, metavar="FILE")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    pdfs = args.pdfs or sorted((CORPUS / "pages").glob("real_*.pdf"))
    figures = evaluate(args.folder, pdfs, count=args.count, ordered=None if args.pdfs else CORPUS, real=args.real)
    for name, figure in figures.items():
        print(f"{name}: {figure:.3f}")
    if args.json:
        args.json.write_text(json.dumps({"benchmark": "layout", "figures": figures}, indent=2) + "\n")


if __name__ == "__main__":
    main()
