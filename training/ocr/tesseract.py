"""Tesseract 5 as a second reader of the same strips (Debian's package tesseract-ocr, English)."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from documents.ocr_input.strip_folding import SQUARE_SIDE, STRIP_HEIGHT
from training.ocr.read import Squares

PAD = 10  # white pixels about a line, which it wants
TIMES = 2  # larger than the strips that the compact reader sees: it wants letters of about 30 pixels


def is_installed() -> bool:
    return shutil.which("tesseract") is not None


class Tesseract:
    """Reads one line a picture, in one thread."""

    def joined(self, lines: Sequence[Squares]) -> list[str]:
        """The text of each line. Raises CalledProcessError: it failed."""
        if not lines:
            return []
        with tempfile.TemporaryDirectory(prefix="pagemill-tesseract-") as folder:
            names = [Path(folder, f"{k:05}.png") for k in range(len(lines))]
            for name, squares in zip(names, lines, strict=True):
                Image.fromarray(unfolded(squares)).save(name)
            listed = Path(folder, "lines.txt")
            listed.write_text("".join(f"{name}\n" for name in names))
            command = ["tesseract", str(listed), "stdout", "--psm", "7", "-l", "eng", "--dpi", "150"]
            single = {**os.environ, "OMP_THREAD_LIMIT": "1"}
            output = subprocess.run(command, check=True, capture_output=True, text=True, env=single).stdout
        return [" ".join(page.split()) for page in output.split("\f")[: len(lines)]]


def unfolded(squares: Squares) -> np.ndarray:
    """The line as it was before it was folded, enlarged, on white: uint8 (height, width).

    Of the gap at which a line was folded only what begins the next row is left: twice that parts the words again.
    """
    rows = np.concatenate([square[..., 0].reshape(-1, STRIP_HEIGHT, SQUARE_SIDE) for square in squares])
    inked = [(row, np.flatnonzero((row < 255).any(axis=0))) for row in rows]
    inked = [(row, columns) for row, columns in inked if len(columns)]
    gaps = [int(columns[0]) for _, columns in inked[1:]] + [0] * bool(inked)
    shown_rows = [
        np.pad(row[:, : columns[-1] + 1], ((0, 0), (0, gap)), constant_values=255)
        for (row, columns), gap in zip(inked, gaps, strict=True)
    ]
    tape = np.concatenate(shown_rows, axis=1) if shown_rows else np.full((STRIP_HEIGHT, STRIP_HEIGHT), 255, np.uint8)
    large = Image.fromarray(tape).resize((TIMES * tape.shape[1], TIMES * STRIP_HEIGHT), Image.Resampling.BICUBIC)
    return np.pad(np.asarray(large), PAD, constant_values=255)
