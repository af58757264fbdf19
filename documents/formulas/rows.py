"""Tells which parts of a formula stand on one baseline, and how rows fall into columns.

As in The TeXbook (appendix G), what belongs to a row shares its baseline, or is centred on the axis above it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from documents.formulas.signs import is_symbol
from documents.formulas.tree import AXIS_HEIGHT, Part, around

# Lengths are in sizes of the type. They follow the parameters of TeX's fonts, with room for other typesetters.
MIN_BASE_SIZE = 0.86  # a smaller character (share of the main size) is a script; TeX's scripts have 0.7
MAX_BASELINE_OFFSET = 0.18  # maximum offset between baselines of one row, in type sizes
MAX_AXIS_OFFSET = 0.15  # maximum offset between the axes of centred parts, in type sizes
MIN_ROW_PITCH = 0.7  # minimum distance between the baselines of two rows, in type sizes
MIN_COLUMN_GAP = 0.8  # minimum gap between columns of a matrix, in type sizes
PRIMES = "′″"  # these may be raised in any row


def main_size(parts: Sequence[Part]) -> float:
    """The largest type of characters; of what is centred where there is nothing else."""
    sizes = [p.size for p in parts if p.shape == "character"]
    return max(sizes) if sizes else max(p.size for p in parts)


def main_baseline(parts: Sequence[Part], size: float) -> float:
    """The baseline on which most of the main type stands."""
    own = [p for p in parts if p.shape == "character" and p.size >= MIN_BASE_SIZE * size]
    if not own:
        large = max(parts, key=lambda p: p.box.height)
        return large.axis + AXIS_HEIGHT * size
    levels = Counter(round(p.baseline / (0.1 * size)) for p in own)
    best = max(levels, key=lambda level: (levels[level - 1] + levels[level] + levels[level + 1], levels[level]))
    near = sorted(p.baseline for p in own if abs(round(p.baseline / (0.1 * size)) - best) <= 1)
    return near[len(near) // 2]


def is_on(part: Part, baseline: float, size: float) -> bool:
    if part.shape == "centered":
        return abs(part.axis - (baseline - AXIS_HEIGHT * size)) <= MAX_AXIS_OFFSET * size
    if is_symbol(part, PRIMES):
        return abs(part.baseline - baseline) <= 0.3 * size and part.size >= MIN_BASE_SIZE * size
    return abs(part.baseline - baseline) <= MAX_BASELINE_OFFSET * size and part.size >= MIN_BASE_SIZE * size


def is_before(base: Part, script: Part, size: float) -> bool:
    """Whether a script may belong to a base at its left."""
    return base.box.x0 + 0.3 * base.box.width < script.box.center[0] and base.box.x0 < script.box.x0 + 0.1 * size


def rows_of(parts: Sequence[Part]) -> list[list[Part]]:
    """Parts by the baselines of the main type, from the top."""
    size = main_size(parts)
    levels = sorted(p.baseline for p in parts if p.shape == "character" and p.size >= MIN_BASE_SIZE * size)
    starts = [levels[0]] if levels else [0.0]
    groups: list[list[float]] = [[level] for level in starts]
    for before, level in pairwise(levels):
        if level - before > MIN_ROW_PITCH * size:
            groups.append([level])
        else:
            groups[-1].append(level)
    if len(groups) == 1:
        return [list(parts)]
    middles = [group[len(group) // 2] for group in groups]
    rows: list[list[Part]] = [[] for _ in groups]
    for part in parts:
        distances = [_distance(part, middle, size) for middle in middles]
        rows[distances.index(min(distances))].append(part)
    return [row for row in rows if row]


def _distance(part: Part, baseline: float, size: float) -> float:
    """How far a part is off a row."""
    if part.shape == "centered":
        return abs(part.axis - (baseline - AXIS_HEIGHT * size))
    if part.size >= MIN_BASE_SIZE * size:
        return abs(part.baseline - baseline)
    top, bottom = baseline - 0.95 * size, baseline + 0.45 * size
    middle = part.box.center[1]
    return max(top - middle, middle - bottom, 0.0) + 0.01 * abs(middle - (top + bottom) / 2)


def columns_of(row: Sequence[Part]) -> list[list[Part]]:
    """The parts of a row, parted at wide gaps."""
    parts = sorted(row, key=lambda p: p.box.x0)
    size = max(p.size for p in parts)
    columns = [[parts[0]]]
    end = parts[0].box.x1
    for part in parts[1:]:
        if part.box.x0 - end > MIN_COLUMN_GAP * size:
            columns.append([])
        columns[-1].append(part)
        end = max(end, part.box.x1)
    return columns


def cells_of(rows: Sequence[Sequence[Part]]) -> list[list[list[Part]]]:
    """The parts of each row by columns; where the gaps of the rows are not below one another, one column."""
    columns = [columns_of(row) for row in rows]
    spans: list[tuple[float, float]] = []
    for box in sorted((around(cell) for row in columns for cell in row), key=lambda box: box.x0):
        if spans and box.x0 < spans[-1][1]:
            spans[-1] = spans[-1][0], max(spans[-1][1], box.x1)
        else:
            spans.append((box.x0, box.x1))
    table: list[list[list[Part]]] = []
    for row in columns:
        cells: list[list[Part]] = [[] for _ in spans]
        for cell in row:
            cells[next(k for k, (x0, x1) in enumerate(spans) if x0 <= around(cell).x0 <= x1)] += cell
        table.append(cells)
    if any(len(row) > sum(map(bool, cells)) for row, cells in zip(columns, table, strict=True)):
        return [[list(row)] for row in rows]
    return table
