"""Puts `[?]` behind digits that nothing proves, in every text that is delivered; JSON has their places instead."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Any, TypeVar

from documents.region_values import FormulaRegion, Link, Region, TableCell, TextRange, TextRegion, table_in
from documents.tables.written.table_markup import plain
from documents.text.digit_strings import MARK, marked_text
from documents.values import Document

Part = TypeVar("Part", bound=TextRange)


def with_marks(document: Document) -> Document:
    """The document, whose texts have the marks and all places within them are moved."""
    pages = tuple(
        page.model_copy(update={"regions": tuple(map(marked_region, page.regions))}) for page in document.pages
    )
    return document.model_copy(update={"pages": pages})


def marked_region(region: Region) -> Region:
    """The region with its marks, of which it has no places any more; as it is where all is proved."""
    table = table_in(region)
    if table is not None:
        if not any(cell.unproved for cell in table.cells):
            return region
        table = table.model_copy(update={"cells": tuple(map(_marked_cell, table.cells))})
        return region.model_copy(update={"table": table, "text": plain(table)})
    if not region.unproved:
        return region
    unproved = _behind_markers(region)
    moves = _Moves(unproved)
    update = _text_and_ranges(region, unproved)
    update |= {
        "links": tuple(_moved_link(link, update["text"], moves) for link in region.links),
        "scripts": moves.ranges(region.scripts),
        "spans": tuple(
            span
            if span.text_start is None or span.text_end is None
            else span.placed(moves.start(span.text_start), moves.end(span.text_end))
            for span in region.spans
        ),
    }
    if isinstance(region, FormulaRegion) and region.latex is not None:
        update["latex"] = f"{region.latex} {MARK}"
    return region.model_copy(update=update)


def _marked_cell(cell: TableCell) -> TableCell:
    return cell.model_copy(update=_text_and_ranges(cell, cell.unproved)) if cell.unproved else cell


def _text_and_ranges(part: Region | TableCell, unproved: Sequence[TextRange]) -> dict[str, Any]:
    moves = _Moves(unproved)
    return {
        "text": marked_text(part.text, unproved),
        "unproved": (),
        "struck": moves.ranges(part.struck),
        "formulas": moves.ranges(part.formulas),
    }


def _moved_link(link: Link, text: str, moves: _Moves) -> Link:
    if link.start is None or link.end is None:
        return link
    start, end = moves.start(link.start), moves.end(link.end)
    return link.model_copy(update={"text": text[start:end], "start": start, "end": end})


def _behind_markers(region: Region) -> Sequence[TextRange]:
    """What is marked; in the number of a list's item the mark stands behind the whole: `12.[?]`."""
    if not isinstance(region, TextRegion) or not region.items:
        return region.unproved
    starts = [0]
    for line in region.text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    ends = {starts[item.line]: starts[item.line] + len(item.marker) for item in region.items}
    begins = sorted(ends)
    marked: dict[int, TextRange] = {}  # by their ends
    for digits in region.unproved:
        k = bisect_right(begins, digits.start) - 1
        end = max(digits.end, ends[begins[k]]) if k >= 0 and digits.start < ends[begins[k]] else digits.end
        marked.setdefault(end, TextRange(start=digits.start, end=end))
    return list(marked.values())


class _Moves:
    """Where offsets lie once the marks are in; a range that a mark follows ends before it."""

    def __init__(self, unproved: Sequence[TextRange]) -> None:
        self._ends = [digits.end for digits in unproved]

    def start(self, offset: int) -> int:
        return offset + len(MARK) * bisect_right(self._ends, offset)

    def end(self, offset: int) -> int:
        return offset + len(MARK) * bisect_left(self._ends, offset)

    def ranges(self, ranges: Sequence[Part]) -> tuple[Part, ...]:
        return tuple(
            one.model_copy(update={"start": self.start(one.start), "end": self.end(one.end)}) for one in ranges
        )
