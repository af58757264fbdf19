"""Makes the text of each region from its printed or read lines: running text or a formula."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from documents.boxes import BoundingBox
from documents.draft.page_draft import PageDraft, RegionDraft
from documents.draft.rule import NoThresholds
from documents.formulas.display_latex import display_latex
from documents.inspection import TextLine
from documents.region_values import (
    Link,
    Region,
    Script,
    Span,
    Table,
    TableRegion,
    TextRegion,
    TextSource,
    UnreadableLine,
    as_kind,
    region_of,
    table_in,
)
from documents.regions.reclassify import placing
from documents.rotated_boxes import unrotate
from documents.tables.written.table_markup import plain
from documents.tables.written.tables_from_ocr import is_written
from documents.text.latex import written_latex
from documents.text.list_markers import Lead, list_items
from documents.text.placed_text import STRIKE_MARK, Place, PlacedText, concatenated
from documents.text.printed_rows import PrintedLine, Row, printed_rows
from documents.text.program_text import LINE_NUMBER, program_text
from documents.text.running_text import RunningText, TextLimits, normal, rows_as_lines, running_text
from documents.text.typography import level_text, marks_of, placed_text
from documents.values import Reading

NOTE_SYMBOLS = frozenset("*†‡§¶") | {"**", "††", "‡‡"}
NOTE_SEPARATORS = re.compile("[,; –]")
# a lone letter, a digit or a bracket before an exponent
EXPONENT_BASE = re.compile(r"(?:^|[\W\d_])[^\W\d_]$|[\d)\]}]$")


def make_regions(page: PageDraft) -> PageDraft:
    """Each draft as a region with its lines, one below the other as they came."""
    return replace(
        page,
        regions={
            d.index: _plain_region(d, page.readings.get(d.index), page.crop_sizes.get(d.index)) for d in page.drafts
        },
    )


def _plain_region(draft: RegionDraft, reading: Reading | None, crop_size: tuple[int, int] | None) -> Region:
    spans = tuple(span_of(line) for line in draft.lines) if reading is None else _read_spans(draft, reading, crop_size)
    text = text_of_spans(spans) if spans or reading is None else PlacedText(reading.text).normal()
    return region_of(
        kind=draft.kind,
        box=draft.box,
        score=draft.score,
        spans=spans,
        text=text.text,
        struck=text.struck,
        text_source=draft.text_source,
        reader=reading.reader or None if reading else None,
        reason=draft.reason,
        origin=draft.origin,
        rules=draft.rules,
        confidence=reading.confidence if reading else None,
        unreadable=_unreadable(draft, reading, crop_size) if reading else (),
        angle=draft.angle,
        heading=draft.heading,
        furniture=draft.furniture,
    )


def set_running_text(page: PageDraft, limits: TextLimits) -> PageDraft:
    typed, notes = _is_typed(page.drafts), _note_marks(page)
    regions = {
        draft.index: _with_running_text(
            page, draft, page.regions[draft.index], page.readings.get(draft.index), notes, typed=typed, limits=limits
        )
        for draft in page.drafts
    }
    return replace(page, regions=regions)


def _with_running_text(
    page: PageDraft,
    draft: RegionDraft,
    region: Region,
    reading: Reading | None,
    notes: frozenset[str],
    *,
    typed: bool,
    limits: TextLimits,
) -> Region:
    """The region with its lines joined; `notes`: raised marks of notes; `typed`: all is set as typewriters set it.

    A table with cells, whose text these are, has its links and the order of its lines from them.
    """
    printed = _printed(draft, region, reading)
    monospaced = any(line.monospaced for line in printed) and all(
        line.monospaced or LINE_NUMBER.fullmatch(line.text) for line in printed
    )
    code = monospaced and not typed and draft.kind == "plain text"
    rows = printed_rows(printed, draft.angle, limits.rows)
    text, leads, places = program_text(rows, limits) if code else _text(draft, rows, page.words, monospaced, limits)
    if reading is not None and not reading.lines:
        text = normal(reading.text)
        leads = (None,) * len(text.split("\n"))
    placed = PlacedText(text, places if reading is None else tuple(_marks_read(draft.layer_lines, text)))
    table = table_in(region)
    if table is not None:
        region = region.model_copy(update={"links": () if code else placed.links})
        return with_table(region, table, [region.spans[place.line] for place in places if not place.mark])
    items = list_items(zip(text.split("\n"), leads, strict=False), draft.box)
    update = {
        "spans": tuple(region.spans[place.line].placed(place.start, place.end) for place in places if not place.mark),
        "text": text,
        "links": () if code else placed.links,
        "struck": placed.struck,
        "scripts": () if code else _scripts(placed, notes),
    }
    if isinstance(region, TextRegion):
        update |= {"code": code, "items": tuple(items) if leads else ()}
    return region.model_copy(update=update)


def with_table(region: Region, table: Table, spans: Sequence[Span], box: BoundingBox | None = None) -> Region:
    """The region as a table; neither its spans nor its links have a place in its text, which is that of the cells."""
    return as_kind(
        region,
        "table",
        box=box or region.box,
        table=table,
        text=plain(table),
        struck=(),
        scripts=(),
        spans=tuple(span.placed(None, None) for span in spans),
        links=tuple(Link(text=link.text, uri=link.uri) for link in region.links),
    )


def placed_lines(draft: RegionDraft) -> dict[str, Any]:
    """The fields of a region that has the lines of a draft, one below the other, where the draft stands."""
    spans = tuple(span_of(line, draft.text_source) for line in draft.lines)
    text = text_of_spans(spans)
    place = {"box": draft.box, "angle": draft.angle, "origin": draft.origin}
    return {**place, "spans": spans, "text": text.text, "struck": text.struck}


def _note_marks(page: PageDraft) -> frozenset[str]:
    """The raised marks with which regions of the page begin, as notes do."""
    words = (line.words[0] for draft in page.drafts for line in draft.lines if line.words)
    return frozenset(word.text for word in words if word.rise == "super") | NOTE_SYMBOLS


def _scripts(placed: PlacedText, notes: frozenset[str]) -> tuple[Script, ...]:
    """What is raised or lowered in a text; what notes of the page begin with, behind a word, is the mark of one."""
    return tuple(
        script.model_copy(update={"is_note": script.rise == "super" and _is_note(placed.text, script, notes)})
        for script in placed.scripts
    )


def _is_note(text: str, script: Script, notes: frozenset[str]) -> bool:
    marks = NOTE_SEPARATORS.split(level_text(text[script.start : script.end]))
    base = EXPONENT_BASE.search(text[: script.start][-2:])
    return notes.issuperset(mark for mark in marks if mark) and base is None


def _marks_read(lines: Sequence[TextLine], text: str) -> Iterator[Place]:
    """What is linked and struck out in a text layer that OCR read again: the next words of `text` that read so."""
    ends: dict[bool, int] = {}  # of the last link, and of what was struck out last
    for placed in (placed_text(line.words) for line in lines):
        for place in placed.places:
            words, is_strike = placed.text[place.start : place.end], place.mark == STRIKE_MARK
            start = text.find(words, ends.get(is_strike, 0))
            if start >= 0:
                ends[is_strike] = start + len(words)
                yield Place(0, start, start + len(words), place.mark)


def _printed(draft: RegionDraft, region: Region, reading: Reading | None) -> list[PrintedLine]:
    if reading is None:
        return [
            PrintedLine(
                text=line.text,
                box=line.box,
                monospaced=line.monospaced,
                lead=_lead(line),
                marks=marks_of(line.words, line.text),
                words=line.words if _may_be_code(line) else (),
            )
            for line in draft.lines
        ]
    spans = region.spans
    leads = [_lead(line) for line in draft.lines] if len(draft.lines) == len(spans) else [None] * len(spans)
    return [PrintedLine(span.text, span.box, lead=lead) for span, lead in zip(spans, leads, strict=True)]


def _may_be_code(line: TextLine) -> bool:
    """Whether a line is set as programs are, or is the number of one of their lines."""
    return line.monospaced or LINE_NUMBER.fullmatch(line.text) is not None


def _is_typed(drafts: Sequence[RegionDraft]) -> bool:
    """Whether the page is set as typewriters set it, so that its type tells nothing of programs."""
    lines = [line for draft in drafts for line in draft.lines]
    return 2 * sum(len(line.text) for line in lines if line.monospaced) > sum(len(line.text) for line in lines)


def set_formulas(page: PageDraft, _: NoThresholds) -> PageDraft:
    """Formulas have the LaTeX that their glyphs show, or that OCR wrote."""
    regions = dict(page.regions)
    for draft in page.drafts:
        reading = page.readings.get(draft.index)
        region = regions[draft.index]
        if isinstance(region, TableRegion) and (region.table is not None or draft.lines):
            continue
        if isinstance(region, TextRegion) and region.code:
            continue
        if reading is not None:
            latex = None if is_written(reading.text) else written_latex(reading.text)
        elif draft.kind == "isolate_formula":
            latex = display_latex(draft.lines, page.inspection.bars)
        else:
            continue
        if latex is not None and not region.struck:
            regions[draft.index] = as_kind(regions[draft.index], "isolate_formula", latex=latex)
    return replace(page, regions=regions)


def _text(
    draft: RegionDraft, rows: list[Row], words: frozenset[str], monospaced: bool, limits: TextLimits
) -> RunningText:
    if draft.kind == "table" or (monospaced and len(rows) > 1):
        return rows_as_lines(rows)
    starts = frozenset(draft.begins)
    begins = {k for k, row in enumerate(rows) if any(place.line in starts for place in row.places)}
    return running_text(rows, words, begins, items=draft.role == "list_item", limits=limits)


def _lead(line: TextLine) -> Lead | None:
    if not line.words:
        return None
    boxes = [unrotate(word.box, line.angle) for word in line.words[:2]]
    return Lead(line.words[0].box, boxes[1].x0 - boxes[0].x1 if len(boxes) == 2 else 0.0)


def span_of(line: TextLine, source: TextSource = "text_layer") -> Span:
    """The line as a region reports it; the type size of OCR's lines is too rough to be reported."""
    if source == "ocr":
        return Span(text=line.text, box=line.box, source="ocr")
    placed = PlacedText(line.text, marks_of(line.words, line.text))
    return Span(
        text=line.text,
        box=line.box,
        source="text_layer",
        font_size=line.font_size,
        bold=line.bold,
        colour=line.colour,
        struck=placed.struck,
        scripts=placed.scripts,
    )


def text_of_spans(spans: Sequence[Span]) -> PlacedText:
    """The lines one below the other, with what is struck out of them."""
    return concatenated((PlacedText.with_struck(span.text, span.struck) for span in spans), "\n").normal()


def _read_spans(draft: RegionDraft, reading: Reading, crop_size: tuple[int, int] | None) -> tuple[Span, ...]:
    place, _ = placing(draft, crop_size)
    return tuple(
        Span(
            text=line.text,
            box=place(line.box),
            source="ocr",
            confidence=line.confidence,
            word_confidences=line.word_confidences,
            reader=line.reader or None,
        )
        for line in reading.lines
        if line.text.strip()
    )


def _unreadable(draft: RegionDraft, reading: Reading, crop_size: tuple[int, int] | None) -> tuple[UnreadableLine, ...]:
    place, _ = placing(draft, crop_size)
    return tuple(
        UnreadableLine(guess=line.text, box=place(line.box), confidence=line.confidence) for line in reading.unreadable
    )
