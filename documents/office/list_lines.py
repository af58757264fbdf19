"""Joins the lines of a list to one text, with the marker and the place of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from documents.boxes import BoundingBox
from documents.office.paragraph_text import Words
from documents.places import Place
from documents.region_values import ListItem, Span
from documents.text.placed_text import concatenated


@dataclass(frozen=True, slots=True)
class ListLine:
    """An item of a list, or a line between items, which has no marker."""

    words: Words
    marker: str
    level: int
    place: Place


def joined_lines(lines: Sequence[ListLine], box: BoundingBox) -> tuple[Words, tuple[ListItem, ...], tuple[Span, ...]]:
    """The text of all lines, its items, and where each line stands in it."""
    texts: list[Words] = []
    items: list[ListItem] = []
    spans: list[Span] = []
    start = 0
    for number, line in enumerate(lines):
        words = line.words.after(f"{line.marker} ") if line.marker else line.words
        end = start + len(words.text)
        if line.marker:
            items.append(ListItem(line=number, marker=line.marker, level=line.level, box=box))
        spans.append(
            Span(text=words.text, box=box, source="text_layer", text_start=start, text_end=end, place=line.place)
        )
        texts.append(words)
        start = end + 1
    return concatenated(texts, "\n"), tuple(items), tuple(spans)
