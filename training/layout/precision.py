"""Average precision of found boxes against drawn ones."""

from __future__ import annotations

import numpy as np


def overlap(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """IoU of every box of (n, 4) with every box of (m, 4)."""
    low, high = np.maximum(a[:, None, :2], b[None, :, :2]), np.minimum(a[:, None, 2:], b[None, :, 2:])
    both = (high - low).clip(0).prod(2)
    areas = (a[:, 2:] - a[:, :2]).prod(1)[:, None] + (b[:, 2:] - b[:, :2]).prod(1)[None]
    return both / (areas - both + 1e-9)


def average_precision(detections: list[np.ndarray], truth: list[np.ndarray], cls: int, at: float = 0.5) -> float:
    """Area under the precision envelope, of one class over all pages; NaN where no page has the class.

    A page's `detections` are rows of x0, y0, x1, y1, score, class; of its `truth` class, x0, y0, x1, y1.
    """
    hits: list[bool] = []
    scores: list[float] = []
    total = 0
    for page_found, page_truth in zip(detections, truth, strict=True):
        rows, boxes = page_found[page_found[:, 5] == cls], page_truth[page_truth[:, 0] == cls, 1:]
        total, iou, free = total + len(boxes), overlap(rows[:, :4], boxes), np.ones(len(boxes), bool)
        for k in np.argsort(-rows[:, 4], kind="stable"):
            near = np.where(free, iou[k], 0)
            hit = len(near) > 0 and near.max() >= at
            hits.append(bool(hit))
            scores.append(float(rows[k, 4]))
            if hit:
                free[near.argmax()] = False
    if not total:
        return float("nan")
    good = np.cumsum(np.array(hits, float)[np.argsort(-np.array(scores), kind="stable")])
    precision, recall = good / np.arange(1, len(good) + 1), good / total
    envelope = np.maximum.accumulate(precision[::-1])[::-1]
    return float(np.diff(recall, prepend=0) @ envelope)
