"""Reads the structure of a formula from the places of its glyphs: fractions, roots, limits, matrices, scripts.

As in The TeXbook (appendix G), what belongs together shares a baseline, or is centred on the axis above it.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from documents.boxes import BoundingBox
from documents.formulas.tree import (
    AXIS,
    Accent,
    Binomial,
    Fraction,
    Grid,
    Lines,
    Name,
    Part,
    Root,
    Row,
    Scripts,
    Symbol,
    around,
)
from documents.inspection import Glyph
from documents.text.math_symbols import (
    ACCENTS,
    CLOSING,
    EXTENSIBLE,
    FENCES,
    LARGE,
    LONG_SIGNS,
    NAMES,
    OPENING,
    WIDE,
    WITH_LIMITS,
    Alphabet,
    alphabet_of,
    latex_of_character,
)

# Lengths are in sizes of the type. They follow the parameters of TeX's fonts, with room for other typesetters.
SAME_SIZE = 0.86  # of the main size, from which on a character is no script: TeX's scripts have 0.7
ON_LINE = 0.18  # between baselines of one row
ON_AXIS = 0.15  # between the axes of what is centred
ROW = 0.7  # between baselines of two rows
MATRIX_ROWS = (1.17, 1.29)  # between baselines of a matrix of two rows; those of a binomial stand nearer or wider
DEGREE = 0.62  # size of the degree of a root, at most
BAR_GAP = 0.62  # between a bar and what is over or under it
CHAIN = 0.22  # between what is over or under a bar, and what is further off and belongs to it
LIMIT_GAP = 0.6  # between a large operator and its limits
PRIMES = "′″"
TALL_PHI = 0.58  # height of the ink over the baseline
TALL = 1.35  # height of a sign that is taller than its type
COLUMN_GAP = 0.8  # between columns of a matrix
WORD_GAP = 0.14  # between letters of one word, at most
MAX_DEPTH = 12  # of parts in parts


class NoStructure(Exception):
    """The glyphs do not stand as those of a formula do, or one of them has no name."""


def structure_of(glyphs: Sequence[Glyph], bars: Sequence[BoundingBox]) -> Part:
    """Raises NoStructure."""
    parts = [*_tall_signs(glyphs)]
    return _Reader(parts).read(parts, list(bars), 0)


def _tall_signs(glyphs: Sequence[Glyph]) -> Iterator[Part]:
    """A part for each glyph; pieces one below the other are one sign."""
    columns: list[list[Glyph]] = []
    for glyph in glyphs:
        if glyph.text not in EXTENSIBLE:
            yield _part(glyph)
            continue
        column = next((c for c in columns if _goes_on(c, glyph)), None)
        if column is None:
            columns.append([glyph])
        else:
            column.append(glyph)
    for column in columns:
        sign = max((EXTENSIBLE[glyph.text] for glyph in column), key=lambda text: (text != "{", text))
        sign = EXTENSIBLE[column[0].text] if len(column) == 1 else sign
        yield _part(
            column[0].model_copy(update={"text": sign, "box": BoundingBox.around([glyph.box for glyph in column])})
        )


def _goes_on(column: Sequence[Glyph], glyph: Glyph) -> bool:
    size = glyph.font_size
    return any(
        abs(other.box.center[0] - glyph.box.center[0]) < 0.45 * size
        and max(other.box.y0, glyph.box.y0) - min(other.box.y1, glyph.box.y1) < 0.25 * size
        for other in column
    )


def _part(glyph: Glyph) -> Part:
    """Raises NoStructure for a character without a name."""
    if glyph.text in "φϕ":  # fonts disagree which is which; the one that TeX calls phi is as tall as a capital letter
        is_tall_phi = glyph.baseline - glyph.box.y0 > TALL_PHI * glyph.font_size
        glyph = glyph.model_copy(update={"text": "ϕ" if is_tall_phi else "φ"})
    base, *marks = unicodedata.normalize("NFD", glyph.text) if len(glyph.text) < 4 else glyph.text
    if base in "≠∉∌∤∦≢≁≄≇≉⊄⊅":
        base, marks = glyph.text, []
    latex = (
        ""
        if base in ACCENTS and not base.isascii()
        else latex_of_character(glyph.text if marks == ["\u0338"] else base)
        or (rf"\not{latex_of_character(base)}" if marks == ["\u0338"] else None)
    )
    if latex is None:
        raise NoStructure(f"no name for {base!r}")
    alphabet: Alphabet = alphabet_of(glyph) if base.isalnum() else ""
    if latex.startswith("\\") and not alphabet.startswith("bold") and alphabet != "mathbf":
        alphabet = ""  # only letters of Latin have others
    if alphabet == "mathrm" and base.isdigit():
        alphabet = ""
    is_large = base in LARGE
    hangs = glyph.box.y0 > glyph.baseline - 0.3 * glyph.font_size  # as large signs of TeX's fonts do
    is_tall = base in FENCES and (glyph.box.height > TALL * glyph.font_size or hangs)
    symbol = Part(
        node=Symbol(text=base, latex=latex, alphabet=alphabet),
        box=glyph.box,
        baseline=glyph.baseline,
        size=glyph.font_size,
        shape="centered" if is_large or is_tall else "character",
        axis_height=glyph.box.center[1] if is_large or is_tall else None,
    )
    for mark in marks:
        if mark == "\u0338":
            continue
        if mark not in ACCENTS:
            raise NoStructure(f"no name for {mark!r}")
        symbol = replace(symbol, node=Accent(ACCENTS[mark], symbol))
    return symbol


def _is_symbol(part: Part, texts: Iterable[str]) -> bool:
    return isinstance(part.node, Symbol) and part.node.text in texts


class _Reader:
    """Reads parts and bars level by level."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._left = 40 * len(parts) + 200  # levels that may still be read: a bound on work

    def read(self, parts: Sequence[Part], bars: list[BoundingBox], depth: int) -> Part:
        if not parts or depth > MAX_DEPTH or self._left <= 0:
            raise NoStructure("nothing to read, or too much")
        self._left -= 1
        rest = list(_with_names(_with_long_signs(parts)))
        rest = self._with_bars(rest, bars, depth)
        rest = self._with_accents(rest, depth)
        rest = self._with_limits(rest, depth)
        rest = self._with_grids(rest, depth)
        rows = [self._row(row, depth) for row in _rows(rest)]
        if len(rows) == 1:
            return rows[0]
        return _joined(rows)

    # bars

    def _with_bars(self, parts: list[Part], bars: list[BoundingBox], depth: int) -> list[Part]:
        box = around(parts)
        near = [bar for bar in bars if box.x0 - 2 <= bar.center[0] <= box.x1 + 2 and box.y0 - 6 <= bar.y0 <= box.y1 + 6]
        near.sort(key=lambda bar: bar.width)
        for number, bar in enumerate(near):
            others = near[number + 1 :]
            parts = self._with_root(parts, bar, depth) or self._with_fraction(parts, bar, others, depth) or parts
        return parts

    def _with_root(self, parts: list[Part], bar: BoundingBox, depth: int) -> list[Part] | None:
        signs = [p for p in parts if _is_symbol(p, "√") and _begins_at(bar, p)]
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
            and p.size <= DEGREE * size
            and sign.box.x0 - 0.6 * size <= p.box.center[0] <= sign.box.x1 - 0.3 * (sign.box.width)
            and bar.y0 - 0.3 * size <= p.box.center[1] <= sign.box.center[1]
        ]
        content = self.read(inner, [], depth + 1)
        root = Root(content, self.read(degree, [], depth + 1) if degree else None)
        taken = {id(p) for p in (sign, *inner, *degree)}
        box = around([sign, *inner, *degree]).union(bar)
        part = Part(node=root, box=box, baseline=content.baseline, size=content.size)
        return [*(p for p in parts if id(p) not in taken), part]

    def _with_fraction(
        self, parts: list[Part], bar: BoundingBox, others: Sequence[BoundingBox], depth: int
    ) -> list[Part] | None:
        size = _main_size(parts)
        above = _stacked(parts, bar, others, size, is_above=True)
        below = _stacked(parts, bar, others, size, is_above=False)
        if above and below and abs(around(above).center[0] - around(below).center[0]) < 0.5 * size:
            numerator, denominator = self.read(above, [], depth + 1), self.read(below, [], depth + 1)
            node = Fraction(numerator, denominator)
            box = around([*above, *below]).union(bar)
            part = Part(
                node=node,
                box=box,
                baseline=bar.center[1] + AXIS * size,
                size=max(numerator.size, denominator.size),
                shape="centered",
                axis_height=bar.center[1],
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
        for accent in [p for p in parts if _is_symbol(p, ACCENTS) and not _text(p).isascii()]:
            assert isinstance(accent.node, Symbol)
            under = _under(accent, [p for p in parts if p is not accent])
            if not under:
                raise NoStructure("an accent without a letter")
            command = ACCENTS[accent.node.text]
            content = self.read(under, [], depth + 1)
            if len(under) > 1:
                command = WIDE.get(command, command)
            part = replace(content, node=Accent(command, content), box=content.box.union(accent.box))
            taken = {id(accent), *map(id, under)}
            parts = [*(p for p in parts if id(p) not in taken), part]
        return parts

    def _with_limits(self, parts: list[Part], depth: int) -> list[Part]:
        operators = [p for p in parts if _takes_limits(p)]
        size = _main_size(parts)
        for operator in sorted(operators, key=lambda p: p.box.x0):
            rest = [p for p in parts if p is not operator]
            above = _limit(rest, operator, operators, size, is_above=True)
            below = _limit(rest, operator, operators, size, is_above=False)
            if not above and not below:
                continue
            node = Scripts(
                operator,
                self.read(below, [], depth + 1) if below else None,
                self.read(above, [], depth + 1) if above else None,
                are_limits=True,
            )
            part = replace(operator, node=node, box=around([operator, *above, *below]))
            if part.axis_height is None and operator.shape == "centered":
                part = replace(part, axis_height=operator.axis)
            taken = {id(p) for p in (operator, *above, *below)}
            parts = [*(p for p in parts if id(p) not in taken), part]
        return parts

    # matrices, binomials, cases

    def _with_grids(self, parts: list[Part], depth: int) -> list[Part]:
        for _ in range(len(parts)):
            pair = next(_stacked_pairs(parts), None)
            if pair is None:
                break
            left, right, inner, rows = pair
            node = self._grid(left, right, rows, depth)
            fences = [p for p in (left, right) if p is not None]
            box = around([*fences, *inner])
            size = max(p.size for p in inner)
            axis = fences[0].box.center[1]
            part = Part(node=node, box=box, baseline=axis + AXIS * size, size=size, shape="centered", axis_height=axis)
            taken = {id(p) for p in (*fences, *inner)}
            parts = [*(p for p in parts if id(p) not in taken), part]
        return parts

    def _grid(self, left: Part | None, right: Part | None, rows: list[list[Part]], depth: int) -> Binomial | Grid:
        fences = (_text(left), _text(right))
        if left is not None and right is not None and len(rows) == 2:
            above, below = (self.read(row, [], depth + 1) for row in rows)
            size = max(above.size, below.size)
            centred = abs(above.box.center[0] - below.box.center[0]) < 0.2 * size
            least, most = MATRIX_ROWS
            is_matrix = least <= (below.baseline - above.baseline) / size <= most
            if centred and not is_matrix and all(len(_columns(row)) == 1 for row in rows):
                return Binomial(above, below, fences)
        cells = tuple(tuple(self.read(cell, [], depth + 1) if cell else None for cell in row) for row in _cells(rows))
        return Grid(cells, fences)

    # rows

    def _row(self, parts: list[Part], depth: int) -> Part:
        """Parts on one baseline, each with its scripts."""
        size = _main_size(parts)
        baseline = _baseline(parts, size)
        on_line = sorted((p for p in parts if _is_on(p, baseline, size)), key=lambda p: p.box.x0)
        scripts: dict[int, list[Part]] = {}
        ids = {id(p) for p in on_line}
        for part in sorted((p for p in parts if id(p) not in ids), key=lambda p: p.box.x0):
            hosts = [k for k, p in enumerate(on_line) if _is_before(p, part, size)]
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
        return Part(node=Row(tuple(line)), box=around(line), baseline=baseline, size=size)

    def _scripts(self, base: Part | None, scripts: list[Part], baseline: float, size: float, depth: int) -> Part:
        axis = baseline - AXIS * size
        if base is not None and base.shape == "centered" and base.box.height > 1.8 * size:
            above = [p for p in scripts if p.box.center[1] < base.box.center[1]]
        else:
            above = [p for p in scripts if (p.axis if p.shape == "centered" else p.baseline - 0.25 * p.size) < axis]
        ids = {id(p) for p in above}
        below = [p for p in scripts if id(p) not in ids]
        if above and below and base is not None and base.shape == "character":  # one behind the other, as in tensors
            first, second = sorted((above, below), key=lambda own: around(own).x0)
            if around(second).x0 >= around(first).x1 - 0.05 * size:
                near = self._scripts(base, first, baseline, size, depth)
                far = self._scripts(None, second, baseline, size, depth)
                parts = (near, far)
                return Part(node=Row(parts), box=around(parts), baseline=baseline, size=size)
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
        if base is None:
            return Part(node=node, box=box, baseline=baseline, size=size)
        return replace(base, node=node, box=box, axis_height=base.axis if base.shape == "centered" else None)


def _joined(rows: Sequence[Part]) -> Part:
    size = max(row.size for row in rows)
    return Part(node=Lines(tuple(rows)), box=around(rows), baseline=rows[0].baseline, size=size)


def _text(part: Part | None) -> str:
    return part.node.text if part is not None and isinstance(part.node, Symbol) else ""


def _main_size(parts: Sequence[Part]) -> float:
    """The largest type of characters; of what is centred where there is nothing else."""
    sizes = [p.size for p in parts if p.shape == "character"]
    return max(sizes) if sizes else max(p.size for p in parts)


def _baseline(parts: Sequence[Part], size: float) -> float:
    """The baseline on which most of the main type stands."""
    own = [p for p in parts if p.shape == "character" and p.size >= SAME_SIZE * size]
    if not own:
        large = max(parts, key=lambda p: p.box.height)
        return large.axis + AXIS * size
    levels = Counter(round(p.baseline / (0.1 * size)) for p in own)
    best = max(levels, key=lambda level: (levels[level - 1] + levels[level] + levels[level + 1], levels[level]))
    near = sorted(p.baseline for p in own if abs(round(p.baseline / (0.1 * size)) - best) <= 1)
    return near[len(near) // 2]


def _is_on(part: Part, baseline: float, size: float) -> bool:
    if part.shape == "centered":
        return abs(part.axis - (baseline - AXIS * size)) <= ON_AXIS * size
    if _is_symbol(part, PRIMES):
        return abs(part.baseline - baseline) <= 0.3 * size and part.size >= SAME_SIZE * size
    return abs(part.baseline - baseline) <= ON_LINE * size and part.size >= SAME_SIZE * size


def _is_before(base: Part, script: Part, size: float) -> bool:
    """Whether a script may belong to a base at its left."""
    return base.box.x0 + 0.3 * base.box.width < script.box.center[0] and base.box.x0 < script.box.x0 + 0.1 * size


def _begins_at(bar: BoundingBox, sign: Part) -> bool:
    """Whether a bar is the roof of a root: it begins at the right top of the sign."""
    return abs(bar.x0 - sign.box.x1) < 0.25 * sign.size and abs(bar.center[1] - sign.box.y0) < 0.3 * sign.size


def _stacked(
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
    gap = BAR_GAP
    for part in candidates:
        distance = (reach - part.box.y1) if is_above else (part.box.y0 - reach)
        if distance > gap * size:
            break
        stack.append(part)
        if len(stack) == 1:
            reach = part.box.y0 if is_above else part.box.y1
        reach = min(reach, part.box.y0) if is_above else max(reach, part.box.y1)
        gap = CHAIN
    return stack


def _under(accent: Part, parts: Sequence[Part]) -> list[Part]:
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


def _takes_limits(part: Part) -> bool:
    node = part.node
    if isinstance(node, Name):
        return node.is_function and node.text in WITH_LIMITS
    return _is_symbol(part, LARGE)


def _limit(
    parts: Sequence[Part], operator: Part, operators: Sequence[Part], size: float, *, is_above: bool
) -> list[Part]:
    """What is set over or under an operator, centred on it."""
    edge = operator.box.y0 if is_above else operator.box.y1
    center = operator.box.center[0]
    near = [
        p
        for p in parts
        if p.size < SAME_SIZE * size
        and ((p.box.y1 <= edge + 0.3 * size) if is_above else (p.box.y0 >= edge - 0.3 * size))
        and ((p.box.center[1] < edge) if is_above else (p.box.center[1] > edge))
        and ((edge - p.box.y1) if is_above else (p.box.y0 - edge)) < 1.6 * size
        and min(operators, key=lambda o: abs(o.box.center[0] - p.box.center[0])) is operator
    ]
    own = [p for p in near if p.box.overlap_x(operator.box) > 0]
    own = [p for p in own if ((edge - p.box.y1) if is_above else (p.box.y0 - edge)) < LIMIT_GAP * size]
    if not own:
        return []
    grown = True
    while grown:
        box = around(own)
        ids = {id(p) for p in own}
        more = [
            p
            for p in near
            if id(p) not in ids and -p.box.overlap_x(box) < 0.3 * size and -p.box.overlap_y(box) < 0.2 * size
        ]
        grown = bool(more)
        own += more
    if abs(around(own).center[0] - center) > 0.45 * size:
        return []
    return own


def _with_long_signs(parts: Sequence[Part]) -> list[Part]:
    """The parts; signs that TeX sets of two, one over the end of the other, are one."""
    ordered = sorted((p for p in parts if isinstance(p.node, Symbol)), key=lambda p: (p.baseline, p.box.x0))
    taken: set[int] = set()
    joined: list[Part] = []
    for left, right in pairwise(ordered):
        latex = LONG_SIGNS.get((_text(left), _text(right)))
        if latex is None or id(left) in taken or right.box.x0 > left.box.x1 or left.baseline != right.baseline:
            continue
        taken |= {id(left), id(right)}
        node = Symbol(text=_text(left) + _text(right), latex=latex)
        joined.append(replace(right, node=node, box=around([left, right])))
    return [*(p for p in parts if id(p) not in taken), *joined]


def _with_names(parts: Sequence[Part]) -> Iterator[Part]:
    """The parts; upright letters in a row that are the name of a function are one."""
    upright = [p for p in parts if isinstance(p.node, Symbol) and p.node.alphabet == "mathrm" and p.node.text.isalpha()]
    upright.sort(key=lambda p: (round(p.baseline, 1), p.box.x0))
    others = {id(p) for p in parts} - {id(p) for p in upright}
    yield from (p for p in parts if id(p) in others)
    run: list[Part] = []
    for part in [*upright, None]:
        if run and (part is None or not _is_next_letter(run[-1], part)):
            yield from _named(run)
            run = []
        if part is not None:
            run.append(part)


def _is_next_letter(letter: Part, part: Part) -> bool:
    gap = part.box.x0 - letter.box.x1
    return (
        abs(part.baseline - letter.baseline) < 0.05 * part.size
        and abs(part.size - letter.size) < 0.05 * part.size
        and -0.2 * part.size < gap < WORD_GAP * part.size
    )


def _named(run: Sequence[Part]) -> Iterator[Part]:
    text = "".join(_text(p) for p in run)
    if len(run) > 1 and (text in NAMES or text in WITH_LIMITS):
        yield Part(node=Name(text, is_function=True), box=around(run), baseline=run[0].baseline, size=run[0].size)
    else:
        yield from run


def _rows(parts: Sequence[Part]) -> list[list[Part]]:
    """Parts by the baselines of the main type, from the top."""
    size = _main_size(parts)
    levels = sorted(p.baseline for p in parts if p.shape == "character" and p.size >= SAME_SIZE * size)
    starts = [levels[0]] if levels else [0.0]
    groups: list[list[float]] = [[level] for level in starts]
    for before, level in pairwise(levels):
        if level - before > ROW * size:
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
        return abs(part.axis - (baseline - AXIS * size))
    if part.size >= SAME_SIZE * size:
        return abs(part.baseline - baseline)
    top, bottom = baseline - 0.95 * size, baseline + 0.45 * size
    middle = part.box.center[1]
    return max(top - middle, middle - bottom, 0.0) + 0.01 * abs(middle - (top + bottom) / 2)


def _stacked_pairs(parts: Sequence[Part]) -> Iterator[tuple[Part | None, Part | None, list[Part], list[list[Part]]]]:
    """Tall fences with several rows between them, the innermost first; a brace may have no partner."""
    fences = sorted((p for p in parts if p.shape == "centered" and _is_symbol(p, FENCES)), key=lambda p: p.box.x0)
    found: list[tuple[float, Part | None, Part | None, list[Part], list[list[Part]]]] = []
    for k, left in enumerate(fences):
        if _text(left) in CLOSING:
            if _text(left) == "}" and not any(_text(p) == "{" for p in fences):
                inner = [p for p in parts if p.box.center[0] < left.box.x0 and _is_level_with(p, left)]
                rows = _rows(inner) if inner else []
                if len(rows) > 1:
                    found.append((around(inner).width, None, left, inner, rows))
            continue
        right = next(
            (
                p
                for p in fences[k + 1 :]
                if _text(p) not in OPENING and abs(p.box.y0 - left.box.y0) + abs(p.box.y1 - left.box.y1) < 0.6 * p.size
            ),
            None,
        )
        if right is None and _text(left) != "{":
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
        rows = _rows(inner)
        if len(rows) > 1:
            found.append((around(inner).width, left, right, inner, rows))
    for _, left, right, inner, rows in sorted(found, key=lambda one: one[0]):
        yield left, right, inner, rows


def _cells(rows: Sequence[Sequence[Part]]) -> list[list[list[Part]]]:
    """The parts of each row by columns; where the gaps of the rows are not below one another, one column."""
    columns = [_columns(row) for row in rows]
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


def _is_level_with(part: Part, fence: Part) -> bool:
    return fence.box.y0 - 0.1 * part.size <= part.box.center[1] <= fence.box.y1 + 0.1 * part.size


def _columns(row: Sequence[Part]) -> list[list[Part]]:
    """The parts of a row, parted at wide gaps."""
    parts = sorted(row, key=lambda p: p.box.x0)
    size = max(p.size for p in parts)
    columns = [[parts[0]]]
    end = parts[0].box.x1
    for part in parts[1:]:
        if part.box.x0 - end > COLUMN_GAP * size:
            columns.append([])
        columns[-1].append(part)
        end = max(end, part.box.x1)
    return columns
