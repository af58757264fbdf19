"""Sets the tree of a formula again by the rules of TeX (The TeXbook, appendix G), and compares it with the page.

The parameters are those of Computer Modern, which other typesetters follow within the tolerance. Widths are the
page's: what is compared is how far each part is raised, lowered and centred, its size, and the order of parts in a row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from documents.formulas.stacks import MAX_BAR_GAP
from documents.formulas.tree import (
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
)
from documents.text.math_symbols import CLOSING_FENCES, FENCES, LARGE_OPERATORS, OPENING_FENCES

# In sizes of the type, as the parameters are (sigma 13 to 18 and xi 9 to 12).
SUPERSCRIPT_RISES = (0.29, 0.45)  # range of the rise of superscripts above a character's baseline, in type sizes
SUBSCRIPT_DROPS = (0.12, 0.30)  # range of the drop of subscripts below it
SUP_DROP = 0.39  # distances from the edges of a base that is larger than a character, in sizes of the script
SUB_DROP = 0.05
SUPERSCRIPT_CLEARANCE = 0.11  # height of the lower edge of a superscript above the baseline
SUBSCRIPT_TOP = 0.34  # height of the upper edge of a subscript above the baseline
TOLERANCE = 0.17  # tolerance of all these distances, in type sizes
SCRIPT_SIZES = (0.45, 1.05)  # range of the sizes of scripts, as shares of their base's size
LIMIT_GAPS = (-0.1, 0.55)  # range of the gap between an operator and its limits, in type sizes
BAR_GAPS = (0.02, MAX_BAR_GAP)  # range of the gap between a bar and what is over or under it, in type sizes
MAX_OVERLAP = 0.45  # maximum overlap of parts side by side, in type sizes: italic letters and roots lean over
MAX_GAP = 4.0  # maximum gap between parts of a row, in type sizes
MAX_SCRIPT_GAP = 0.45  # maximum gap between a base and its scripts, in type sizes


def is_set_alike(part: Part) -> bool:
    """Whether TeX would set the formula's parts where they stand."""
    return all(_follows(one) for one in _parts(part))


def _parts(part: Part) -> Iterator[Part]:
    """The part and all in it, from the outside."""
    yield part
    for inner in _inner(part):
        yield from _parts(inner)


def _inner(part: Part) -> Iterator[Part]:
    match part.node:
        case Symbol() | Name():
            return
        case Row(parts=parts) | Lines(rows=parts):
            yield from parts
        case Fraction(numerator=first, denominator=second) | Binomial(above=first, below=second):
            yield from (first, second)
        case Root(inner=inner, degree=degree):
            yield inner
            yield from (degree,) if degree else ()
        case Scripts(base=base, below=below, above=above):
            yield from (one for one in (base, below, above) if one is not None)
        case Accent(base=base):
            yield base
        case Grid(rows=rows):
            yield from (cell for row in rows for cell in row if cell is not None)


def _follows(part: Part) -> bool:
    """Whether the parts of one node stand to one another as they are set."""
    match part.node:
        case Row(parts=parts):
            return _is_row(parts) and _is_balanced(parts)
        case Scripts(are_limits=True) as node:
            return _are_limits(node)
        case Scripts() as node:
            return _are_scripts(node)
        case Fraction(numerator=numerator, denominator=denominator):
            return _is_fraction(part, numerator, denominator)
        case Lines(rows=rows):
            return _are_apart(rows) and all(isinstance(row.node, Row) and len(row.node.parts) > 2 for row in rows)
        case Grid(rows=rows):
            return _is_grid(rows)
        case _:
            return True


def _is_row(parts: Sequence[Part]) -> bool:
    return all(
        -MAX_OVERLAP * max(a.size, b.size) <= b.box.x0 - a.box.x1 <= MAX_GAP * max(a.size, b.size)
        for a, b in pairwise(parts)
    )


