"""FakeDetector: a layout network that finds the colour of a page."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from documents.errors import PageFailed
from documents.layout.doclayout.letterbox import Square, fit
from documents.layout.region_detector import Thresholds

SIDE = 32
BROKEN = 13  # the red of a picture that the fake cannot process


class FakeDetector:
    """Finds the colour of each page; counts batches, holds them until `go`, and tells when `awaited` pages came."""

    name, family, image_size, crop_margin = "fake", "doclayout_yolo", SIDE, (0.0, 0.0)

    def __init__(self, awaited: int = 0) -> None:
        self.batches: list[list[int]] = []
        self.asked: list[Thresholds] = []
        self.begun, self.go, self.all_came = threading.Event(), threading.Event(), threading.Event()
        self.go.set()
        self._awaited, self._came, self._lock = awaited, 0, threading.Lock()

    def fit(self, picture: np.ndarray, page_size: tuple[float, float] | None) -> Square:
        square = fit(picture, SIDE, page_size)
        with self._lock:
            self._came += 1
            if self._came == self._awaited:
                self.all_came.set()
        return square

    def detect_squares(self, squares: list[Square], thresholds: list[Thresholds]) -> list[Any]:
        colours = [int(square.pixels[SIDE // 2, SIDE // 2, 0]) for square in squares]
        self.batches.append(colours)
        self.asked += thresholds
        self.begun.set()
        assert self.go.wait(20)
        if self._awaited:
            assert self.all_came.wait(20)
        return [PageFailed("broken") if colour == BROKEN else [colour] for colour in colours]
