"""Finds what is set over and under bars, accents and operators, and the rows between tall fences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from documents.boxes import BoundingBox
from documents.formulas.rows import MIN_BASE_SIZE, rows_of
from documents.formulas.signs import is_symbol, text_of
from documents.formulas.tree import Name, Part, Symbol, around
from documents.text.math_symbols import (
    ACCENTS,
    CLOSING_FENCES,
    FENCES,
    LARGE_OPERATORS,
    LIMIT_OPERATORS,
    OPENING_FENCES,
)

# Lengths are in sizes of the type.
MAX_BAR_GAP = 0.62  # maximum gap between a fraction bar and what is over or under it, in type sizes
MAX_STACK_GAP = 0.22  # maximum gap between parts that are stacked over or under a bar, in type sizes
MAX_LIMIT_GAP = 0.6  # maximum gap between a large operator and its limits, in type sizes
MAX_LIMITS_HEIGHT = 1.6  # maximum height of limits in several rows, in type sizes
MAX_FENCES = 40  # maximum number of tall fences per formula


def is_roof(bar: BoundingBox, sign: Part) -> bool:
    """Whether a bar is the roof of a root: it begins at the right top of the sign."""
    return abs(bar.x0 - sign.box.x1) < 0.25 * sign.size and abs(bar.center[1] - sign.box.y0) < 0.3 * sign.size


def stacked(
    parts: Sequence[Part], bar: BoundingBox, others: Sequence[BoundingBox], size: float, *, is_above: bool
) -> list[Part]:
    """What stands over or under a bar, from the nearest on, up to a gap or another bar."""
    edge = bar.y0 if is_above else bar.y1
    room = [
        other.center[1]
        for other in others
        if other.overlap_x(bar) > 0 and ((other.center[1] < edge) if is_above else (other.center[1] > edge))
    ]
    limit = (max(room, default=float("-inf"))) if is_above else min(room, default=float("inf"))
    candidates = [
        p
        for p in parts
        if bar.x0 - 0.15 * size <= p.box.center[0] <= bar.x1 + 0.15 * size
        and p.box.width <= bar.width + 0.4 * size
        and (limit < p.box.center[1] < edge if is_above else edge < p.box.center[1] < limit)
        and (p.box.y1 < edge + 0.15 * size if is_above else p.box.y0 > edge - 0.15 * size)
    ]
    candidates.sort(key=lambda p: -p.box.y1 if is_above else p.box.y0)
    stack: list[Part] = []
    reach = edge
    gap = MAX_BAR_GAP
    for part in candidates:
        distance = (reach - part.box.y1) if is_above else (part.box.y0 - reach)
        if distance > gap * size:
            break
        stack.append(part)
        if len(stack) == 1:
            reach = part.box.y0 if is_above else part.box.y1
        reach = min(reach, part.box.y0) if is_above else max(reach, part.box.y1)
        gap = MAX_STACK_GAP
    return stack


def under_accent(accent: Part, parts: Sequence[Part]) -> list[Part]:
    """The letter under an accent, or all that a wide one covers."""
    center = accent.box.center[0]
    reach = max(0.35 * accent.size, accent.box.width / 2)
    near = [
        p
        for p in parts
        if abs(p.box.center[0] - center) <= reach
        and not (isinstance(p.node, Symbol) and p.node.text in ACCENTS)
        and accent.box.center[1] < p.box.center[1]
        and p.box.y0 - accent.box.y1 < 0.4 * accent.size
    ]
    if not near:
        return []
    first = min(near, key=lambda p: max(0.0, p.box.y0 - accent.box.y1) + abs(p.box.center[0] - center))
    if accent.box.width < 0.75 * accent.size:
        return [first]
    return [p for p in near if abs(p.baseline - first.baseline) < 0.6 * first.size]


def takes_limits(part: Part) -> bool:
    node = part.node
    if isinstance(node, Name):
        return node.text in LIMIT_OPERATORS
    return is_symbol(part, LARGE_OPERATORS)


def nearest_to(operators: Sequence[Part], parts: Sequence[Part]) -> list[list[Part]]:
    """Of each operator the other parts that stand nearer to its middle than to that of another."""
    near: list[list[Part]] = [[] for _ in operators]
    middles = [operator.box.center[0] for operator in operators]
    ids = {id(operator) for operator in operators}
    for part in parts:
        if operators and id(part) not in ids:
            distances = [abs(middle - part.box.center[0]) for middle in middles]
            near[distances.index(min(distances))].append(part)
    return near


def limit_of(parts: Sequence[Part], operator: Part, size: float, *, is_above: bool) -> list[Part]:
    """What is set over or under an operator, centred on it; of `parts`, which are nearest to it."""
    edge = operator.box.y0 if is_above else operator.box.y1

    def gap(part: Part) -> float:
        return (edge - part.box.y1 if is_above else part.box.y0 - edge) / size

    near = [
        p
        for p in parts
        if p.size < MIN_BASE_SIZE * size
        and -0.3 <= gap(p) < MAX_LIMITS_HEIGHT
        and (p.box.center[1] < edge if is_above else p.box.center[1] > edge)
    ]
    own = [p for p in near if p.box.overlap_x(operator.box) > 0 and gap(p) < MAX_LIMIT_GAP]
    while own:
        box = around(own)
        ids = {id(p) for p in own}
        more = [
            p
            for p in near
            if id(p) not in ids and -p.box.overlap_x(box) < 0.3 * size and -p.box.overlap_y(box) < 0.2 * size
        ]
        if not more:
            break
        own += more
    is_centred = bool(own) and abs(around(own).center[0] - operator.box.center[0]) <= 0.45 * size
    return own if is_centred else []


def fenced_rows(parts: Sequence[Part]) -> Iterator[tuple[Part | None, Part | None, list[Part], list[list[Part]]]]:
    """Tall fences with several rows between them, the innermost first; a brace may have no partner."""
    fences = sorted((p for p in parts if p.shape == "centered" and is_symbol(p, FENCES)), key=lambda p: p.box.x0)
    if len(fences) > MAX_FENCES:
        return
    stacks: list[tuple[float, Part | None, Part | None, list[Part], list[list[Part]]]] = []
    for k, left in enumerate(fences):
        if text_of(left) in CLOSING_FENCES:
            if text_of(left) == "}" and not any(text_of(p) == "{" for p in fences):
                inner = [p for p in parts if p.box.center[0] < left.box.x0 and _is_level_with(p, left)]
                rows = rows_of(inner) if inner else []
                if len(rows) > 1:
                    stacks.append((around(inner).width, None, left, inner, rows))
            continue
        right = next(
            (
                p
                for p in fences[k + 1 :]
                if text_of(p) not in OPENING_FENCES
                and abs(p.box.y0 - left.box.y0) + abs(p.box.y1 - left.box.y1) < 0.6 * p.size
            ),
            None,
        )
        if right is None and text_of(left) != "{":
            continue
        inner = [
            p
            for p in parts
            if p is not left
            and p is not right
            and p.box.center[0] > left.box.center[0]
            and (right is None or p.box.center[0] < right.box.center[0])
            and _is_level_with(p, left)
        ]
        if not inner:
            continue
        rows = rows_of(inner)
        if len(rows) > 1:
            stacks.append((around(inner).width, left, right, inner, rows))
    for _, left, right, inner, rows in sorted(stacks, key=lambda one: one[0]):
        yield left, right, inner, rows


def _is_level_with(part: Part, fence: Part) -> bool:
    return fence.box.y0 - 0.1 * part.size <= part.box.center[1] <= fence.box.y1 + 0.1 * part.size
