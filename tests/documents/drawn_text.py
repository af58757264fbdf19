"""Pictures of printed pages for tests: lines of words, turned, under a lamp, or lying on a desk."""

from __future__ import annotations

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

WORDS = ("The", "harbour", "master", "keeps", "the", "log", "while", "ships", "wait", "for", "the", "evening", "tide")


def sheet_of_text(width=900, height=1200, size=22, num_lines=30) -> np.ndarray:
    """uint8 (height, width, 3): one column of level lines, ragged on the right."""
    picture = Image.new("RGB", (width, height), "white")
    pen, font = ImageDraw.Draw(picture), ImageFont.load_default(size=size)
    for k in range(num_lines):
        words = (WORDS * 2)[k % len(WORDS) : k % len(WORDS) + 9 + k % 3]
        pen.text((width // 10, height // 12 + round(1.45 * size * k)), " ".join(words), "black", font)
    return np.asarray(picture)


def turned(picture: np.ndarray, degrees: float) -> np.ndarray:
    """Clockwise, about the middle; the corners are white."""
    height, width = picture.shape[:2]
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), -degrees, 1.0)
    return cv2.warpAffine(picture, matrix, (width, height), flags=cv2.INTER_CUBIC, borderValue=(255, 255, 255))


def on_desk(picture: np.ndarray, corners, size=(1000, 1300), desk=60) -> np.ndarray:
    """The picture as a sheet whose corners lie at `corners` of a larger picture of `size`."""
    height, width = picture.shape[:2]
    own = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    matrix = cv2.getPerspectiveTransform(own, np.array(corners, np.float32))
    return cv2.warpPerspective(picture, matrix, size, flags=cv2.INTER_CUBIC, borderValue=(desk, desk, desk))


def under_lamp(picture: np.ndarray, darkest=0.5) -> np.ndarray:
    """Bright on the left, dark on the right."""
    light = np.linspace(1.0, darkest, picture.shape[1])[None, :, None]
    return (picture * light).astype(np.uint8)
