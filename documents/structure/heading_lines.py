"""Joins the lines of one heading, and splits a heading from text in other type in the same region (run-in headings)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from documents.inspection import TextLine, Word
from documents.rotated_boxes import unrotate
from documents.structure.page_draft import PageDraft, Part
from documents.text.list_markers import marker_of
from documents.text.word_count import num_words
from documents.values import BoundingBox, Detection, RegionKind
from documents.vertical_index import VerticalIndex

PARTED_KINDS: tuple[RegionKind, ...] = ("plain text", "title")
NEAR = 200.0  # points above and below a heading, within which other text shows how wide its column is
MOST_NEAR = 64  # regions there that are looked at
FAMILY = re.compile(r"(?:PS)?(?:[-,]|MT\b)|Bold|Italic|Light|Semi|Medium|Regular")  # ends the name of a family
NUMBERED = re.compile(r"\d{1,2}(?:\.\d{1,2}){0,4}\.?\s+[^\W\d_]")
MOSTLY = 0.5  # of the letters of a line, that a link has: the line has the link's colour


@dataclass(frozen=True, slots=True)
class TypeChanges:
    """What makes two lines of a region parts of different things."""

    size: float = 1.12  # ratio of their sizes
    size_of_fonts: float = 1.04  # and of sizes in fonts of other families
    colour: int = 96  # of 765: the difference of their colours, summed over the channels
    max_lines: int = 4  # of a heading
    max_words: int = 30


@dataclass(frozen=True, slots=True)
class OneHeading:
    """What makes two regions, one right below the other, two lines of one heading."""

    size: float = 1.04  # ratio of their sizes
    gap: float = 0.75  # of the type's size, between the lines
    edge: float = 0.35  # of the type's size, by which lines of one edge or middle may differ
    larger: float = 1.08  # times the body's type, unless it is bold or has a colour of its own
    max_words: int = 40


class Row(NamedTuple):
    """Lines of a region that stand side by side, and their type."""

    lines: tuple[TextLine, ...]
    box: BoundingBox  # upright
    size: float
    bold: bool
    colour: int

    @property
    def text(self) -> str:
        return " ".join(line.text for line in self.lines)


def part_by_type(page: PageDraft, limits: TypeChanges) -> PageDraft:
    """Each text or title whose lines change type becomes several, where one of them may be a heading."""
    parts: list[Part] = []
    for part in page.parts:
        pieces = _pieces(part, limits) if part.detection.kind in PARTED_KINDS else []
        if len(pieces) < 2:
            parts.append(part)
            continue
        for lines in pieces:
            box = BoundingBox.around([line.box for line in lines])
            parts.append(Part.of(part.detection.model_copy(update={"box": box}), lines, part.rules))
    return replace(page, parts=tuple(parts))


def join_headings(page: PageDraft, limits: OneHeading) -> PageDraft:
    """Lines of one heading that were found as several regions become one, in the place of the first."""
    turn, body = page.layer.turn, page.layer.body
    rows = {k: rows_of(part.lines) for k, part in enumerate(page.parts) if _may_be_heading(part, turn, body, limits)}
    followers = _followers(rows, _Columns(page, turn), limits)
    followed = set(followers.values())
    parts: list[Part] = []
    for k, part in enumerate(page.parts):
        if k in followed:
            continue
        chain = [k]
        while chain[-1] in followers:
            chain.append(followers[chain[-1]])
        parts.append(_joined([page.parts[j] for j in chain]) if len(chain) > 1 else part)
    return replace(page, parts=tuple(parts))


def rows_of(lines: Sequence[TextLine]) -> list[Row]:
    """From the top; lines of one turn."""
    groups: list[list[TextLine]] = []
    bottom, height = float("-inf"), 0.0
    for line in sorted(lines, key=lambda line: (unrotate(line.box, line.angle).center[1], line.box.x0)):
        box = unrotate(line.box, line.angle)
        if groups and bottom - box.y0 > 0.5 * min(box.height, height):
            groups[-1].append(line)
        else:
            groups.append([line])
        bottom, height = box.y1, box.height
    return [_row(group) for group in groups]


def _row(lines: Sequence[TextLine]) -> Row:
    placed = sorted(lines, key=lambda line: unrotate(line.box, line.angle).x0)
    main = max(placed, key=lambda line: len(line.text))
    return Row(
        lines=tuple(placed),
        box=BoundingBox.around([unrotate(line.box, line.angle) for line in placed]),
        size=main.font_size,
        bold=all(line.bold for line in placed if any(map(str.isalpha, line.text))),
        colour=main.colour,
    )


def _pieces(part: Part, limits: TypeChanges) -> list[tuple[TextLine, ...]]:
    """The lines of a part, cut where the type changes beside a heading."""
    if len(part.lines) < 2 or len({line.angle for line in part.lines}) > 1:
        return []
    rows = rows_of(part.lines)
    edge = max(row.box.x1 for row in rows)
    runs: list[list[Row]] = [rows[:1]]
    for upper, lower in pairwise(rows):
        if _differ(upper, lower, edge, limits) or (part.detection.kind == "title" and _begins_anew(runs[-1][0], lower)):
            runs.append([lower])
        else:
            runs[-1].append(lower)
    pieces: list[list[Row]] = [runs[0]]
    for run in runs[1:]:
        if _stands_alone(pieces[-1], run, limits):
            pieces.append(run)
        else:
            pieces[-1] = [*pieces[-1], *run]
    return [tuple(line for row in piece for line in row.lines) for piece in pieces]


def _differ(a: Row, b: Row, edge: float, limits: TypeChanges) -> bool:
    """Whether the type changes between two lines of a region that reaches to `edge` on the right."""
    letters = min(sum(map(str.isalpha, row.text)) for row in (a, b))
    if letters < 3:
        return False
    ratio = max(a.size, b.size) / max(1.0, min(a.size, b.size))
    fonts = [_families(row) for row in (a, b)]
    sizes = ratio > limits.size or (ratio > limits.size_of_fonts and all(fonts) and not fonts[0] & fonts[1])
    if sizes or _boldness_changes(a, b, edge):
        return True
    return far_apart(a.colour, b.colour, limits.colour) and not _is_coloured_by_link(a, b, edge)


def _families(row: Row) -> set[str]:
    """The families of a row's fonts: the letters that their names begin with."""
    names = (font.rsplit("+", 1)[-1] for line in row.lines for font in line.fonts)
    return {FAMILY.split(name)[0] for name in names}


