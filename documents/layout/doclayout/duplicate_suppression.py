"""Removes duplicate detections of the layout network (non-maximum suppression)."""

from __future__ import annotations

import torch


def surviving(boxes: torch.Tensor, candidates: torch.Tensor, iou_threshold: torch.Tensor) -> torch.Tensor:
    """Which boxes stay when each, surest first, takes out those that overlap it: greedy suppression, exactly.

    `boxes` (n, k, 4) are corners, surest first; `candidates` (n, k) bool: the others neither stay nor take out;
    `iou_threshold` (n,): an overlap above it is a duplicate, 1 keeps all. Returns (n, k) bool.

    All boxes are judged at once by those that stood in the round before; the first m are final after m rounds, and in
    practice all after a few. (Shifting images apart for one common suppression would round boxes by their batch mates.)
    """
    above = _iou(boxes).triu_(1) > iou_threshold[:, None, None]
    stay = candidates
    while True:
        new = candidates & ~(above & stay[:, :, None]).any(1)
        if torch.equal(new, stay):
            return stay
        stay = new


def _iou(boxes: torch.Tensor) -> torch.Tensor:
    """(n, k, k)."""
    low = torch.maximum(boxes[:, :, None, :2], boxes[:, None, :, :2])
    high = torch.minimum(boxes[:, :, None, 2:], boxes[:, None, :, 2:])
    both = (high - low).clamp_(min=0).prod(3)
    area = (boxes[..., 2:] - boxes[..., :2]).prod(2)
    return both / (area[:, :, None] + area[:, None, :] - both)