def _is_balanced(parts: Sequence[Part]) -> bool:
    """Whether each tall bracket that opens is closed; a lone one is half of what is not there."""
    depth = 0
    for part in parts:
        base = part.node.base if isinstance(part.node, Scripts) and part.node.base is not None else part
        text = base.node.text if isinstance(base.node, Symbol) and base.shape == "centered" else ""
        if text and text in OPENING_FENCES:
            depth += 1
        elif text and text in CLOSING_FENCES:
            depth -= 1
        if depth < 0:
            return False
    return depth == 0


def _are_limits(node: Scripts) -> bool:
    base = node.base
    if base is None:
        return False
    least, most = LIMIT_GAPS
    for limit, gap in (
        (node.above, base.box.y0 - node.above.box.y1 if node.above else 0.0),
        (node.below, node.below.box.y0 - base.box.y1 if node.below else 0.0),
    ):
        if limit is not None and not (least <= gap / base.size <= most and limit.size < base.size * 0.95):
            return False
    return True


def _are_scripts(node: Scripts) -> bool:
    base = node.base
    scripts = [one for one in (node.below, node.above) if one is not None]
    if base is None:
        return all(_is_plain(one) for one in scripts)
    size = base.size
    least, most = SCRIPT_SIZES
    for script in scripts:
        if not least <= script.size / size <= most and not _is_prime(script):
            return False
        ends = [one.box.x1 for one in (base, *scripts) if one.box.x0 < script.box.x0]
        if ends and script.box.x0 - max(ends) > MAX_SCRIPT_GAP * size:
            return False
    if node.above is not None and not _is_prime(node.above) and not _is_raised(base, node.above):
        return False
    return node.below is None or _is_lowered(base, node.below)


def _is_raised(base: Part, script: Part) -> bool:
    rise = (base.baseline - script.baseline) / base.size
    top = (base.baseline - base.box.y0 - SUP_DROP * script.size) / base.size
    depth = (script.box.y1 - script.baseline) / base.size + SUPERSCRIPT_CLEARANCE
    return min(SUPERSCRIPT_RISES[0], top) - TOLERANCE <= rise <= max(SUPERSCRIPT_RISES[1], top, depth) + TOLERANCE


def _is_lowered(base: Part, script: Part) -> bool:
    drop = (script.baseline - base.baseline) / base.size
    bottom = (base.box.y1 - base.baseline + SUB_DROP * script.size) / base.size
    height = (script.baseline - script.box.y0) / base.size - SUBSCRIPT_TOP
    return SUBSCRIPT_DROPS[0] - TOLERANCE <= drop <= max(SUBSCRIPT_DROPS[1], bottom, height) + TOLERANCE


def _is_fraction(part: Part, numerator: Part, denominator: Part) -> bool:
    size = max(numerator.size, denominator.size)
    least, most = BAR_GAPS
    over, under = (part.axis - numerator.box.y1) / size, (denominator.box.y0 - part.axis) / size
    apart = abs(numerator.box.center[0] - denominator.box.center[0])
    return least <= over <= most and least <= under <= most and apart <= 0.4 * size


def _are_apart(rows: Sequence[Part]) -> bool:
    return all(b.box.y0 - a.box.y1 > -0.2 * max(a.size, b.size) for a, b in pairwise(rows))


def _is_grid(rows: Sequence[Sequence[Part | None]]) -> bool:
    """Whether cells of one column stand one below the other."""
    for column in zip(*rows, strict=True):
        cells = [cell for cell in column if cell is not None]
        if any(b.baseline - a.baseline < 0.6 * min(a.size, b.size) for a, b in pairwise(cells)):
            return False
    ends = [max(cell.box.x1 for cell in column if cell is not None) for column in zip(*rows, strict=True)]
    starts = [min(cell.box.x0 for cell in column if cell is not None) for column in zip(*rows, strict=True)]
    return all(start > end for end, start in zip(ends, starts[1:], strict=False))


def _is_prime(part: Part) -> bool:
    return isinstance(part.node, Symbol) and part.node.text in "′″∗*†"


def _is_plain(part: Part) -> bool:
    return all(
        not (isinstance(one.node, Symbol) and one.node.text in FENCES | LARGE_OPERATORS.keys()) for one in _parts(part)
    )
