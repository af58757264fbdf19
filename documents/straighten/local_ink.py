"""Tells ink from paper by the light nearby."""

from __future__ import annotations

import cv2
import numpy as np


def local_ink(grey: np.ndarray, window: int, min_contrast: int) -> np.ndarray:
    """uint8 (height, width), 1 where a picture is darker than `window` pixels around by more than `min_contrast`."""
    darker = cv2.subtract(cv2.boxFilter(grey, -1, (window, window)), grey)
    return (np.asarray(darker, np.uint8) > min_contrast).view(np.uint8)
