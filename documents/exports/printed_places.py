"""Finds page and box of every line of a text block, for chunks and citations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from documents.boxes import NO_BOX, BoundingBox
from documents.exports.text_blocks import Block, BlockPart
from documents.places import Place
from documents.region_values import Region
from documents.text.placed_text import aligned


class Printed(NamedTuple):
    """`text[start:end]` of a block stands in `box` of `page`; neither begins nor ends with a space.

    In a file without printed pages it stands at `place`, and has a box only on slides.
    """

    page: int  # counts from 1
    box: BoundingBox | None
    start: int
    end: int
    place: Place | None = None


class _Standing(NamedTuple):
    """Where a line stands."""

    box: BoundingBox
    place: Place | None


def printed(block: Block) -> list[Printed]:
    """The printed lines of a block that has no table, in the order of its text; between them are only spaces.

    A word that is broken over two lines stands in both. Where a region was read as a whole, lines have its box, and so
    has what stands before its first line.
    """
    begins = [begin for part in block.parts for begin in _begins(block, part)]
    ends = [*(start for start, _, _ in begins[1:]), len(block.text)][: len(begins)]
    return [
        _printed(page, at, start, start + len(block.text[start:end].rstrip()))
        for (start, page, at), end in zip(begins, ends, strict=True)
    ]


def _printed(page: int, at: _Standing, start: int, end: int) -> Printed:
    box = None if at.place is not None and at.box == NO_BOX else at.box
    return Printed(page, box, start, end, at.place)


def _begins(block: Block, part: BlockPart) -> list[tuple[int, int, _Standing]]:
    """Where the lines of a part begin in the block's text, ascending, with the page; none begins with a space."""
    begins: dict[int, _Standing] = {}
    for start, end, at in _lines(part.region):
        first, last = (min(max(offset + part.shift, part.start), part.end) for offset in (start, end))
        if text := block.text[first:last].lstrip():
            begins.setdefault(last - len(text), at)
    first = min(begins, default=part.end)
    if text := block.text[part.start : first].lstrip():
        begins[first - len(text)] = _Standing(part.region.box, part.region.place)
    return [(start, part.page, begins[start]) for start in sorted(begins)]


def _lines(region: Region) -> Iterator[tuple[int, int, _Standing]]:
    """The lines of a region by their offsets: recorded, else counted off, else lines of its text in its own box."""
    recorded = [(span.text_start, span.text_end, _Standing(span.box, span.place)) for span in region.spans]
    if recorded and not any(start is None for start, _, _ in recorded):
        yield from ((start, end, at) for start, end, at in recorded if start is not None and end is not None)
        return
    places = aligned([span.text for span in region.spans], region.text)
    if places:
        yield from ((place.start, place.end, _of(region, place.line)) for place in places)
        return
    start = 0
    for line in region.text.split("\n"):
        place = None if region.place is None else region.place.characters(start, start + len(line))
        yield start, start + len(line), _Standing(region.box, place)
        start += len(line) + 1


def _of(region: Region, line: int) -> _Standing:
    span = region.spans[line]
    return _Standing(span.box, span.place)
