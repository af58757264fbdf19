"""Leaves out text that a page draws again in its own place: bold type by overprinting, shadows, outlines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, NamedTuple

from documents.pdf.text.hidden_text import DRAWN_FLAGS

MAX_OFFSET = 0.3  # maximum distance between two copies of a character, in type sizes
# maximum distance of a copy along the line, in widths of the character: the next letter of "ll" is further
MAX_WIDTH_OFFSET = 0.7
# minimum overlap of two lines that may repeat each other, as a share of the lower and narrower box
MIN_LINE_OVERLAP = 0.5
MAX_NEIGHBOURS = 64  # maximum number of lines at one height that a line is compared with
# minimum share of characters that are followed by themselves in a line whose letters are drawn twice
MIN_DOUBLED_SHARE = 0.25
MAX_COPIES = 4  # maximum number of consecutive copies of one letter
CELL_POINTS = 16.0  # side of the squares in which copies are searched
MAX_CELL_CHARACTERS = 64  # maximum number of equal characters in a square
REPLACEMENT_CHARACTER = "\ufffd"  # stands for many characters
MAX_WIDTH_DIFFERENCE = 0.01  # maximum difference of the widths of copies of an unknown character, in points
_DOUBLED_CHARACTER = re.compile(r"(\S)\1")

_Line = dict[str, Any]  # as MuPDF's rawdict has it
_Char = dict[str, Any]


class _Run(NamedTuple):
    """The characters of one word in one line, and the type's size."""

    line: int
    chars: list[_Char]
    size: float


def without_overprints(lines: list[_Line]) -> list[_Line]:
    """The lines with each character once; of two copies the one of the longer line stays, or the one drawn last."""
    doubled = [k for k, line in enumerate(lines) if _has_doubled_letters(line)]
    for k in doubled:
        _leave_out(lines[k], set(map(id, _own_copies(lines[k]))))
    crossing = _crossing(lines)
    if crossing:
        repeated = set(map(id, _repeated([(k, lines[k]) for k in sorted(crossing)])))
        for k in crossing if repeated else ():
            _leave_out(lines[k], repeated)
    return [line for line in lines if line["spans"]]


def _has_doubled_letters(line: _Line) -> bool:
    text = "".join([char["c"] for span in line["spans"] for char in span["chars"]])
    return len(_DOUBLED_CHARACTER.findall(text)) > MIN_DOUBLED_SHARE * len(text)


def _own_copies(line: _Line) -> Iterable[_Char]:
    """Characters that the line has already, drawn just before in their place."""
    recent: list[_Char] = []
    for span in line["spans"]:
        for char in span["chars"]:
            if any(_is_copy(char, other, span["size"]) and _is_over(char, other) for other in recent):
                yield char
            else:
                recent = [*recent[1 - MAX_COPIES :], char]


def _crossing(lines: Sequence[_Line]) -> set[int]:
    """The lines that lie over another line."""
    crossing: set[int] = set()
    order = sorted(range(len(lines)), key=lambda k: (round(lines[k]["bbox"][1]), lines[k]["bbox"][0]))
    boxes = [lines[k]["bbox"] for k in order]
    for place, (x0, y0, x1, y1) in enumerate(boxes):
        for other, (a0, b0, a1, b1) in enumerate(islice(boxes, place + 1, place + 1 + MAX_NEIGHBOURS), place + 1):
            if b0 > y1 + 1:  # they are sorted by whole points
                break
            if min(x1, a1) - max(x0, a0) <= MIN_LINE_OVERLAP * min(x1 - x0, a1 - a0):
                continue
            if min(y1, b1) - max(y0, b0) > MIN_LINE_OVERLAP * min(y1 - y0, b1 - b0):
                crossing |= {order[place], order[other]}
    return crossing


