"""Finds where formulas are displayed: signs of mathematics on rows without prose."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from documents.boxes import BoundingBox
from documents.inspection import Glyph, TextLine
from documents.page_index import PageIndex
from documents.text.math_symbols import ITALIC, LARGE, NAMES, RELATIONS, WITH_LIMITS

WORD = re.compile(r"[^\W\d_]{2,}")
BRACE = "{⎧⎨⎩⎪"
MAX_GLYPHS = 400  # of a formula
MIN_WORDS = 3  # of a line of prose
NUMBER_GAP = 1.0  # between a formula and its number, in sizes of the type
MAX_LETTERS = 2  # in a row, of fonts in turn: more are a word
MATH_ITALIC = re.compile("CMMI|LMMathItalic")
LAST = re.compile(r"[.,;:]?\s*(\([A-Z]?\.?\d{1,3}(?:[.\-–]\d{1,3})*[a-z′']?\))")
NUMBER = re.compile(r"\([A-Z]?\.?\d{1,3}(?:[.\-–]\d{1,3})*[a-z′']?\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class DisplayLimits:
    """How near the pieces of one formula stand. Lengths are in sizes of its type."""

    across: float = 3.0  # gap between pieces of one row
    down: float = 0.3  # gap between pieces one below the other
    limit: float = 0.5  # the same, between an operator and what is set smaller
    bar: float = 0.62  # gap between a bar and what is over or under it
    beside_prose: float = 1.5  # gap to a line of prose in which a formula stands
    paragraph: float = 0.55  # gap below a line of prose in which its last line stands
    leading: float = 2.0  # gap between lines of one paragraph, and between paragraphs
    indent: float = 2.0  # by which a line of prose may be set in


@dataclass(frozen=True, slots=True)
class Display:
    """A displayed formula: its lines by their index, and what is drawn of it."""

    lines: tuple[int, ...]
    glyphs: tuple[Glyph, ...]
    box: BoundingBox


def displays(lines: Sequence[TextLine], bars: Sequence[BoundingBox], limits: DisplayLimits) -> Iterator[Display]:
    """The displayed formulas of a page, from its visible lines."""
    cases = _in_cases(lines)
    prose = {k for k, line in enumerate(lines) if is_prose(line) and k not in cases}
    short = {k for k in prose if lines[k].glyphs and len(lines[k].words) <= MIN_WORDS}
    numbers = {k for k, line in enumerate(lines) if line.glyphs and LAST.fullmatch(line.text)}
    pieces = [
        k
        for k, line in enumerate(lines)
        if line.glyphs
        and not line.angle
        and not line.monospaced
        and k not in numbers
        and (k not in prose or k in short)
    ]
    ink = {k: BoundingBox.around([glyph.box for glyph in line.glyphs]) for k, line in enumerate(lines) if line.glyphs}
    text = [lines[k] for k in prose - short if lines[k].angle == 0]
    for group, own_bars in _groups(pieces, lines, {k: _row_box(lines[k], ink[k]) for k in pieces}, bars, limits):
        glyphs = tuple(glyph for k in group for glyph in lines[k].glyphs)
        if len(glyphs) > MAX_GLYPHS or not is_formula(glyphs) or short.issuperset(group):
            continue
        box = BoundingBox.around([*(ink[k] for k in group), *own_bars])
        size = max(glyph.font_size for glyph in glyphs)
        if _is_in_prose(box, size, text, limits) or (
            not short.isdisjoint(group) and _begins_as_prose(box, size, text, limits)
        ):
            continue
        number = _number_of(box, numbers, ink, lines)
        own = (*group, number) if number is not None else tuple(group)
        yield Display(
            own,
            tuple(glyph for k in own for glyph in lines[k].glyphs),
            BoundingBox.around([box, *(ink[k] for k in own)]),
        )


def _row_box(line: TextLine, ink: BoundingBox) -> BoundingBox:
    """The ink of a line, and the height of small letters over its baselines: signs as `=` are lower."""
    rows = [
        BoundingBox(x0=g.box.x0, y0=g.baseline - 0.6 * g.font_size, x1=g.box.x1, y1=g.baseline)
        for g in line.glyphs
        if g.box.height < 0.6 * g.font_size
    ]
    return BoundingBox.around([ink, *rows])


def _number_of(
    box: BoundingBox, numbers: Collection[int], ink: Mapping[int, BoundingBox], lines: Sequence[TextLine]
) -> int | None:
    """The number that stands beside a formula, and beside nothing else between both."""
    level = [k for k in numbers if box.y0 <= ink[k].center[1] <= box.y1]
    nearest = min(level, key=lambda k: -ink[k].overlap_x(box), default=None)
    if nearest is None:
        return None
    gap = BoundingBox(
        x0=min(box.x1, ink[nearest].x1), y0=ink[nearest].y0, x1=max(box.x0, ink[nearest].x0), y1=ink[nearest].y1
    )
    is_free = not any(
        k != nearest and gap.contains(*line.box.center) for k, line in enumerate(lines) if line.text.strip()
    )
    return nearest if is_free else None


def without_number(glyphs: tuple[Glyph, ...]) -> tuple[tuple[Glyph, ...], str]:
    """The glyphs but for a number in brackets at the right or left, far from the others."""
    ordered = sorted(glyphs, key=lambda glyph: glyph.box.x0)
    for run in (ordered, ordered[::-1]):
        for count in range(3, min(10, len(run) - 1)):
            number, rest = run[-count:], run[:-count]
            text = "".join(glyph.text for glyph in sorted(number, key=lambda glyph: glyph.box.x0))
            own, other = (BoundingBox.around([glyph.box for glyph in part]) for part in (number, rest))
            if NUMBER.fullmatch(text) and -own.overlap_x(other) > NUMBER_GAP * number[0].font_size:
                return tuple(glyph for glyph in glyphs if all(glyph is not one for one in number)), text[1:-1]
    return glyphs, ""


def is_formula(glyphs: Sequence[Glyph]) -> bool:
    """Whether glyphs say something of mathematics: a relation or a large operator, or several letters of a formula."""
    if any(glyph.text in RELATIONS or glyph.text in LARGE for glyph in glyphs) and len(glyphs) >= 3:
        return True
    return sum(ITALIC.match(glyph.font) is not None and glyph.text.isalpha() for glyph in glyphs) >= 3


def hides_a_word(glyphs: Sequence[Glyph]) -> bool:
    """Whether letters in a row are set in fonts in turn, so that no font has a word; a `d` parts differentials."""
    letters = sorted((g for g in glyphs if g.text.isascii() and g.text.isalpha()), key=lambda g: (g.baseline, g.box.x0))
    length = changes = 0
    for before, glyph in pairwise(letters):
        is_next = abs(glyph.baseline - before.baseline) < 0.1 and glyph.box.x0 - before.box.x1 < 0.2 * glyph.font_size
        if not is_next or "d" in (before.text, glyph.text):
            length = changes = 0
            continue
        length += 1
        changes += glyph.font != before.font
        if length >= MAX_LETTERS and changes > 1:
            return True
    return False


def is_prose(line: TextLine) -> bool:
    """Whether a line has words as sentences have them."""
    words = _words(line)
    letters, total = sum(map(len, words)), sum(len(word.text) for word in line.words)
    return is_sentence(line) or (bool(words) and 2 * letters > total)


def is_sentence(line: TextLine) -> bool:
    """Whether a line has several words, which no formula has."""
    return sum(len(word) > 2 for word in _words(line)) >= MIN_WORDS


def _words(line: TextLine) -> list[str]:
    """Letters in a row that are no names of functions and not set in italics of mathematics."""
    text = (word.text for word in line.words if not _is_name(word.text) and not MATH_ITALIC.match(word.font))
    return [match for word in text for match in WORD.findall(word)]


def _in_cases(lines: Sequence[TextLine]) -> set[int]:
    """The lines behind a tall brace, in its height: what holds in one case, and when."""
    braces = list(_tall_braces(lines))
    return {
        k
        for k, line in enumerate(lines)
        if line.glyphs and any(b.y0 <= line.box.center[1] <= b.y1 and line.box.x0 >= b.x0 for b in braces)
    }


def _tall_braces(lines: Sequence[TextLine]) -> Iterator[BoundingBox]:
    pieces = sorted((g for line in lines for g in line.glyphs if g.text in BRACE), key=lambda g: (g.box.x0, g.box.y0))
    brace: BoundingBox | None = None
    for glyph in pieces:
        if brace is not None and abs(glyph.box.x0 - brace.x0) < glyph.font_size and glyph.box.y0 - brace.y1 < 2:
            brace = brace.union(glyph.box)
            continue
        if brace is not None and brace.height > 2 * glyph.font_size:
            yield brace
        brace = glyph.box
    if brace is not None and brace.height > 2 * pieces[-1].font_size:
        yield brace


def _is_name(text: str) -> bool:
    return text.strip("()[]{},.") in (*NAMES, *WITH_LIMITS)


def _groups(
    pieces: Sequence[int],
    lines: Sequence[TextLine],
    ink: dict[int, BoundingBox],
    bars: Sequence[BoundingBox],
    limits: DisplayLimits,
) -> Iterator[tuple[list[int], list[BoundingBox]]]:
    """Pieces and bars that stand near one another."""
    boxes = [*(ink[k] for k in pieces), *bars]
    sizes = [max(glyph.font_size for glyph in lines[k].glyphs) for k in pieces]
    index = PageIndex(boxes)
    head = list(range(len(boxes)))

    def root(k: int) -> int:
        while head[k] != k:
            head[k] = head[head[k]]
            k = head[k]
        return k

    for k in range(len(pieces)):
        box, size = boxes[k], sizes[k]
        reach = box.widened(limits.across * size, limits.bar * size)
        for other in index.meeting(reach):
            is_bar = other >= len(pieces)
            if is_bar:
                near = _touches(box, boxes[other], limits.bar * size)
            else:
                down = limits.limit if min(size, sizes[other]) < 0.86 * max(size, sizes[other]) else limits.down
                near = _is_near(box, boxes[other], max(size, sizes[other]), down, limits)
            if other != k and near:
                head[root(other)] = root(k)
    groups: dict[int, tuple[list[int], list[BoundingBox]]] = {}
    for k in range(len(boxes)):
        own = groups.setdefault(root(k), ([], []))
        if k < len(pieces):
            own[0].append(pieces[k])
        else:
            own[1].append(boxes[k])
    yield from (group for group in groups.values() if group[0])


def _touches(box: BoundingBox, bar: BoundingBox, room: float) -> bool:
    return box.overlap_x(bar) > 0 and -box.overlap_y(bar) < room


def _is_near(box: BoundingBox, other: BoundingBox, size: float, down: float, limits: DisplayLimits) -> bool:
    across, below = -box.overlap_x(other), -box.overlap_y(other)
    return (below < 0 and across < limits.across * size) or (across < 0 and below < down * size)


def _begins_as_prose(box: BoundingBox, size: float, prose: Sequence[TextLine], limits: DisplayLimits) -> bool:
    """Whether a row with words begins where a line of prose over or under it does."""
    return any(
        abs(box.x0 - line.box.x0) < limits.indent * size and -line.box.overlap_y(box) < limits.leading * size
        for line in prose
    )


def _is_in_prose(box: BoundingBox, size: float, prose: Sequence[TextLine], limits: DisplayLimits) -> bool:
    """Whether a line of prose stands right beside a formula, or a formula is the last line of a paragraph."""
    return any(
        (
            -line.box.overlap_x(box) < limits.beside_prose * size
            and line.box.overlap_y(box) > 0.4 * min(line.box.height, box.height)
        )
        or (
            0 < box.y0 - line.box.y1 + 0.25 * size < limits.paragraph * size
            and box.x0 < line.box.x0 + limits.indent * size
            and box.overlap_x(line.box) > 0
        )
        for line in prose
    )
