"""The printed lines of a document with their places, in which extracted values are searched."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from documents.boxes import BoundingBox, Value
from documents.places import Place
from documents.region_values import Region, Span, TextRange, table_in
from documents.text.digit_strings import counted, ranges_of
from documents.values import FormField, Page

MAX_FIELD_CHECKS = 1_000_000  # maximum number of lines times fields of a page; on a page with more, no line is named
_PLACE_IN_LIST = re.compile(r"\[\d+\]")


class PrintedLine(Value):
    """A line, or a cell of a table, as it is printed on page `page`."""

    page: int
    text: str
    box: BoundingBox
    confidence: float | None = None  # of OCR; None: of the text layer
    word_confidences: tuple[float, ...] = ()
    place: Place | None = None  # in a file without printed pages
    order: int = 0  # among all lines of the document
    names: tuple[str, ...] = ()  # of the field of a form that it is written in
    unproved: tuple[TextRange, ...] = ()  # digits that OCR read and no further look confirmed

    def place_of(self, start: int, end: int) -> Place | None:
        """Of the characters from `start` to `end`, as exactly as its kind of file tells them."""
        return None if self.place is None else self.place.characters(start, end)

    def box_of(self, start: int, end: int) -> BoundingBox:
        """Of the characters from `start` to `end`, by their share of the line: how wide each is, nobody kept."""
        length = max(1, len(self.text))
        left = self.box.x0 + self.box.width * start / length
        right = self.box.x0 + self.box.width * end / length
        return BoundingBox(x0=left, y0=self.box.y0, x1=right, y1=self.box.y1)

    def is_unproved(self, start: int, end: int) -> bool:
        """Whether any digits from `start` to `end` are."""
        return any(digits.start < end and digits.end > start for digits in self.unproved)

    def confidence_of(self, start: int, end: int) -> float:
        """The least of OCR's for the words from `start` to `end`; 1.0 for a text layer."""
        if self.word_confidences and len(self.word_confidences) == len(self.text.split()):
            first = len(self.text[:start].split(" ")) - 1
            count = len(self.text[start:end].split())
            words = self.word_confidences[first : first + max(1, count)]
            if words:
                return min(words)
        return 1.0 if self.confidence is None else self.confidence


def printed_lines(pages: Iterable[Page]) -> list[PrintedLine]:
    """All lines of the pages in reading order, those of running heads, too; a table's are its cells."""
    lines = (line for page in pages for line in _named(page))
    return [line.model_copy(update={"order": order}) for order, line in enumerate(lines)]


def names_of(field: FormField) -> tuple[str, ...]:
    """What a field may be called: its own name, without those of the groups that it is in, and its label."""
    own = _PLACE_IN_LIST.sub("", field.name).rpartition(".")[2]
    return tuple(name for name in (own, field.label) if name)


def _named(page: Page) -> Iterator[PrintedLine]:
    """The lines of a page, those in the fields of a form with the names of these."""
    lines = [line for region in page.regions for line in _lines(page.number, region)]
    fields = page.fields if len(lines) * len(page.fields) <= MAX_FIELD_CHECKS else ()
    for line in lines:
        yield line.model_copy(update={"names": _names_at(line.box, fields)}) if fields else line


def _names_at(box: BoundingBox, fields: Sequence[FormField]) -> tuple[str, ...]:
    field = next((field for field in fields if field.box.contains(*box.center)), None)
    return () if field is None else names_of(field)


def _lines(page: int, region: Region) -> Iterator[PrintedLine]:
    table = table_in(region)
    if table is not None:
        for cell in table.cells:
            if cell.text.strip():
                place = region.place and region.place.cell(cell.row, cell.column, cell.num_rows, cell.num_columns)
                yield PrintedLine(
                    page=page,
                    text=cell.text,
                    box=cell.box,
                    confidence=region.confidence,
                    place=place,
                    unproved=cell.unproved,
                )
        return
    if not region.spans and region.text.strip():
        yield PrintedLine(
            page=page,
            text=region.text,
            box=region.box,
            confidence=region.confidence,
            place=region.place,
            unproved=region.unproved,
        )
    for span in region.spans:
        if span.text.strip():
            yield PrintedLine(
                page=page,
                text=span.text,
                box=span.box,
                confidence=span.confidence if span.source == "ocr" else None,
                word_confidences=span.word_confidences,
                place=span.place,
                unproved=_unproved_in(span, region),
            )


def _unproved_in(span: Span, region: Region) -> tuple[TextRange, ...]:
    """Where digits of a line stand that are unproved in its part of the region's text."""
    if not region.unproved:
        return ()
    start = span.text_start or 0
    end = len(region.text) if span.text_end is None else span.text_end
    within = (digits for digits in region.unproved if start <= digits.start < end)
    return ranges_of(span.text, counted(region.text[digits.start : digits.end] for digits in within))
