"""What docling has no field for: OCR's confidence of an item, and its place in a file without printed pages.

docling-core prints every field of an item's own `meta` into its Markdown, HTML and text. So these facts are in the
`meta` of the node `furniture`, which no export of docling-core visits, by the references of their items.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from documents.ocr_input.word_confidence import line_confidence
from documents.places import Place, place_fields
from documents.region_values import FigureRegion, Region, Span

NAME = "pagemill__items"


class RegionFacts:
    """The facts of the items that hold parts of one region's text; an item takes time in line with its own lines.

    `confidence` is the mean over the words that OCR read, long ones weigh more, `min_word_confidence` that of the least
    sure one. Text from a text layer has neither, and of a mixed text only the words of OCR count. Where the place of a
    line in the text is not known, every item has the confidence of the whole region.
    """

    def __init__(self, region: Region) -> None:
        self._region = region
        lines = [_Line(*place, words_in(span), span.place) for span in region.spans if (place := _place_of(span))]
        self._lines = sorted(lines, key=lambda line: line[:2])
        self._starts = [line.start for line in self._lines]
        self._ends = [line.end for line in self._lines]
        self._whole: dict[str, float] | None = None  # the same for every item
        if isinstance(region, FigureRegion):  # its words are in no item
            self._whole = {}
        elif len(lines) < len(region.spans):
            self._whole = _confidences([word for span in region.spans for word in words_in(span)])
        elif not lines and region.confidence is not None:
            self._whole = {"confidence": region.confidence}

    def within(self, start: int, end: int) -> dict[str, Any]:
        """Of the item that holds `text[start:end]` of the region; empty if there are none."""
        lines = self._lines[bisect_right(self._ends, start) : bisect_left(self._starts, end)]
        facts: dict[str, Any] = dict(self._whole or {})
        if self._whole is None:
            facts |= _confidences([word for line in lines for word in line.words])
        place = (lines[0].place if lines else None) or self._region.place
        if place is not None:
            facts["place"] = place_fields(place)
        return facts


class _Line(NamedTuple):
    """`text[start:end]` of a region."""

    start: int
    end: int
    words: Sequence[tuple[str, float]]  # that OCR read
    place: Place | None


def meta_of(facts: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The `meta` of the node that holds the facts of all items; empty if there are none."""
    return {"meta": {NAME: facts}} if facts else {}


def facts_in(document: Mapping[str, Any]) -> Mapping[str, dict[str, Any]]:
    """The facts by the references of their items, of a document as `docling_document` writes it."""
    return document["furniture"].get("meta", {}).get(NAME, {})


def words_in(span: Span) -> list[tuple[str, float]]:
    """The words of a line with their confidences; a line of a text layer has none."""
    words = span.text.split()
    if len(words) == len(span.word_confidences):
        return list(zip(words, span.word_confidences, strict=True))
    return [] if span.confidence is None else [(word, span.confidence) for word in words]


def _place_of(span: Span) -> tuple[int, int] | None:
    return None if span.text_start is None or span.text_end is None else (span.text_start, span.text_end)


def _confidences(words: Sequence[tuple[str, float]]) -> dict[str, float]:
    if not words:
        return {}
    return {"confidence": line_confidence(words), "min_word_confidence": min(sure for _, sure in words)}
