"""Joins characters that a page sets below each other, in columns read from the right, to lines that run downward."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

MIN_COLUMN_CHARACTERS = 4  # minimum length of a column without other evidence
MAX_MIDDLE_OFFSET = 0.35  # maximum horizontal offset between the middles of two characters of a column, in type sizes
MAX_OVERLAP = 0.4  # maximum overlap of a character and the next one below it, in type sizes
MAX_SPACE = 0.6  # maximum gap between a character and the next one below it, in type sizes
MAX_UPRIGHT_CHARACTERS = 3  # maximum length of a number that is printed horizontally within a column
MAX_UPRIGHT_WIDTH = 1.4  # maximum width of such a number, in type sizes
MAX_COLUMN_GAP = 3.0  # maximum gap between columns, in type sizes
DOWNWARD_DIRECTION = (0.0, 1.0)
FIRST_WIDE = "\u2e80"  # no character before it is of a script that is set in columns
# punctuation that is turned to run downward
PRESENTATION_FORMS = re.compile("[\ufe10-\ufe19\ufe30-\ufe44\ufe47\ufe48]")

_Line = dict[str, Any]  # as MuPDF's rawdict has it
_Edges = tuple[float, float, float, float]


def with_columns(lines: list[_Line]) -> list[_Line]:
    """The lines, those of one vertical column as one; MuPDF makes a line of each of its characters."""
    if not any(_is_wide(line) for line in lines):
        return lines
    runs = list(_runs(lines))
    columns = [_around(line["bbox"] for line in run) for run in runs if _is_column(run)]
    if not columns:
        return lines
    joined: list[_Line] = []
    for run in runs:
        if _is_column(run) or (_is_wide(run[0]) and _is_beside(run, columns)):
            joined.append(_joined(run))
        else:
            joined += run
    return joined


def _is_column(run: Sequence[_Line]) -> bool:
    return sum(map(_is_wide, run)) >= max(MIN_COLUMN_CHARACTERS, 0.5 * len(run))


def _runs(lines: Sequence[_Line]) -> Iterator[list[_Line]]:
    """Lines that follow each other in the file and stand below each other; a line that no column can hold is alone."""
    run: list[_Line] = []
    for line in lines:
        if run and not _continues(run[-1], line):
            yield run
            run = []
        run.append(line)
    if run:
        yield run


def _continues(above: _Line, line: _Line) -> bool:
    if not (_may_stand_in_column(above) and _may_stand_in_column(line)):
        return False
    size = max(_size(above), _size(line))
    a, b = above["bbox"], line["bbox"]
    across = abs((a[0] + a[2]) - (b[0] + b[2])) / 2
    return across <= MAX_MIDDLE_OFFSET * size and -MAX_OVERLAP * size <= b[1] - a[3] <= MAX_SPACE * size


def _may_stand_in_column(line: _Line) -> bool:
    """Whether a line runs downward, or is a character or a short number."""
    if line["dir"][1] > 0.99:
        return True
    x0, _, x1, _ = line["bbox"]
    length = sum(len(span["chars"]) for span in line["spans"])
    return line["dir"][0] > 0.99 and length <= MAX_UPRIGHT_CHARACTERS and x1 - x0 <= MAX_UPRIGHT_WIDTH * _size(line)


def _is_wide(line: _Line) -> bool:
    """Whether a line is one character of a script that is set in columns, or runs downward in it."""
    first = line["spans"][0]["chars"][:1]
    if not first or first[0]["c"] < FIRST_WIDE or unicodedata.east_asian_width(first[0]["c"]) not in ("W", "F"):
        return False
    return line["dir"][1] > 0.99 or sum(len(span["chars"]) for span in line["spans"]) == 1


def _is_beside(run: Sequence[_Line], columns: Sequence[_Edges]) -> bool:
    """Whether a short run stands beside a column, as the last words of a paragraph do."""
    x0, y0, x1, y1 = _around(line["bbox"] for line in run)
    reach = MAX_COLUMN_GAP * _size(run[0])
    return any(
        max(x0 - right, left - x1) <= reach and min(y1, bottom) > max(y0, top) for left, top, right, bottom in columns
    )


def _joined(run: Sequence[_Line]) -> _Line:
    spans: list[dict[str, Any]] = []
    for span in (span for line in run for span in line["spans"]):
        for char in span["chars"]:
            if PRESENTATION_FORMS.match(char["c"]):
                char["c"] = unicodedata.normalize("NFKC", char["c"])
        if spans and all(spans[-1][key] == span[key] for key in ("font", "size", "color", "flags", "char_flags")):
            spans[-1]["chars"] = [*spans[-1]["chars"], *span["chars"]]
            spans[-1]["bbox"] = _around([spans[-1]["bbox"], span["bbox"]])
        else:
            spans.append(dict(span))
    return {**run[0], "dir": DOWNWARD_DIRECTION, "bbox": _around(line["bbox"] for line in run), "spans": spans}


def _size(line: _Line) -> float:
    return line["spans"][0]["size"]


def _around(boxes: Iterable[Sequence[float]]) -> _Edges:
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return min(x0), min(y0), max(x1), max(y1)
