"""Finds where formulas are displayed: characters of mathematics on rows without prose."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from documents.boxes import BoundingBox
from documents.formulas.prose import is_formula, is_prose, lines_of_cases
from documents.formulas.rows import MIN_BASE_SIZE
from documents.formulas.stacks import MAX_BAR_GAP
from documents.inspection import Glyph, TextLine
from documents.page_index import PageIndex

MAX_GLYPHS = 400  # maximum number of glyphs per formula
MAX_JOINING_WORDS = 3  # maximum number of words between the formulas of one row, such as "and"
MAX_PAIRS = 100_000  # maximum number of pairs of pieces that are compared; a page of mathematics has a few thousand
MAX_TYPE_SIZE = 40.0  # in larger type (points), pieces stand as near to one another as in type of this size
MIN_NUMBER_GAP = 1.0  # minimum gap between a formula and its number, in type sizes
FORMULA_NUMBER = re.compile(r"\([A-Z]?\.?\d{1,3}(?:[.\-–]\d{1,3})*[a-z′']?\)")
FORMULA_NUMBER_LINE = re.compile(rf"[.,;:]?\s*{FORMULA_NUMBER.pattern}")


@dataclass(frozen=True, slots=True, kw_only=True)
class DisplayLimits:
    """How near the pieces of one formula stand. Lengths are in sizes of its type."""

    across: float = 3.0  # gap between pieces of one row
    down: float = 0.3  # gap between pieces one below the other
    limit: float = 0.5  # the same, between an operator and what is set smaller
    beside_prose: float = 1.5  # gap to a line of prose in which a formula stands
    paragraph: float = 0.55  # gap below a line of prose in which its last line stands
    leading: float = 2.0  # gap between lines of one paragraph, and between paragraphs
    indent: float = 2.0  # by which a line of prose may be set in


@dataclass(frozen=True, slots=True)
class Display:
    """A displayed formula: its lines by their index, and the line of its number; what is drawn of both."""

    lines: tuple[int, ...]
    glyphs: tuple[Glyph, ...]
    box: BoundingBox
    number: int | None = None


@dataclass(frozen=True, slots=True)
class _Piece:
    """A line that may be of a formula, with the place that it takes in its row."""

    line: int
    box: BoundingBox
    size: float


def displays(lines: Sequence[TextLine], bars: Sequence[BoundingBox], limits: DisplayLimits) -> list[Display]:
    """The displayed formulas of a page, from its visible lines; none where too many stand in one place."""
    cases = lines_of_cases(lines)
    prose = {k for k, line in enumerate(lines) if is_prose(line) and k not in cases}
    short = {k for k in prose if lines[k].glyphs and len(lines[k].words) <= MAX_JOINING_WORDS}
    level = {k for k, line in enumerate(lines) if line.glyphs and not line.angle and not line.monospaced}
    numbers = {k for k in level if FORMULA_NUMBER_LINE.fullmatch(lines[k].text)}
    pieces = [_piece(k, lines[k]) for k in sorted(level - numbers - (prose - short))]
    text = _Prose([lines[k].box for k in sorted(prose - short) if not lines[k].angle], limits)
    formulas: list[Display] = []
    for group, own_bars in _groups(pieces, bars, limits):
        glyphs = tuple(glyph for piece in group for glyph in lines[piece.line].glyphs)
        if len(glyphs) > MAX_GLYPHS or not is_formula(glyphs) or all(piece.line in short for piece in group):
            continue
        box = BoundingBox.around([*(glyph.box for glyph in glyphs), *own_bars])
        size = max(piece.size for piece in group)
        has_words = any(piece.line in short for piece in group)
        if not text.holds(box, size) and not (has_words and text.is_begun_by(box, size)):
            formulas.append(Display(tuple(piece.line for piece in group), glyphs, box))
    return _with_numbers(formulas, sorted(numbers), lines)


def without_number(glyphs: Sequence[Glyph]) -> tuple[tuple[Glyph, ...], str]:
    """The glyphs but for a number in brackets at the right or left, far from the others; that number."""
    ordered = sorted(glyphs, key=lambda glyph: glyph.box.x0)
    for run in (ordered, ordered[::-1]):
        for count in range(3, min(10, len(run) - 1)):
            number, rest = run[-count:], run[:-count]
            text = "".join(glyph.text for glyph in sorted(number, key=lambda glyph: glyph.box.x0))
            own, other = (BoundingBox.around([glyph.box for glyph in part]) for part in (number, rest))
            if FORMULA_NUMBER.fullmatch(text) and -own.overlap_x(other) > MIN_NUMBER_GAP * number[0].font_size:
                return tuple(glyph for glyph in glyphs if all(glyph is not one for one in number)), text[1:-1]
    return tuple(glyphs), ""


def _piece(number: int, line: TextLine) -> _Piece:
    """With the height of small letters over its baselines, of which a sign as `=` has less."""
    boxes = [
        BoundingBox(x0=g.box.x0, y0=min(g.box.y0, g.baseline - 0.6 * g.font_size), x1=g.box.x1, y1=g.box.y1)
        if g.box.height < 0.6 * g.font_size
        else g.box
        for g in line.glyphs
    ]
    size = min(MAX_TYPE_SIZE, max(glyph.font_size for glyph in line.glyphs))
    return _Piece(number, BoundingBox.around(boxes), size)


def _groups(
    pieces: Sequence[_Piece], bars: Sequence[BoundingBox], limits: DisplayLimits
) -> list[tuple[list[_Piece], list[BoundingBox]]]:
    """Pieces and bars that stand near one another; nothing where more than `MAX_PAIRS` do."""
    boxes = [*(piece.box for piece in pieces), *bars]
    index = PageIndex(boxes)
    head = list(range(len(boxes)))

    def first(k: int) -> int:
        while head[k] != k:
            head[k] = head[head[k]]
            k = head[k]
        return k

    num_pairs = 0
    for k, piece in enumerate(pieces):
        near = index.meeting(piece.box.widened(limits.across * piece.size, MAX_BAR_GAP * piece.size))
        num_pairs += len(near)
        if num_pairs > MAX_PAIRS:
            return []
        for other in near:
            if other != k and _is_near(piece, pieces[other] if other < len(pieces) else boxes[other], limits):
                head[first(other)] = first(k)
    groups: dict[int, tuple[list[_Piece], list[BoundingBox]]] = {}
    for k, box in enumerate(boxes):
        own = groups.setdefault(first(k), ([], []))
        if k < len(pieces):
            own[0].append(pieces[k])
        else:
            own[1].append(box)
    return [group for group in groups.values() if group[0]]


def _is_near(piece: _Piece, other: _Piece | BoundingBox, limits: DisplayLimits) -> bool:
    """Whether a piece belongs to another one or a bar: side by side, or one below the other."""
    box = other if isinstance(other, BoundingBox) else other.box
    across, below = -piece.box.overlap_x(box), -piece.box.overlap_y(box)
    if isinstance(other, BoundingBox):
        return (across < 0 and below < MAX_BAR_GAP * piece.size) or (below < 0 and across < piece.size)
    small, large = sorted((piece.size, other.size))
    down = limits.limit if small < MIN_BASE_SIZE * large else limits.down
    return (below < 0 and across < limits.across * large) or (across < 0 and below < down * large)


class _Prose:
    """The lines of prose of a page."""

    def __init__(self, boxes: Sequence[BoundingBox], limits: DisplayLimits) -> None:
        self._boxes = boxes
        self._index = PageIndex(boxes)
        self._limits = limits

    def holds(self, box: BoundingBox, size: float) -> bool:
        """Whether a line of prose stands right beside a formula, or a formula is the last line of a paragraph."""
        limits = self._limits
        for line in self._near(box, limits.beside_prose * size, limits.paragraph * size):
            beside = line.overlap_y(box) > 0.4 * min(line.height, box.height)
            below = 0 < box.y0 - line.y1 + 0.25 * size < limits.paragraph * size and box.overlap_x(line) > 0
            if beside or (below and box.x0 < line.x0 + limits.indent * size):
                return True
        return False

    def is_begun_by(self, box: BoundingBox, size: float) -> bool:
        """Whether a row with words begins where a line of prose over or under it does."""
        reach = self._limits.indent * size
        near = self._near(box, reach, self._limits.leading * size)
        return any(abs(box.x0 - line.x0) < reach for line in near)

    def _near(self, box: BoundingBox, across: float, down: float) -> Iterator[BoundingBox]:
        return (self._boxes[k] for k in self._index.meeting(box.widened(across, down)))


def _with_numbers(formulas: Sequence[Display], numbers: Sequence[int], lines: Sequence[TextLine]) -> list[Display]:
    """The formulas; each line that numbers one belongs to the nearest at its left, or else at its right, on its level.

    None stands between both, and each formula has one number.
    """
    index, all_lines = PageIndex(display.box for display in formulas), PageIndex(line.box for line in lines)
    owners: dict[int, int] = {}
    for number in numbers:
        box = lines[number].box
        level = [k for k in index.level_with(box.center[1], box.center[1], MAX_GLYPHS) if k not in owners]
        left = [k for k in level if formulas[k].box.x1 <= box.x0]
        right = [k for k in level if formulas[k].box.x0 >= box.x1]
        nearest = max(left, key=lambda k: formulas[k].box.x1, default=None)
        if nearest is None:
            nearest = min(right, key=lambda k: formulas[k].box.x0, default=None)
        if nearest is not None and _is_free(formulas[nearest].box, number, lines, all_lines):
            owners[nearest] = number
    return [_numbered(display, owners.get(k), lines) for k, display in enumerate(formulas)]


def _is_free(box: BoundingBox, number: int, lines: Sequence[TextLine], index: PageIndex) -> bool:
    own = lines[number].box
    gap = BoundingBox(x0=min(box.x1, own.x1), y0=own.y0, x1=max(box.x0, own.x0), y1=own.y1)
    return all(k == number or not lines[k].text.strip() for k in index.with_middle_in(gap))


def _numbered(display: Display, number: int | None, lines: Sequence[TextLine]) -> Display:
    if number is None:
        return display
    glyphs = (*display.glyphs, *lines[number].glyphs)
    return replace(display, glyphs=glyphs, box=BoundingBox.around([g.box for g in glyphs]), number=number)
