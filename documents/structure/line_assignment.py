"""Every line of a page finds its place: in a detected region, beside one that it continues, or in a new one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from documents.inspection import TextLine
from documents.rotation import unrotate
from documents.structure.neighbours import Neighbours
from documents.structure.overlaps import share_inside
from documents.text.list_markers import BULLETS
from documents.values import BoundingBox, Detection

HELD = 0.5  # of a line's area in a region
ALIKE = 1.2  # ratio of font sizes that one paragraph may hold
BULLET_GAP = 40.0  # points between a bullet and its line
NUMBER_GAP = 200.0  # points between the number of a line, in the margin, and the line


def assign_lines(
    lines: Sequence[TextLine], detections: Sequence[Detection]
) -> tuple[list[list[TextLine]], list[TextLine]]:
    """The lines of each detection, and those of none; a line goes where most of it lies, then to the smaller region."""
    held: list[list[TextLine]] = [[] for _ in detections]
    orphans: list[TextLine] = []
    for line in lines:
        ranks = [(round(share_inside(line.box, d.box), 1), -d.box.area, i) for i, d in enumerate(detections)]
        share, _, index = max(ranks, default=(0.0, 0.0, -1))
        if share >= HELD:
            held[index].append(line)
        else:
            orphans.append(line)
    return held, orphans


def attach_orphans(
    held: list[list[TextLine]], detections: Sequence[Detection], orphans: Sequence[TextLine]
) -> list[TextLine]:
    """Give each orphan to the region that it plainly belongs to (changes `held`); returns those left over."""
    near = Neighbours([*(line for lines in held for line in lines), *orphans])
    home = {id(line): k for k, lines in enumerate(held) for line in lines}
    tables = [k for k, detection in enumerate(detections) if detection.kind == "table"]
    left: list[TextLine] = list(orphans)
    grown = True
    while grown:
        grown, waiting, left = False, left, []
        for line in waiting:
            beside: dict[int, list[TextLine]] = {k: held[k] for k in tables if held[k]}
            for other in near.of(line):
                k = home.get(id(other))
                if k is not None and k not in tables:
                    beside.setdefault(k, []).append(other)
            k = next((k for k in sorted(beside) if _belongs(line, detections[k], beside[k])), None)
            if k is None:
                left.append(line)
                continue
            held[k].append(line)
            home[id(line)] = k
            grown = True
    return left


def _belongs(line: TextLine, detection: Detection, lines: Sequence[TextLine]) -> bool:
    if detection.kind == "table":
        return _is_cell(line, lines)
    if detection.kind not in ("plain text", "abandon", "title"):
        return False
    return any(_next(line, other) or _numbers(line, other) for other in lines)


def _is_cell(line: TextLine, lines: Sequence[TextLine]) -> bool:
    """Whether a few words stand at the side of a table, level with its rows."""
    table = BoundingBox.around([other.box for other in lines])
    gap = max(table.x0 - line.box.x1, line.box.x0 - table.x1)
    level = table.y0 - 2 <= line.box.center[1] <= table.y1 + 2
    return level and gap <= 4 * line.font_size and len(line.text.split()) <= 4


def _numbers(label: TextLine, line: TextLine) -> bool:
    """Whether a bare number or bullet stands to the left of a line, on its baseline: the mark of the line."""
    if not (label.text.isdecimal() or label.text in BULLETS) or len(label.text) > 3 or label.angle or line.angle:
        return False
    shared = min(label.box.y1, line.box.y1) - max(label.box.y0, line.box.y0)
    room = NUMBER_GAP if label.text.isdecimal() else BULLET_GAP
    return 0 <= line.box.x0 - label.box.x1 <= room and shared >= 0.7 * min(label.box.height, line.box.height)


def group_lines(lines: Sequence[TextLine]) -> list[list[TextLine]]:
    """Lines that no region holds, grouped into paragraphs."""
    near = Neighbours(lines)
    parent: dict[int, int] = {}
    groups: dict[int, list[TextLine]] = {}
    ranks: dict[int, int] = {}  # when a group was made

    def root(name: int) -> int:
        while parent[name] != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    for line in lines:
        name = id(line)
        joined: set[int] = set()
        for other in near.of(line):
            if id(other) in parent and root(id(other)) not in joined and belong_together(line, other):
                joined.add(root(id(other)))
        members = [line]
        for other in sorted(joined, key=ranks.__getitem__):
            members += groups.pop(other)
            parent[other] = name
        parent[name] = name
        ranks[name] = len(ranks)
        groups[name] = members
    return list(groups.values())


def group_ink(ink: np.ndarray, cell: float) -> list[BoundingBox]:
    """Patches of ink (bool, rows x columns) as boxes in points, small gaps closed; specks are left out."""
    rows, columns = ink.shape
    wide = _spread(ink, 3, 3)
    boxes: list[BoundingBox] = []
    seen = np.zeros_like(wide)
    for start in zip(*np.nonzero(wide), strict=True):
        if seen[start]:
            continue
        seen[start] = True
        patch, stack = [], [start]
        while stack:
            y, x = stack.pop()
            patch.append((y, x))
            for near in ((y + 1, x), (y - 1, x), (y, x + 1), (y, x - 1)):
                if 0 <= near[0] < rows and 0 <= near[1] < columns and wide[near] and not seen[near]:
                    seen[near] = True
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


def _next(a: TextLine, b: TextLine) -> bool:
    """Whether two lines are neighbours in one paragraph."""
    if a.angle != b.angle or max(a.font_size, b.font_size) > ALIKE * min(a.font_size, b.font_size):
        return False
    one, two = unrotate(a.box, a.angle), unrotate(b.box, b.angle)
    gap = max(one.y0, two.y0) - min(one.y1, two.y1)
    shared = min(one.x1, two.x1) - max(one.x0, two.x0)
    size = min(a.font_size, b.font_size)
    return -0.3 * size <= gap <= 0.7 * size and shared >= 0.6 * min(one.width, two.width)


def belong_together(a: TextLine, b: TextLine) -> bool:
    return _next(a, b) or _beside(a, b) or _numbers(a, b) or _numbers(b, a)


def _beside(a: TextLine, b: TextLine) -> bool:
    """Whether two lines stand side by side, with no more than a blank or two between them."""
    if a.angle != b.angle:
        return False
    one, two = unrotate(a.box, a.angle), unrotate(b.box, b.angle)
    gap = max(one.x0, two.x0) - min(one.x1, two.x1)
    shared = min(one.y1, two.y1) - max(one.y0, two.y0)
    return gap <= 0.8 * max(a.font_size, b.font_size) and shared >= 0.5 * min(one.height, two.height)
