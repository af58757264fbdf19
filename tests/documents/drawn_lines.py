"""Printed lines drawn as pictures, with the boxes of their letters."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw, ImageFont

TEXTS = (
    "The harbour master keeps the log.",
    "Ships wait for the tide, and gulls",
    "follow them; nobody knows why.",
    "Invoice 4711 of 12 May 1993",
    "paid by cheque: 1,250.40",
    "Quay eight is empty again.",
)
PITCH, SIZE, LEFT, TOP = 34, 22, 20, 16


def sheet(
    num_lines: int = 6, width: int = 620, size: int = SIZE, pitch: int = PITCH, ink: int = 0, paper: int = 255
) -> np.ndarray:
    """Lines one below the other, uint8 (height, width)."""
    picture = Image.new("L", (width, pitch * num_lines + 2 * TOP), paper)
    pen, font = ImageDraw.Draw(picture), ImageFont.load_default(size=size)
    for line in range(num_lines):
        pen.text((LEFT, TOP + pitch * line), TEXTS[line % len(TEXTS)], fill=ink, font=font)
    return np.asarray(picture).copy()


def letter_boxes(num_lines: int = 6, size: int = SIZE, pitch: int = PITCH) -> list[tuple[float, float, float, float]]:
    """x0, y0, x1, y1 of the letters of each line of `sheet`, as the font tells them."""
    font = ImageFont.load_default(size=size)
    letters: list[tuple[float, float, float, float]] = []
    for line in range(num_lines):
        x0, y0, x1, y1 = font.getbbox(TEXTS[line % len(TEXTS)])
        top = TOP + pitch * line
        letters.append((LEFT + x0, top + y0, LEFT + x1, top + y1))
    return letters
