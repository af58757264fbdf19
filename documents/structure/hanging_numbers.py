"""Joins numbers and bullets that stand apart in the margin with the line that they belong to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from documents.inspection import TextLine
from documents.text.list_markers import BULLETS, ROOMY

MARK = re.compile(r"\.\d{1,2}|\(?(?:\d{1,3}(?:\.\d{1,3})*|[A-Za-z]|[ivxIVX]{1,5})[.)]|\d{1,3}(?:\.\d{1,3})+")
HANGING_BULLETS = BULLETS | ROOMY


@dataclass(frozen=True, slots=True)
class HangingNumbers:
    """How a mark stands to the line that it numbers; a bullet, to its item."""

    room: float = 40.0  # points between them
    wide_room: float = 100.0  # points, where other lines begin at the edge of the numbered one, and none between them
    edge: float = 2.0  # points by which such edges may differ
    clear: float = 1.5  # of the mark's height: how far above and below nothing may stand between
    level: float = 0.7  # of the lower one's height, that they share
    alike: float = 1.3  # ratio of their font sizes
    alike_bullet: float = 2.0  # bullets are often taken from another font


USUAL = HangingNumbers()


def hanging_numbers(lines: Sequence[TextLine], limits: HangingNumbers = USUAL) -> list[tuple[TextLine, TextLine]]:
    """Each mark that begins its row, with the line that it numbers; upright text only.

    A bullet may stand beside another column, further from it than from its own line.
    """
    pairs: list[tuple[TextLine, TextLine]] = []
    if not lines:
        return pairs
    boxes = np.array([(one.box.x0, one.box.y0, one.box.x1, one.box.y1) for one in lines])
    left, top, right, bottom = boxes.T
    for k, mark in enumerate(lines):
        is_bullet = mark.text in HANGING_BULLETS
        if mark.angle or not (is_bullet or MARK.fullmatch(mark.text)):
            continue
        shared = np.minimum(bottom, bottom[k]) - np.maximum(top, top[k])
        level = shared >= limits.level * np.minimum(bottom - top, bottom[k] - top[k])
        level[k] = False
        before = level & (left < left[k])
        if before.any() and not is_bullet:
            continue
        after = np.flatnonzero(level & (left >= right[k]) & (left <= right[k] + limits.wide_room))
        nearest = min(after.tolist(), key=lambda j: (left[j], j), default=None)
        if nearest is None or (left[nearest] > right[k] + limits.room and not _hangs(boxes, k, nearest, limits)):
            continue
        line = lines[nearest]
        if before.any() and left[k] - right[before].max() <= line.box.x0 - right[k]:
            continue
        if _is_numbered(line, mark, limits.alike_bullet if is_bullet else limits.alike):
            pairs.append((mark, line))
    return pairs


def _hangs(boxes: np.ndarray, mark: int, line: int, limits: HangingNumbers) -> bool:
    """Whether other lines begin at a line's left edge, and right above and below none begins or ends before it.

    The text above may begin at the mark, as that of the item which it is under.
    """
    left, top, right, bottom = boxes.T
    reach = limits.clear * (bottom[mark] - top[mark])
    near = (bottom > top[mark] - reach) & (top < bottom[mark] + reach)
    alike = np.abs(left - left[line]) <= limits.edge
    in_gap = (left > right[mark] + limits.edge) & (left < left[line] - limits.edge)
    of_column = (left < left[mark] - limits.edge) & (right > right[mark] + limits.edge) & (right <= left[line])
    return int(alike.sum()) > 1 and not bool((near & (in_gap | of_column)).any())


def _is_numbered(line: TextLine, mark: TextLine, alike: float) -> bool:
    sizes = sorted((line.font_size, mark.font_size))
    words = any(map(str.isalpha, line.text)) and not MARK.fullmatch(line.text)
    return words and not line.angle and sizes[1] <= alike * sizes[0]
