"""Where the text of a block is printed: page and box of every printed line that it was made of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from documents.exports.flow import Block, BlockPart
from documents.text.placed_text import aligned
from documents.values import BoundingBox, Region


class Printed(NamedTuple):
    """`text[start:end]` of a block stands in `box` of `page`; neither begins nor ends with a space."""

    page: int  # counts from 1
    box: BoundingBox
    start: int
    end: int


def printed(block: Block) -> list[Printed]:
    """The printed lines of a block that has no table, in the order of its text; between them are only spaces.

    A word that is broken over two lines stands in both. Where a region was read as a whole, lines have its box, and so
    has what stands before its first line.
    """
    begins = [begin for part in block.parts for begin in _begins(block, part)]
    ends = [*(start for start, _, _ in begins[1:]), len(block.text)][: len(begins)]
    return [
        Printed(page, box, start, start + len(block.text[start:end].rstrip()))
        for (start, page, box), end in zip(begins, ends, strict=True)
    ]


def _begins(block: Block, part: BlockPart) -> list[tuple[int, int, BoundingBox]]:
    """Where the lines of a part begin in the block's text, ascending, with page and box; none begins with a space."""
    begins: dict[int, BoundingBox] = {}
    for start, end, box in _lines(part.region):
        first, last = (min(max(offset + part.shift, part.start), part.end) for offset in (start, end))
        if text := block.text[first:last].lstrip():
            begins.setdefault(last - len(text), box)
    first = min(begins, default=part.end)
    if text := block.text[part.start : first].lstrip():
        begins[first - len(text)] = part.region.box
    return [(start, part.page, begins[start]) for start in sorted(begins)]


def _lines(region: Region) -> Iterator[tuple[int, int, BoundingBox]]:
    """The lines of a region by their offsets: recorded, else counted off, else lines of its text in its own box."""
    recorded = [(span.text_start, span.text_end, span.box) for span in region.spans]
    if recorded and not any(start is None for start, _, _ in recorded):
        yield from ((start, end, box) for start, end, box in recorded if start is not None and end is not None)
        return
    places = aligned([span.text for span in region.spans], region.text)
    if places:
        yield from ((place.start, place.end, region.spans[place.line].box) for place in places)
        return
    start = 0
    for line in region.text.split("\n"):
        yield start, start + len(line), region.box
        start += len(line) + 1
