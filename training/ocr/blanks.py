"""Strips without a text: empty paper, grain, rules, dirt, pieces of pictures; nothing may be read from them."""

from __future__ import annotations

import random

import cv2
import numpy as np

from documents.ocr_input.strip_folding import fold, levels


class BlankPress:
    """One seed gives one stream of strips."""

    def __init__(self, seed: int) -> None:
        self._random, self._noise = random.Random(seed), np.random.default_rng(seed)

    def strip(self) -> np.ndarray:
        """Its folded rows, uint8 (rows, HEIGHT, SIDE)."""
        r = self._random
        height = r.randrange(8, 60)
        line = r.choice((self._paper, self._rule, self._dirt, self._picture))(height, round(height * r.uniform(1, 25)))
        if r.random() < 0.5:
            line = line + self._noise.standard_normal(line.shape) * r.uniform(2, 15)
        return fold(levels(np.clip(line, 0, 255).astype(np.uint8)))

    def _paper(self, height: int, width: int) -> np.ndarray:
        """Grain, perhaps with a stain or the shadow of a fold; levelling makes the most of it."""
        coarse = self._noise.standard_normal((max(2, height // 6), max(2, width // 6)))
        stain = cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC) * self._random.uniform(0, 12)
        return 235 + stain + self._noise.standard_normal((height, width)) * self._random.uniform(1, 14)

    def _rule(self, height: int, width: int) -> np.ndarray:
        """Rules across, dotted or not, and the sides of a cell."""
        r, line = self._random, np.full((height, width), 255.0)
        for _ in range(r.randrange(1, 3)):
            top = r.randrange(height)
            line[top : top + r.randrange(1, max(2, height // 6)), :: r.choice((1, 1, 1, 2))] = r.uniform(0, 150)
        for _ in range(r.choice((0, 0, 1, 2))):
            left = r.randrange(width)
            line[:, left : left + r.randrange(1, 4)] = r.uniform(0, 150)
        return line

    def _dirt(self, height: int, width: int) -> np.ndarray:
        """Specks and blots of all sizes, as a scanner's glass has them."""
        r, line = self._random, np.full((height, width), 255.0)
        for _ in range(r.randrange(1, 9)):
            centre = (r.randrange(width), r.randrange(height))
            axes = (r.randrange(1, max(2, height // 5)), r.randrange(1, max(2, height // 8)))
            cv2.ellipse(line, centre, axes, r.uniform(0, 180), 0, 360, r.uniform(0, 160), -1)
        return line

    def _picture(self, height: int, width: int) -> np.ndarray:
        """A piece of a photograph or drawing: soft areas, hatching, halftone dots, a curve."""
        r, g = self._random, self._noise
        soft = cv2.resize(g.uniform(0, 255, (r.randrange(2, 5), r.randrange(2, 9))), (width, height))
        y, x = np.mgrid[:height, :width]
        kind = r.randrange(4)
        if kind == 1:
            angle, pitch = r.uniform(0, np.pi), r.uniform(3, 9)
            return np.where((x * np.cos(angle) + y * np.sin(angle)) % pitch < pitch * r.uniform(0.2, 0.5), 60.0, 250.0)
        if kind == 2:
            pitch = r.uniform(3, 7)
            return np.where(
                (np.cos(2 * np.pi * x / pitch) + np.cos(2 * np.pi * y / pitch)) * 64 + 128 > soft, 30.0, 250.0
            )
        if kind == 3:
            curve = height * (0.5 + 0.4 * np.sin(x / width * r.uniform(2, 30) + r.uniform(0, 6)))
            return np.where(np.abs(y - curve) < r.uniform(1, 3), 20.0, 255.0)
        return soft
