"""Finds the words that comments mark on a page whose text OCR read."""

from __future__ import annotations

from collections.abc import Sequence

from documents.inspection import TextLine, Word
from documents.pdf.marked_words import MarkedWords
from documents.region_values import Region, Span
from documents.values import Annotation


def with_marked_words(annotations: Sequence[Annotation], regions: Sequence[Region]) -> tuple[Annotation, ...]:
    """The comments; a mark without words, where the page has no text layer, with those of the lines that were read."""
    if all(annotation.words or not annotation.parts for annotation in annotations):
        return tuple(annotations)
    marked = MarkedWords(
        [_line(span, region.angle) for region in regions for span in region.spans if span.text.strip()]
    )
    return tuple(
        annotation
        if annotation.words or not annotation.parts
        else annotation.model_copy(update={"words": marked.under(annotation.parts)})
        for annotation in annotations
    )


def _line(span: Span, angle: int) -> TextLine:
    """A line whose words are as wide as their share of its characters."""
    words: list[Word] = []
    pitch = span.box.width / len(span.text)
    start = 0
    for text in span.text.split():
        start = span.text.index(text, start)
        left = span.box.x0 + pitch * start
        start += len(text)
        box = span.box if angle % 180 else span.box.model_copy(update={"x0": left, "x1": left + pitch * len(text)})
        words.append(Word(text=text, box=box, font_size=1))
    return TextLine(text=span.text, box=span.box, font_size=1, angle=angle, words=tuple(words))
