"""Finds the characters of a PDF page that are struck out, by drawn lines through their middle or by annotations."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice
from typing import Any

import pymupdf

# range of a strike above the baseline in type sizes: higher than an underline, lower than an overline
STRIKE_BAND = (0.12, 0.48)
CHARACTER_BAND = (-0.12, 0.7)  # the same for characters off that baseline: raised ones, but no numerator of a fraction
MIDDLE_HEIGHT = 0.25  # height of the middle of letters above the baseline, in type sizes
# maximum distance between a baseline and the middle of an annotation's box over it, in type sizes
MAX_ANNOTATION_REACH = 3.0
MAX_THICKNESS = 0.25  # a thicker line (in type sizes) is a bar
MAX_DASH_GAP = 0.4  # maximum gap between the dashes of one line, in type sizes
MAX_OVERHANG = 0.75  # maximum distance by which a strike begins before its words or ends behind them, in type sizes
MIN_COVERED_SHARE = 0.33  # minimum share of a strike's length over characters: tabs and columns lie between them
WHITE_LEVEL = 0.95  # minimum value of each colour channel, of 1
MIN_OPACITY = 0.05  # a mark of less opacity is not visible
MAX_LINES = 2000  # drawn lines of a page, and boxes of annotations
MAX_CHECKS = 500_000  # maximum number of comparisons of a page's lines and characters with lines of text
STRIKE_OUT = 11  # PyMuPDF's number of this kind of annotation
INVISIBLE_FLAGS = 2 | 32  # flags of an annotation: hidden, not for screens

_Point = tuple[float, float]
_Char = dict[str, Any]  # as MuPDF's rawdict has it


@dataclass(frozen=True, slots=True, eq=False)
class _Line:
    """A drawn line, or an annotation's box, between two points of the unturned page."""

    begin: _Point
    end: _Point
    thickness: float = 0.0
    is_white: bool = False
    path: int | None = None  # that draws it, by number; None of an annotation

    @property
    def middle(self) -> _Point:
        return (self.begin[0] + self.end[0]) / 2, (self.begin[1] + self.end[1]) / 2


@dataclass(frozen=True, slots=True)
class _Baseline:
    """Where a line of text stands, which is level or upright."""

    origin: _Point
    along: _Point
    size: float
    chars: list[_Char]

    def height(self, point: _Point) -> float:
        """How far above the baseline a point is, in type sizes."""
        x, y = point[0] - self.origin[0], point[1] - self.origin[1]
        return (x * self.along[1] - y * self.along[0]) / self.size

    def extent(self, begin: _Point, end: _Point) -> tuple[float, float]:
        """Where a box with these corners begins and ends along the baseline, on all of one direction the same."""
        a, b = (x * self.along[0] + y * self.along[1] for x, y in (begin, end))
        return min(a, b), max(a, b)


@dataclass(slots=True)
class _Strike:
    """Lines with at most small gaps, through the middle of the same line of text; and what they cover of it."""

    baseline: _Baseline
    start: float
    end: float
    lines: list[_Line]
    covered: list[int]  # characters of the baseline, by number


