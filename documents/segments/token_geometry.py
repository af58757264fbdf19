"""Measures how the tokens of a page, or of one band of it, lie to one another: neighbours, rows, graphics, boxes."""

from __future__ import annotations

import numpy as np

from documents.segments.page_tokens import BOX, PICTURE, RULE, PageTokens

MAX_GAP = 6.0  # a gap counts at most so much, in body sizes


class Geometry:
    """How the segments of a page lie to one another and to its graphics."""

    def __init__(self, tokens: PageTokens, body: float) -> None:
        self._count = tokens.num_segments
        self._body = body
        self._x0, self._y0, self._x1, self._y1 = tokens.box.T
        self._middle = (self._y0 + self._y1) / 2
        rows = slice(0, self._count)
        self._overlap_x = np.minimum(self._x1[rows, None], self._x1) - np.maximum(self._x0[rows, None], self._x0)
        self._overlap_y = np.minimum(self._y1[rows, None], self._y1) - np.maximum(self._y0[rows, None], self._y0)
        self._height = (self._y1 - self._y0)[rows]

    def neighbour(self, tokens: PageTokens, sign: int) -> np.ndarray:
        """float32 (segments, 8) about the nearest segment above (-1) or below (1) that overlaps it level."""
        rows = np.arange(self._count)
        middle = self._middle[: self._count]
        distance = sign * (middle[None] - middle[:, None])
        fits = (self._overlap_x[:, : self._count] > 0) & (distance > 0.3 * self._height[:, None])
        distance = np.where(fits, distance, np.inf)
        near = distance.argmin(1)
        known = np.isfinite(distance[rows, near])
        x0, y0, x1, y1 = (edge[: self._count] for edge in (self._x0, self._y0, self._x1, self._y1))
        gap = y0[near] - y1 if sign > 0 else y0 - y1[near]
        size, bold = np.maximum(tokens.size[: self._count], 1), tokens.style[: self._count, 0]
        columns = [
            np.clip(gap / self._body, -1, MAX_GAP) / 2,
            np.log(size / size[near]),
            bold - bold[near],
            np.clip((x0[near] - x0) / self._body, -MAX_GAP, MAX_GAP) / 3,
            np.clip((x1[near] - x1) / self._body, -2 * MAX_GAP, 2 * MAX_GAP) / 6,
            np.abs(x0[near] + x1[near] - x0 - x1) < 0.5 * self._body,
            np.minimum(1.5, (x1[near] - x0[near]) / np.maximum(x1 - x0, 1)),
        ]
        table = np.stack([np.where(known, column, 0.0) for column in columns], 1)
        table[~known, 0] = MAX_GAP / 2
        return np.concatenate([~known[:, None], table], 1).astype(np.float32)

    def row(self) -> np.ndarray:
        """float32 (segments, 3): how many stand level with it, and the gaps to its left and right."""
        count = self._count
        x0, x1 = self._x0[:count], self._x1[:count]
        level = (self._overlap_y[:, :count] > 0.5 * self._height[:, None]) & ~np.eye(count, dtype=bool)
        left = np.where(level & (x1[None] <= x0[:, None] + 1), x1[None], -np.inf).max(1)
        right = np.where(level & (x0[None] >= x1[:, None] - 1), x0[None], np.inf).min(1)
        columns = [
            np.minimum(level.sum(1), 8) / 4,
            np.minimum((x0 - left) / self._body, MAX_GAP) / 3,
            np.minimum((right - x1) / self._body, MAX_GAP) / 3,
        ]
        return np.stack(columns, 1).astype(np.float32)

    def graphics(self, tokens: PageTokens) -> np.ndarray:
        """float32 (segments, 8): gaps to rules, boxes and pictures above and below; whether it lies in one of these."""
        count = self._count
        middle, x0, x1 = (edge[:count, None] for edge in (self._middle, self._x0, self._x1))
        columns: list[np.ndarray] = []
        for kind in (RULE, BOX, PICTURE):
            fits = (tokens.kind == kind) & (self._overlap_x > 0)
            if kind == RULE:
                fits &= self._x1 - self._x0 > self._y1 - self._y0
            above = np.where(fits & (self._y1 <= middle), self._y1, -np.inf).max(1, initial=-np.inf)
            below = np.where(fits & (self._y0 >= middle), self._y0, np.inf).min(1, initial=np.inf)
            columns += [
                np.clip((self._y0[:count] - above) / self._body, -1, 5) / 2,
                np.clip((below - self._y1[:count]) / self._body, -1, 5) / 2,
            ]
            if kind != RULE:
                around = fits & (self._x0 <= x0 + 1) & (self._x1 >= x1 - 1) & (self._y0 < middle) & (self._y1 > middle)
                columns.append(around.any(1))
        return np.stack(columns, 1).astype(np.float32)


def smallest_box(tokens: PageTokens) -> np.ndarray:
    """Of each segment, the index of the smallest drawn box around it; -1 of none, and of graphics."""
    inside = np.full(len(tokens.kind), -1, np.int16)
    boxes = np.flatnonzero(tokens.kind == BOX)
    if not len(boxes) or not tokens.num_segments:
        return inside
    x0, y0, x1, y1 = tokens.box[: tokens.num_segments].T[:, :, None]
    left, top, right, bottom = tokens.box[boxes].T
    middle = (y0 + y1) / 2
    around = (left <= x0 + 2) & (right >= x1 - 2) & (top <= middle) & (bottom >= middle)
    area = np.where(around, (right - left) * (bottom - top), np.inf)
    inside[: tokens.num_segments] = np.where(around.any(1), boxes[area.argmin(1)], -1)
    return inside
