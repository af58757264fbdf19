"""Reads the structure of a formula from the places of its glyphs: fractions, roots, limits, matrices, scripts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from documents.boxes import BoundingBox
from documents.formulas.rows import cells_of, columns_of, is_before, is_on, main_baseline, main_size, rows_of
from documents.formulas.signs import is_symbol, signs_of, text_of, with_ellipses, with_long_signs, with_names
from documents.formulas.stacks import fenced_rows, is_roof, limit_of, nearest_to, stacked, takes_limits, under_accent
from documents.formulas.tree import (
    AXIS_HEIGHT,
    Accent,
    Binomial,
    Fraction,
    Grid,
    Lines,
    NoStructure,
    Part,
    Root,
    Row,
    Scripts,
    Symbol,
    around,
    count_of,
)
from documents.inspection import Glyph
from documents.text.math_symbols import ACCENTS, WIDE_ACCENTS

# Lengths are in sizes of the type.
# range of the distance between baselines of a matrix of two rows; a binomial's is smaller or larger
MATRIX_ROW_PITCHES = (1.17, 1.29)
MAX_DEGREE_SIZE = 0.62  # maximum size of the degree of a root, in type sizes
MAX_DEPTH = 12  # maximum depth of nested parts


def structure_of(glyphs: Sequence[Glyph], bars: Sequence[BoundingBox]) -> Part:
    """The tree of a formula that `glyphs` and `bars` draw, on however many rows. Raises NoStructure."""
    parts = list(signs_of(glyphs))
    whole = _Reader(parts).read(parts, bars, 0)
    if whole.count != len(parts):
        raise NoStructure("a sign is in no part, or in two")
    return whole


class _Reader:
    """Reads parts and bars level by level."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._left = 40 * len(parts) + 200  # levels that may still be read: a bound on work

    def read(self, parts: Sequence[Part], bars: Sequence[BoundingBox], depth: int) -> Part:
        if not parts or depth > MAX_DEPTH or self._left <= 0:
            raise NoStructure("nothing to read, or too much")
        self._left -= 1
        rest = list(with_names(with_long_signs(with_ellipses(parts))))
        rest = self._with_bars(rest, bars, depth)
        rest = self._with_accents(rest, depth)
        rest = self._with_limits(rest, depth)
        rest = self._with_grids(rest, depth)
        rows = [self._row(row, depth) for row in rows_of(rest)]
        if len(rows) == 1:
            return rows[0]
        return _joined(rows)

    # bars

    def _with_bars(self, parts: list[Part], bars: Sequence[BoundingBox], depth: int) -> list[Part]:
        box = around(parts)
        near = [bar for bar in bars if box.x0 - 2 <= bar.center[0] <= box.x1 + 2 and box.y0 - 6 <= bar.y0 <= box.y1 + 6]
        if len(near) > len(parts):
            raise NoStructure("more bars than signs")
        near.sort(key=lambda bar: bar.width)
        for number, bar in enumerate(near):
            others = near[number + 1 :]
            parts = self._with_root(parts, bar, depth) or self._with_fraction(parts, bar, others, depth) or parts
        return parts

    def _with_root(self, parts: list[Part], bar: BoundingBox, depth: int) -> list[Part] | None:
        signs = [p for p in parts if is_symbol(p, "√") and is_roof(bar, p)]
        if not signs:
            return None
        sign = min(signs, key=lambda p: abs(p.box.x1 - bar.x0))
        bottom = sign.box.y1 + 0.3 * sign.size
        inner = [
            p
            for p in parts
            if p is not sign and bar.x0 - 1 <= p.box.center[0] <= bar.x1 + 1 and bar.y0 - 1 <= p.box.center[1] <= bottom
        ]
        if not inner:
            return None
        size = max(p.size for p in inner)
        degree = [
            p
            for p in parts
            if p is not sign
            and p.size <= MAX_DEGREE_SIZE * size
            and sign.box.x0 + 0.05 * size < p.box.x1  # over the sign: at its left stands a power of what is before it
            and p.box.center[0] <= sign.box.x1 - 0.3 * sign.box.width
            and p.box.x0 > sign.box.x0 - size
            and bar.y0 - 0.3 * size <= p.box.center[1] <= sign.box.center[1]
        ]
        content = self.read(inner, [], depth + 1)
        root = Root(content, self.read(degree, [], depth + 1) if degree else None)
        taken = {id(p) for p in (sign, *inner, *degree)}
        box = around([sign, *inner, *degree]).union(bar)
        count = 1 + count_of([content, root.degree])
        part = Part(node=root, box=box, baseline=content.baseline, size=content.size, count=count)
        return [*(p for p in parts if id(p) not in taken), part]

    def _with_fraction(
        self, parts: list[Part], bar: BoundingBox, others: Sequence[BoundingBox], depth: int
    ) -> list[Part] | None:
        size = main_size(parts)
        above = stacked(parts, bar, others, size, is_above=True)
        below = stacked(parts, bar, others, size, is_above=False)
        if above and below and abs(around(above).center[0] - around(below).center[0]) < 0.5 * size:
            if min(len(columns_of(above)), len(columns_of(below))) > 1:
                raise NoStructure("a rule between the rows of a table")
            numerator, denominator = self.read(above, [], depth + 1), self.read(below, [], depth + 1)
            node = Fraction(numerator, denominator)
            box = around([*above, *below]).union(bar)
            part = Part(
                node=node,
                box=box,
                baseline=bar.center[1] + AXIS_HEIGHT * size,
                size=max(numerator.size, denominator.size),
                shape="centered",
                axis_height=bar.center[1],
                count=count_of([numerator, denominator]),
            )
        elif below and (not above or len(below) < 4):
            content = self.read(below, [], depth + 1)
            part = replace(content, node=Accent(r"\overline", content), box=content.box.union(bar))
            above = []
        elif above:
            content = self.read(above, [], depth + 1)
            part = replace(content, node=Accent(r"\underline", content), box=content.box.union(bar))
            below = []
        else:
            return None
        taken = {id(p) for p in (*above, *below)}
        return [*(p for p in parts if id(p) not in taken), part]

    # accents and limits

    def _with_accents(self, parts: list[Part], depth: int) -> list[Part]:
        accents = [p for p in parts if is_symbol(p, ACCENTS) and not text_of(p).isascii()]
        if 2 * len(accents) > len(parts):
            raise NoStructure("more accents than letters")
        for accent in accents:
            assert isinstance(accent.node, Symbol)
            under = under_accent(accent, [p for p in parts if p is not accent])
            if not under:
                raise NoStructure("an accent without a letter")
            command = ACCENTS[accent.node.text]
            content = self.read(under, [], depth + 1)
            if len(under) > 1:
                command = WIDE_ACCENTS.get(command, command)
            box = content.box.union(accent.box)
            part = replace(content, node=Accent(command, content), box=box, count=content.count + 1)
            taken = {id(accent), *map(id, under)}
            parts = [*(p for p in parts if id(p) not in taken), part]
        return parts

    def _with_limits(self, parts: list[Part], depth: int) -> list[Part]:
        operators = sorted((p for p in parts if takes_limits(p)), key=lambda p: p.box.x0)
        size = main_size(parts)
        for operator, near in zip(operators, nearest_to(operators, parts), strict=True):
            above = limit_of(near, operator, size, is_above=True)
            below = limit_of(near, operator, size, is_above=False)
            if not above and not below:
                continue
            node = Scripts(
                operator,
                self.read(below, [], depth + 1) if below else None,
                self.read(above, [], depth + 1) if above else None,
                are_limits=True,
            )
            count = count_of([operator, node.below, node.above])
            part = replace(operator, node=node, box=around([operator, *above, *below]), count=count)
            if part.axis_height is None and operator.shape == "centered":
                part = replace(part, axis_height=operator.axis)
            taken = {id(p) for p in (operator, *above, *below)}
            parts = [*(p for p in parts if id(p) not in taken), part]
        return parts

    # matrices, binomials, cases

    def _with_grids(self, parts: list[Part], depth: int) -> list[Part]:
        for _ in range(len(parts)):
            pair = next(fenced_rows(parts), None)
            if pair is None:
                break
            left, right, inner, rows = pair
            node = self._grid(left, right, rows, depth)
            fences = [p for p in (left, right) if p is not None]
            box = around([*fences, *inner])
            size = max(p.size for p in inner)
            axis = fences[0].box.center[1]
            part = Part(
                node=node,
                box=box,
                baseline=axis + AXIS_HEIGHT * size,
                size=size,
                shape="centered",
                axis_height=axis,
                count=count_of([*fences, *inner]),
            )
            taken = {id(p) for p in (*fences, *inner)}
            parts = [*(p for p in parts if id(p) not in taken), part]
        return parts

    def _grid(self, left: Part | None, right: Part | None, rows: list[list[Part]], depth: int) -> Binomial | Grid:
        fences = (text_of(left), text_of(right))
        if left is not None and right is not None and len(rows) == 2:
            above, below = (self.read(row, [], depth + 1) for row in rows)
            size = max(above.size, below.size)
            centred = abs(above.box.center[0] - below.box.center[0]) < 0.2 * size
            least, most = MATRIX_ROW_PITCHES
            is_matrix = least <= (below.baseline - above.baseline) / size <= most
            if centred and not is_matrix and all(len(columns_of(row)) == 1 for row in rows):
                return Binomial(above, below, fences)
        cells = tuple(tuple(self.read(cell, [], depth + 1) if cell else None for cell in row) for row in cells_of(rows))
        return Grid(cells, fences)

    # rows

    def _row(self, parts: list[Part], depth: int) -> Part:
        """Parts on one baseline, each with its scripts."""
        size = main_size(parts)
        baseline = main_baseline(parts, size)
        on_line = sorted((p for p in parts if is_on(p, baseline, size)), key=lambda p: p.box.x0)
        scripts: dict[int, list[Part]] = {}
        ids = {id(p) for p in on_line}
        for part in sorted((p for p in parts if id(p) not in ids), key=lambda p: p.box.x0):
            hosts = [k for k, p in enumerate(on_line) if is_before(p, part, size)]
            scripts.setdefault(hosts[-1] if hosts else -1, []).append(part)
        if not on_line:
            raise NoStructure("nothing stands on the baseline")
        line: list[Part] = []
        if -1 in scripts:
            line.append(self._scripts(None, scripts[-1], baseline, size, depth))
        for k, base in enumerate(on_line):
            line.append(self._scripts(base, scripts[k], baseline, size, depth) if k in scripts else base)
        if len(line) == 1:
            return line[0]
        return Part(node=Row(tuple(line)), box=around(line), baseline=baseline, size=size, count=count_of(line))

    def _scripts(self, base: Part | None, scripts: list[Part], baseline: float, size: float, depth: int) -> Part:
        axis = baseline - AXIS_HEIGHT * size
        if base is not None and base.shape == "centered" and base.box.height > 1.8 * size:
            above = [p for p in scripts if p.box.center[1] < base.box.center[1]]
        else:
            above = [p for p in scripts if (p.axis if p.shape == "centered" else p.baseline - 0.25 * p.size) < axis]
        ids = {id(p) for p in above}
        below = [p for p in scripts if id(p) not in ids]
        if above and below and base is not None and base.shape == "character":  # one behind the other, as in tensors
            first, second = sorted((above, below), key=lambda own: around(own).x0)
            is_behind = around(second).x0 >= around(first).x1 - 0.05 * size
            if is_behind and (first is above or len(first) > 1):  # others set one index and a power so
                near = self._scripts(base, first, baseline, size, depth)
                far = self._scripts(None, second, baseline, size, depth)
                parts = (near, far)
                return Part(node=Row(parts), box=around(parts), baseline=baseline, size=size, count=count_of(parts))
        if any(p.size > size * 1.05 for p in scripts if p.shape == "character"):
            raise NoStructure("a script is larger than its base")
        node = Scripts(
            base,
            self.read(below, [], depth + 1) if below else None,
            self.read(above, [], depth + 1) if above else None,
        )
        if base is not None and isinstance(base.node, Scripts):
            if (base.node.below and node.below) or (base.node.above and node.above):
                raise NoStructure("two scripts in one place")
            node = replace(base.node, below=base.node.below or node.below, above=base.node.above or node.above)
        box = around([*scripts, *([base] if base else [])])
        count = count_of([base, *scripts])
        if base is None:
            return Part(node=node, box=box, baseline=baseline, size=size, count=count)
        axis_height = base.axis if base.shape == "centered" else None
        return replace(base, node=node, box=box, axis_height=axis_height, count=count)


def _joined(rows: Sequence[Part]) -> Part:
    size = max(row.size for row in rows)
    return Part(node=Lines(tuple(rows)), box=around(rows), baseline=rows[0].baseline, size=size, count=count_of(rows))