class Strikes:
    """Lines that a page draws, of which some strike words out."""

    def __init__(self, page: pymupdf.Page, paths: Sequence[dict[str, Any]]) -> None:
        self._paths = paths
        self._drawn = list(islice(_drawn(paths), MAX_LINES))
        groups = self._drawn, list(islice(_annotated(page), MAX_LINES))
        self._by_axis = [
            [sorted(group, key=lambda line, axis=axis: line.middle[axis]) for group in groups] for axis in (0, 1)
        ]
        self._used: set[_Line] = set()
        self.num_checks = 0  # of lines, and of characters, against lines of text

    def mark(self, lines: Sequence[dict[str, Any]]) -> None:
        """Cut the spans of MuPDF's lines (rawdict) where strikes begin and end; those that are struck say so."""
        strikes: dict[_Line, list[_Strike]] = {}
        for line in lines if any(self._by_axis[0]) else ():
            for strike in self._through(line):
                strikes.setdefault(strike.lines[0], []).append(strike)
        struck: set[int] = set()
        for group in strikes.values():  # of one strike: MuPDF parts lines at wide gaps
            if characters := _struck_by(group):
                struck |= characters
                self._used.update(line for strike in group for line in strike.lines)
        for line in lines if struck else ():
            line["spans"] = [part for span in line["spans"] for part in _parts(span, struck)]

    def other_paths(self) -> list[dict[str, Any]]:
        """The paths but those that only strike words out."""
        used = {line.path for line in self._used} - {line.path for line in self._drawn if line not in self._used}
        return [path for number, path in enumerate(self._paths) if number not in used]

    def _through(self, line: dict[str, Any]) -> Iterator[_Strike]:
        """The strikes through the middle of one line of text."""
        spans = [span for span in line["spans"] if span["chars"]]
        if not spans or max(map(abs, line["dir"])) < 0.99:
            return
        main = max(spans, key=lambda span: len(span["chars"]))
        chars = [char for span in spans for char in span["chars"]]
        baseline = _Baseline(main["chars"][0]["origin"], line["dir"], max(main["size"], 0.1), chars)
        strikes = list(_joined(self._near(baseline, is_white=_is_white(_channels(main["color"]))), baseline))
        self.num_checks += len(strikes) * len(chars)
        if not strikes or self.num_checks > MAX_CHECKS:
            return
        sizes = [span["size"] for span in spans for _ in span["chars"]]
        for number, (char, size) in enumerate(zip(chars, sizes, strict=True)):
            middle = sum(baseline.extent(char["bbox"][:2], char["bbox"][2:])) / 2
            own = replace(baseline, origin=char["origin"], size=max(size, 0.1))
            for strike in strikes:
                if strike.start <= middle <= strike.end and _is_through(strike.lines[0], own, CHARACTER_BAND):
                    strike.covered.append(number)
        yield from (strike for strike in strikes if strike.covered)

    def _near(self, baseline: _Baseline, *, is_white: bool) -> list[_Line]:
        """The lines and boxes in the middle of the type, from the beginning of its baseline on."""
        axis = 1 if abs(baseline.along[0]) > abs(baseline.along[1]) else 0
        is_straight = baseline.along[1 - axis] in (1.0, -1.0)  # then a drawn line is as high as its middle
        near: list[_Line] = []
        for group, reach in zip(
            self._by_axis[axis],
            (STRIKE_BAND[1] if is_straight else MAX_ANNOTATION_REACH, MAX_ANNOTATION_REACH),
            strict=True,
        ):
            if self.num_checks > MAX_CHECKS:
                return []
            first, last = (
                bisect_left(
                    group, baseline.origin[axis] + side * reach * baseline.size, key=lambda line: line.middle[axis]
                )
                for side in (-1, 1)
            )
            self.num_checks += last - first
            near += group[first:last]
        lines = (line for line in near if is_white or not line.is_white)
        return sorted(
            (line for line in lines if _is_through(line, baseline)),
            key=lambda line: baseline.extent(line.begin, line.end),
        )


def _is_through(line: _Line, baseline: _Baseline, band: tuple[float, float] = STRIKE_BAND) -> bool:
    low, high = sorted(map(baseline.height, (line.begin, line.end)))
    if line.path is None:
        return low <= MIDDLE_HEIGHT <= high
    return band[0] <= low <= high <= band[1] and line.thickness <= MAX_THICKNESS * baseline.size


def _joined(lines: Sequence[_Line], baseline: _Baseline) -> Iterator[_Strike]:
    """Lines by where they begin, as strikes: dashes and doubled lines are one."""
    strike: _Strike | None = None
    for line in lines:
        start, end = baseline.extent(line.begin, line.end)
        if strike is not None and start - strike.end <= MAX_DASH_GAP * baseline.size:
            strike.end = max(strike.end, end)
            strike.lines.append(line)
            continue
        if strike is not None:
            yield strike
        strike = _Strike(baseline, start, end, [line], [])
    if strike is not None:
        yield strike