def _boldness_changes(a: Row, b: Row, edge: float) -> bool:
    """Whether bold type begins or ends between two lines, not within one of them as in a run-in heading."""
    last, first = _words(a)[-1:], _words(b)[:1]
    if a.bold == b.bold or not last or not first:
        return a.bold != b.bold
    if a.bold and last[0].bold and first[0].bold:  # a run-in heading that goes on has left no room for its next word
        return a.box.x1 + first[0].box.width < edge
    return last[0].bold if a.bold else first[0].bold


def _is_coloured_by_link(a: Row, b: Row, edge: float) -> bool:
    """Whether one of two lines has its colour from a link that runs on, and is no short line above a text."""
    if _share_linked(a) == 1.0 and _share_linked(b) < 1.0:
        return a.box.x1 + sum(word.box.width for word in b.lines[0].words[:1]) >= edge
    return max(map(_share_linked, (a, b))) >= MOSTLY


def _share_linked(row: Row) -> float:
    """0 to 1, of its letters."""
    words = [(len(word.text), word.link is not None) for line in row.lines for word in line.words]
    return sum(letters for letters, linked in words if linked) / max(1, sum(letters for letters, _ in words))


def _words(row: Row) -> list[Word]:
    """Those with letters."""
    return [word for line in row.lines for word in line.words if any(map(str.isalpha, word.text))]


def _begins_anew(first: Row, row: Row) -> bool:
    """Whether both lines begin with a section's number: then they are two headings."""
    return bool(NUMBERED.match(first.text) and NUMBERED.match(row.text))


def _stands_alone(above: Sequence[Row], below: Sequence[Row], limits: TypeChanges) -> bool:
    """Whether one of two runs of lines may be a heading, and no sentence goes on from the first to the second."""
    if not any(_is_short(run, limits) for run in (above, below)):
        return False
    if _is_item(above[-1]) and _begins_below_words(above[-1], below[0]):
        return False
    end, begin = above[-1].text.rstrip(), below[0].text.lstrip()
    larger = above[-1].size > limits.size * below[0].size
    return larger or not (begin[:1].islower() or end.endswith((",", "-", "\u2010", "(")))


def _is_short(rows: Sequence[Row], limits: TypeChanges) -> bool:
    return len(rows) <= limits.max_lines and sum(num_words(row.text) for row in rows) <= limits.max_words


