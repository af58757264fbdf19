"""Parses a table that a model wrote as OTSL (one token per cell, `<nl>` per row), as HTML.

The tokens are those of https://arxiv.org/abs/2305.03393 and of DocTags: full and empty cells, headers, and cells that
go on from the left, from above, or from both.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

CELL = re.compile(r"<(fcel|ecel|ched|rhed|srow|lcel|ucel|xcel|nl)>([^<]*)")
NON_CELL_TAG = re.compile(r"<caption>.*?</caption>|</?otsl>|<loc_\d+>", re.DOTALL)
LEFT_CELL = "lcel"
UPPER_CELL = "ucel"
CROSS_CELL = "xcel"
CONTINUATION_CELLS = frozenset({LEFT_CELL, UPPER_CELL, CROSS_CELL})


@dataclass(frozen=True, slots=True)
class _Cell:
    kind: str
    text: str


def html_of_otsl(text: str) -> str | None:
    """One `table` element; None where rows differ in length, a cell goes on from nowhere, or other markup is there."""
    text = NON_CELL_TAG.sub("", text).strip()
    if CELL.sub("", text).strip() or not text:
        return None
    rows: list[list[_Cell]] = [[]]
    for kind, content in CELL.findall(text):
        if kind == "nl":
            if content.strip():
                return None
            rows.append([])
        else:
            rows[-1].append(_Cell(kind, html.unescape(content).strip()))
    rows = [row for row in rows if row]
    if not rows or any(len(row) != len(rows[0]) for row in rows) or not _continues(rows):
        return None
    return "<table>" + "".join(_row(rows, index) for index in range(len(rows))) + "</table>"


def _continues(rows: list[list[_Cell]]) -> bool:
    """Whether each cell that goes on has the cell that it goes on from, and merged cells are rectangles."""
    begins: dict[tuple[int, int], tuple[int, int]] = {}  # of each place: where its cell begins
    for index, row in enumerate(rows):
        for column, cell in enumerate(row):
            if cell.kind not in CONTINUATION_CELLS:
                begins[index, column] = (index, column)
                continue
            left, above = begins.get((index, column - 1)), begins.get((index - 1, column))
            source = above if cell.kind == UPPER_CELL else left
            if source is None or (cell.kind == CROSS_CELL and left != above):
                return False
            begins[index, column] = source
    for first in set(begins.values()):
        places = [place for place, begin in begins.items() if begin == first]
        height = max(index for index, _ in places) - first[0] + 1
        width = max(column for _, column in places) - first[1] + 1
        if len(places) != height * width:
            return False
    return True


def _row(rows: list[list[_Cell]], at: int) -> str:
    """As `tr`; a row is of headers where all cells that begin in it are."""
    row = rows[at]
    own = [cell for cell in row if cell.kind not in CONTINUATION_CELLS]
    tag = "th" if own and all(cell.kind == "ched" for cell in own) else "td"
    cells: list[str] = []
    for column, cell in enumerate(row):
        if cell.kind in CONTINUATION_CELLS:
            continue
        width = _run([cell.kind in (LEFT_CELL, CROSS_CELL) for cell in row[column + 1 :]])
        height = _run([rows[below][column].kind in (UPPER_CELL, CROSS_CELL) for below in range(at + 1, len(rows))])
        spans = f' rowspan="{height}"' if height > 1 else ""
        spans += f' colspan="{width}"' if width > 1 else ""
        cells.append(f"<{tag}{spans}>{html.escape(cell.text, quote=False)}</{tag}>")
    return "<tr>" + "".join(cells) + "</tr>"


def _run(goes_on: list[bool]) -> int:
    """One, and one more for each that goes on without a gap."""
    return 1 + (goes_on.index(False) if False in goes_on else len(goes_on))
