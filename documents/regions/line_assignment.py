"""Assigns lines of the text layer to the tables and figures that hold them; groups those of none, and bare ink."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from documents.boxes import BoundingBox
from documents.inspection import TextLine
from documents.page_index import PageIndex
from documents.rotated_boxes import unrotate
from documents.text.list_markers import BULLETS
from documents.values import Detection


@dataclass(frozen=True, slots=True)
class Adjacency:
    """When one line goes on from another."""

    alike: float = 1.2  # ratio of font sizes that one paragraph may hold
    overlap: float = 0.3  # of the type's size, by which lines below each other may overlap
    gap: float = 0.7  # of the type's size, between lines below each other
    below: float = 0.6  # of the narrower one's width, that they share
    blank: float = 0.8  # of the type's size, between lines side by side
    beside: float = 0.5  # of the lower one's height, that they share
    bullet_gap: float = 40.0  # points between a bullet and its line
    number_gap: float = 200.0  # points between the number of a line, in the margin, and the line
    level: float = 0.7  # of the lower one's height, that a mark and its line share


DEFAULT_ADJACENCY = Adjacency()
MAX_NEIGHBOURS = 64  # maximum number of preceding lines of the file that a line is compared with: hundreds may overlap
MAX_MARK_LETTERS = 3  # maximum number of letters of a mark in the margin
MAX_MARK_DISTANCE = 200.0  # maximum distance from a mark in the margin to its line, in points


def assign_lines(
    lines: Sequence[TextLine], detections: Sequence[Detection], held: float = 0.5
) -> tuple[list[list[TextLine]], list[TextLine]]:
    """The lines of each detection, and those of none; a line goes where most of it lies, then to the smaller region.

    `held` is the share of a line's area that its detection has to hold.
    """
    lines_by_detection: list[list[TextLine]] = [[] for _ in detections]
    orphans: list[TextLine] = []
    for line, home in zip(lines, _homes(lines, detections, held), strict=True):
        (orphans if home < 0 else lines_by_detection[home]).append(line)
    return lines_by_detection, orphans


def _homes(lines: Sequence[TextLine], detections: Sequence[Detection], held: float) -> list[int]:
    """The number of each line's detection; -1: of none."""
    boxes = np.array([(b.x0, b.y0, b.x1, b.y1) for b in (line.box for line in lines)], float).reshape(-1, 4).T
    x0, y0, x1, y1 = boxes
    areas = np.maximum(0.0, x1 - x0) * np.maximum(0.0, y1 - y0)
    middles = (x0 + x1) / 2, (y0 + y1) / 2
    best, smallest = np.zeros(len(lines)), np.full(len(lines), np.inf)
    homes = np.full(len(lines), -1)
    for k, box in enumerate(detection.box for detection in detections):
        both = np.maximum(0.0, np.minimum(x1, box.x1) - np.maximum(x0, box.x0))
        both *= np.maximum(0.0, np.minimum(y1, box.y1) - np.maximum(y0, box.y0))
        inside = (box.x0 <= middles[0]) & (middles[0] <= box.x1) & (box.y0 <= middles[1]) & (middles[1] <= box.y1)
        share = np.round(np.where(areas > 0, both / np.where(areas > 0, areas, 1.0), inside), 1)
        better = (share > best) | ((share == best) & (box.area <= smallest))
        best, smallest, homes = (
            np.where(better, new, old) for new, old in ((share, best), (box.area, smallest), (k, homes))
        )
    return np.where(best >= held, homes, -1).tolist()


def _numbers(label: TextLine, line: TextLine, limits: Adjacency) -> bool:
    """Whether a bare number or bullet stands to the left of a line, on its baseline: the mark of the line."""
    if not (label.text.isdecimal() or label.text in BULLETS) or len(label.text) > 3 or label.angle or line.angle:
        return False
    shared = label.box.overlap_y(line.box)
    room = limits.number_gap if label.text.isdecimal() else limits.bullet_gap
    return 0 <= line.box.x0 - label.box.x1 <= room and shared >= limits.level * min(label.box.height, line.box.height)


