"""Folding as the reader folds (`documents.strips.fold`), which also tells where each column went."""

from __future__ import annotations

import numpy as np
from PIL import Image

from documents.strips import HEIGHT, ROWS, SIDE, STRETCH, _gap


def traced_fold(strip: np.ndarray) -> tuple[np.ndarray, list[int], float]:
    """The rows, uint8 (rows, HEIGHT, SIDE), the scaled column at which each starts, and the scale."""
    picture = Image.fromarray(strip)
    scale = HEIGHT / picture.height
    scale *= min(STRETCH, ROWS * SIDE * 0.97 / (picture.width * scale))
    while True:
        tape = np.asarray(picture.resize((max(8, round(picture.width * scale)), HEIGHT), Image.Resampling.BILINEAR))
        starts = [0]
        while starts[-1] + SIDE < tape.shape[1]:
            starts.append(_gap(tape, starts[-1] + SIDE * 5 // 8, starts[-1] + SIDE + 1))
        if len(starts) <= ROWS:
            break
        scale *= 0.95
    rows = np.full((len(starts), HEIGHT, SIDE), 255, np.uint8)
    for row, start, end in zip(rows, starts, [*starts[1:], tape.shape[1]], strict=True):
        row[:, : end - start] = tape[:, start:end]
    return rows, starts, scale