def far_apart(a: int, b: int, most: int) -> bool:
    """Whether two colours (0xRRGGBB) differ by more than `most`, summed over the channels."""
    return sum(abs((a >> shift & 255) - (b >> shift & 255)) for shift in (16, 8, 0)) > most


def _may_be_heading(part: Part, turn: int, body: float, limits: OneHeading) -> bool:
    lines = part.lines
    if part.kind not in PARTED_KINDS or not lines or any(line.angle != turn for line in lines):
        return False
    if sum(num_words(line.text) for line in lines) > limits.max_words:
        return False
    size = median(line.font_size for line in lines)
    stands_out = size > limits.larger * body or all(line.bold or line.colour for line in lines)
    return stands_out and sum(map(str.isalpha, lines[0].text)) >= 2


class _Columns:
    """How far the text of a column reaches to the right."""

    def __init__(self, page: PageDraft, turn: int) -> None:
        boxes_by_part = ([unrotate(line.box, turn) for line in part.lines if line.angle == turn] for part in page.parts)
        self._boxes = [BoundingBox.around(boxes) for boxes in boxes_by_part if boxes]
        self._index = VerticalIndex(self._boxes)

    def right_edge(self, line: BoundingBox, size: float) -> float:
        """Of what begins no further to the right than a line, in points, near its height."""
        near = self._index.crossing(line.y0 - NEAR, line.y1 + NEAR, MOST_NEAR)
        boxes = (self._boxes[k] for k in near)
        return max((box.x1 for box in boxes if box.x0 <= line.x0 + 2 * size and box.x1 >= line.x1), default=line.x1)


def _followers(rows: dict[int, list[Row]], columns: _Columns, limits: OneHeading) -> dict[int, int]:
    """The part that each part's heading goes on in, by the rows of both; every part follows one other at most."""
    by_height = sorted(rows, key=lambda k: (rows[k][0].box.y0, rows[k][0].box.x0))
    follower_of: dict[int, int] = {}
    followed: set[int] = set()
    for at, k in enumerate(by_height):
        for j in by_height[at + 1 : at + 9]:
            if j not in followed and _goes_on(rows[k][0], rows[k][-1], rows[j][0], columns, limits):
                follower_of[k] = j
                followed.add(j)
                break
    return follower_of


def _goes_on(first: Row, last: Row, row: Row, columns: _Columns, limits: OneHeading) -> bool:
    """Whether a heading from `first` to `last` goes on in `row`."""
    size = max(last.size, row.size)
    alike = size <= limits.size * min(last.size, row.size) and last.bold == row.bold and last.colour == row.colour
    gap = row.box.y0 - last.box.y1
    if not alike or not -0.5 * size <= gap <= limits.gap * size:
        return False
    if NUMBERED.match(row.text) or marker_of(row.text) or last.text.rstrip().endswith((":", ".", "?", "!")):
        return False
    edge = limits.edge * size
    left = abs(row.box.x0 - first.box.x0) <= edge or _hangs(first, row)
    centred = abs(row.box.center[0] - last.box.center[0]) <= edge
    if not left and not centred:
        return False
    return row.text[:1].islower() or _is_full(last, row, columns)


def _hangs(first: Row, row: Row) -> bool:
    """Whether a line begins below the words of a numbered heading, behind its number."""
    return bool(NUMBERED.match(first.text)) and _begins_below_words(first, row)


def _is_item(row: Row) -> bool:
    """Whether a line begins with a bullet."""
    marker = marker_of(row.text)
    return marker is not None and not any(map(str.isalnum, marker))


def _begins_below_words(first: Row, row: Row) -> bool:
    """Whether a line begins below the words of another, behind its number or bullet."""
    words = [word for line in first.lines for word in line.words]
    return any(abs(word.box.x0 - row.box.x0) <= 2.0 for word in words[1:3])


def _is_full(last: Row, row: Row, columns: _Columns) -> bool:
    """Whether the first word of `row` had no room left behind `last`."""
    words = [word.box.width for line in row.lines for word in line.words[:1]]
    reach = last.box.x1 + (words[0] if words else 0.0) + 0.25 * last.size
    return reach >= columns.right_edge(last.box, last.size) - 1.0


def _joined(parts: Sequence[Part]) -> Part:
    lines = tuple(line for part in parts for line in part.lines)
    surest = max(parts, key=lambda part: (part.kind == "title", part.detection.score))
    box = BoundingBox.around([line.box for line in lines])
    detection: Detection = surest.detection.model_copy(update={"box": box})
    return replace(surest, detection=detection, lines=lines)