def group_lines(lines: Sequence[TextLine], limits: Adjacency = DEFAULT_ADJACENCY) -> list[list[TextLine]]:
    """Lines that no region holds, grouped into paragraphs."""
    reaches = [_reach(line) for line in lines]
    index = PageIndex()
    parent: list[int] = []  # of each line by its number
    groups: dict[int, _Group] = {}  # by their last lines

    def root(k: int) -> int:
        while parent[k] != k:
            parent[k] = parent[parent[k]]
            k = parent[k]
        return k

    for k, line in enumerate(lines):
        older: set[int] = set()
        for other in index.meeting(reaches[k])[-MAX_NEIGHBOURS:]:
            if root(other) not in older and belong_together(line, lines[other], limits):
                older.add(root(other))
        for other in older:
            parent[other] = k
        parent.append(k)
        groups[k] = _Group(line, [groups.pop(other) for other in sorted(older)])
        index.add(reaches[k])
    return [group.lines() for group in groups.values()]


def _reach(line: TextLine) -> BoundingBox:
    """Where lines stand that may belong to a line: they meet if the reaches of both do."""
    box, room = line.box, line.font_size
    is_mark = len(line.text) <= MAX_MARK_LETTERS and not any(map(str.isalpha, line.text))
    right = MAX_MARK_DISTANCE if is_mark else room
    return BoundingBox(x0=box.x0 - room, y0=box.y0 - room, x1=box.x1 + right, y1=box.y1 + room)


class _Group(NamedTuple):
    """A line and the groups that it made one."""

    line: TextLine
    older: list[_Group]

    def lines(self) -> list[TextLine]:
        lines: list[TextLine] = []
        left: list[_Group] = [self]
        while left:
            group = left.pop()
            lines.append(group.line)
            left.extend(reversed(group.older))
        return lines


def group_ink(ink: np.ndarray, cell: float) -> list[BoundingBox]:
    """Patches of ink (bool, rows x columns) as boxes in points, small gaps closed; specks are left out."""
    rows, columns = ink.shape
    wide = _spread(ink, 3, 3)
    boxes: list[BoundingBox] = []
    mask = np.zeros_like(wide)
    for start in zip(*np.nonzero(wide), strict=True):
        if mask[start]:
            continue
        mask[start] = True
        patch, stack = [], [start]
        while stack:
            y, x = stack.pop()
            patch.append((y, x))
            for near in ((y + 1, x), (y - 1, x), (y, x + 1), (y, x - 1)):
                if 0 <= near[0] < rows and 0 <= near[1] < columns and wide[near] and not mask[near]:
                    mask[near] = True
                    stack.append(near)
        at = np.array([p for p in patch if ink[p]])
        if len(at) >= 4:
            (y0, x0), (y1, x1) = at.min(axis=0), at.max(axis=0) + 1
            boxes.append(BoundingBox(x0=x0 * cell, y0=y0 * cell, x1=x1 * cell, y1=y1 * cell))
    return boxes


def _spread(ink: np.ndarray, rows: int, columns: int) -> np.ndarray:
    """Each cell and its neighbours up to `rows` and `columns` away."""
    padded = np.pad(ink, ((rows, rows), (columns, columns)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (2 * rows + 1, 2 * columns + 1))
    return np.asarray(windows.any(axis=(2, 3)))


def _next(a: TextLine, b: TextLine, limits: Adjacency) -> bool:
    """Whether two lines are neighbours in one paragraph."""
    if a.angle != b.angle or max(a.font_size, b.font_size) > limits.alike * min(a.font_size, b.font_size):
        return False
    one, two = unrotate(a.box, a.angle), unrotate(b.box, b.angle)
    size = min(a.font_size, b.font_size)
    if not -limits.overlap * size <= -one.overlap_y(two) <= limits.gap * size:
        return False
    return one.overlap_x(two) >= limits.below * min(one.width, two.width)


def belong_together(a: TextLine, b: TextLine, limits: Adjacency = DEFAULT_ADJACENCY) -> bool:
    return _next(a, b, limits) or _beside(a, b, limits) or _numbers(a, b, limits) or _numbers(b, a, limits)


def _beside(a: TextLine, b: TextLine, limits: Adjacency) -> bool:
    """Whether two lines stand side by side, with no more than a blank or two between them."""
    if a.angle != b.angle:
        return False
    one, two = unrotate(a.box, a.angle), unrotate(b.box, b.angle)
    if -one.overlap_x(two) > limits.blank * max(a.font_size, b.font_size):
        return False
    return one.overlap_y(two) >= limits.beside * min(one.height, two.height)