def _repeated(lines: Sequence[tuple[int, _Line]]) -> Iterable[_Char]:
    """The characters of words that stand in the same place in another line."""
    lengths = {k: sum(len(span["chars"]) for span in line["spans"]) for k, line in lines}
    runs = [(_is_drawn(span), lengths[k], run) for k, line in lines for span in line["spans"] for run in _runs(k, span)]
    runs.sort(key=lambda ranked: (ranked[0], ranked[1], ranked[2].line), reverse=True)
    kept: dict[tuple[str, int, int], list[_Char]] = {}
    for _, _, run in runs:
        visible = [char for char in run.chars if not char["c"].isspace()]
        alone = len(visible) == 1
        if visible and all(_has_copy(char, run.size, kept, alone=alone) for char in visible):
            yield from run.chars
            continue
        for char in visible:
            in_cell = kept.setdefault(_cell(char, 0, 0), [])
            if len(in_cell) < MAX_CELL_CHARACTERS:
                in_cell.append(char)


def _has_copy(char: _Char, size: float, kept: dict[tuple[str, int, int], list[_Char]], *, alone: bool) -> bool:
    """Whether a copy of a character is among those kept; of one that is `alone`, over it."""
    reach = min(MAX_OFFSET * size, CELL_POINTS)
    cells = {_cell(char, dx, dy) for dx in (-reach, reach) for dy in (-reach, reach)}
    copies = (other for cell in cells for other in kept.get(cell, ()) if _is_copy(char, other, size))
    return any(not alone or _is_over(char, other) for other in copies)


def _cell(char: _Char, dx: float, dy: float) -> tuple[str, int, int]:
    x, y = char["origin"]
    return char["c"], int((x + dx) // CELL_POINTS), int((y + dy) // CELL_POINTS)


def _is_copy(char: _Char, other: _Char, size: float) -> bool:
    if char["c"] != other["c"] or (
        char["c"] == REPLACEMENT_CHARACTER and abs(_width(char) - _width(other)) > MAX_WIDTH_DIFFERENCE
    ):
        return False
    dx, dy = abs(char["origin"][0] - other["origin"][0]), abs(char["origin"][1] - other["origin"][1])
    return max(dx, dy) <= MAX_OFFSET * size


def _width(char: _Char) -> float:
    return char["bbox"][2] - char["bbox"][0]


def _is_over(char: _Char, other: _Char) -> bool:
    """Whether two characters share so much of their place that one is no neighbour of the other, as in "ll"."""
    (x0, y0, x1, y1), (a0, b0, *_) = char["bbox"], other["bbox"]
    return abs(x0 - a0) <= MAX_WIDTH_OFFSET * (x1 - x0) and abs(y0 - b0) <= MAX_WIDTH_OFFSET * (y1 - y0)


def _runs(line: int, span: dict[str, Any]) -> Iterable[_Run]:
    """The words of a span; a space goes with the word before it."""
    run: list[_Char] = []
    for char in span["chars"]:
        if run and run[-1]["c"].isspace() and not char["c"].isspace():
            yield _Run(line, run, span["size"])
            run = []
        run.append(char)
    if run:
        yield _Run(line, run, span["size"])


def _is_drawn(span: dict[str, Any]) -> bool:
    return bool(span["char_flags"] & DRAWN_FLAGS)


def _leave_out(line: _Line, repeated: set[int]) -> None:
    """Take characters out of a line, and make its boxes fit the rest."""
    for span in line["spans"]:
        kept = [char for char in span["chars"] if id(char) not in repeated]
        if len(kept) < len(span["chars"]):
            span["chars"] = kept
            span["bbox"] = _around(char["bbox"] for char in kept) if kept else span["bbox"]
    left = "".join([char["c"] for span in line["spans"] for char in span["chars"]])
    line["spans"] = [span for span in line["spans"] if span["chars"]] if left.strip() else []
    if line["spans"]:
        line["bbox"] = _around(span["bbox"] for span in line["spans"])


def _around(boxes: Iterable[Sequence[float]]) -> tuple[float, float, float, float]:
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return min(x0), min(y0), max(x1), max(y1)