def _struck_by(strikes: Sequence[_Strike]) -> set[int]:
    """The identities of the characters that one strike, by its parts on one baseline, strikes out; none by a rule."""
    start, end = min(strike.start for strike in strikes), max(strike.end for strike in strikes)
    extents = [
        strike.baseline.extent(char["bbox"][:2], char["bbox"][2:])
        for strike in strikes
        for char in (strike.baseline.chars[number] for number in strike.covered)
    ]
    overhang = max(min(first for first, _ in extents) - start, end - max(last for _, last in extents))
    is_rule = overhang > MAX_OVERHANG * max(strike.baseline.size for strike in strikes)
    is_rule |= sum(last - first for first, last in extents) < MIN_COVERED_SHARE * (end - start)
    if is_rule and all(line.path is not None for strike in strikes for line in strike.lines):
        return set()
    return {id(char) for strike in strikes for char in _words_in(strike)}


def _words_in(strike: _Strike) -> Iterator[_Char]:
    """What a strike covers of a line of text, but single letters of a word: their strokes are drawn so."""
    chars, covered = strike.baseline.chars, set(strike.covered)
    for is_covered, run in groupby(range(len(chars)), key=lambda number: number in covered):
        numbers = list(run)
        if not is_covered:
            continue
        num_letters = sum(chars[number]["c"].isalnum() for number in numbers)
        around = "".join(chars[k]["c"] for k in (numbers[0] - 1, numbers[-1] + 1) if 0 <= k < len(chars))
        if num_letters > 1 or (num_letters and not any(map(str.isalnum, around))):
            yield from (chars[number] for number in numbers)


def _parts(span: dict[str, Any], struck: set[int]) -> Iterator[dict[str, Any]]:
    """A span of MuPDF's, cut where what is struck out begins and ends."""
    for is_struck, run in groupby(span["chars"], key=lambda char: id(char) in struck):
        chars = list(run)
        if len(chars) == len(span["chars"]):
            yield {**span, "struck": is_struck}
            continue
        x0, y0, x1, y1 = zip(*(char["bbox"] for char in chars), strict=True)
        box = (min(x0), min(y0), max(x1), max(y1))
        yield {**span, "chars": chars, "bbox": box, "origin": chars[0]["origin"], "struck": is_struck}


def _drawn(paths: Sequence[dict[str, Any]]) -> Iterator[_Line]:
    """The lines that paths draw, and the middles of filled boxes along their longer sides."""
    for number, path in enumerate(paths):
        is_filled, colour = path.get("fill") is not None, path.get("color") or path.get("fill")
        opacity = path.get("stroke_opacity" if path.get("color") else "fill_opacity")
        if opacity is not None and opacity < MIN_OPACITY:
            continue
        items = path["items"]
        if is_filled and any(item[0] not in ("re", "qu") for item in items):
            items = [("re", path["rect"])]  # a thin shape; what is not thin is no line
        width = (path.get("width") or 0.0) if path.get("color") else 0.0
        for begin, end, thickness in map(_middle_line, items):
            yield _Line(begin, end, thickness + width, _is_white(colour), number)


def _middle_line(item: tuple[Any, ...]) -> tuple[_Point, _Point, float]:
    """From where to where a part of a path leads, and how thick it is."""
    if item[0] == "re":
        x0, y0, x1, y1 = item[1]
        x, y = (x0 + x1) / 2, (y0 + y1) / 2
        if abs(x1 - x0) >= abs(y1 - y0):
            return (x0, y), (x1, y), abs(y1 - y0)
        return (x, y0), (x, y1), abs(x1 - x0)
    if item[0] == "qu":
        x, y = zip(*item[1], strict=True)
        return _middle_line(("re", (min(x), min(y), max(x), max(y))))
    return tuple(item[1]), tuple(item[-1]), 0.0


def _annotated(page: pymupdf.Page) -> Iterator[_Line]:
    """The boxes of annotations that strike out, which some programs leave without a drawing."""
    for annotation in page.annots(types=[STRIKE_OUT]):
        if annotation.flags & INVISIBLE_FLAGS:
            continue
        points: list[_Point] = annotation.vertices or []
        boxes = [points[k : k + 4] for k in range(0, len(points) - 3, 4)] or [[annotation.rect.tl, annotation.rect.br]]
        for box in boxes:
            x, y = zip(*box, strict=True)
            yield _Line((min(x), min(y)), (max(x), max(y)))


def _channels(colour: int) -> tuple[float, ...]:
    return tuple((colour >> shift & 255) / 255 for shift in (16, 8, 0))


def _is_white(channels: Sequence[float] | None) -> bool:
    return channels is not None and min(channels) >= WHITE_LEVEL
