"""A page to train on, drawn or real: its picture, compressed, with the regions in it; and folders of such pages."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np


class TrainingPage(NamedTuple):
    """A page as it is kept: compressed, with rows of class, x0, y0, x1, y1 in its pixels."""

    jpeg: np.ndarray  # uint8 (bytes,)
    rows: np.ndarray  # float32 (regions, 5)
    wide: bool


def read_pages(folder: Path) -> list[TrainingPage]:
    """The pages of a folder of `benchmarks.tagged_pages`, in the order of their names."""
    pages: list[TrainingPage] = []
    for path in sorted(folder.glob("*.jpg")):
        jpeg = np.frombuffer(path.read_bytes(), np.uint8)
        image = cv2.imdecode(jpeg, cv2.IMREAD_REDUCED_GRAYSCALE_8)
        assert image is not None
        rows = np.loadtxt(path.with_suffix(".txt"), np.float32, ndmin=2).reshape(-1, 5)
        pages.append(TrainingPage(jpeg, rows, image.shape[1] > image.shape[0]))
    return pages
