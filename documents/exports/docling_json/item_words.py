"""A part of a region's text for an item of docling: where it is in that text, and what is struck out of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from documents.region_values import Region, TextRange
from documents.text.placed_text import struck_ranges


class Words(NamedTuple):
    """The text from the character `start` of its region on."""

    text: str
    struck: Sequence[TextRange]
    start: int = 0

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    def from_character(self, start: int, end: int | None = None) -> Words:
        text = self.text[start:end]
        struck = struck_ranges(text, ((words.start - start, words.end - start) for words in self.struck))
        return Words(text, struck, self.start + start)


def words_of(region: Region) -> Words:
    """All of the region's text."""
    return Words(region.text, region.struck)


def parts_of(region: Region, between: str) -> Iterator[Words]:
    """The text of a region, parted at `between`."""
    words, start = words_of(region), 0
    for text in region.text.split(between):
        yield words.from_character(start, start + len(text))
        start += len(text) + len(between)
