"""A page as facts: its drafts and what was read, in reading order, with warnings for all that a person should doubt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from documents.inspection import Inspection, TextLine
from documents.rotation import rotate_back, unrotate
from documents.structure.draft import RegionDraft
from documents.structure.hidden_text_warnings import hidden_text_warnings
from documents.structure.page_order import Arrangement, arrange
from documents.tables.build import table_of
from documents.tables.markup import plain
from documents.tables.written import NOT_PARSED, is_written, written_table
from documents.text.formulas import latex_of
from documents.text.latex import written_latex
from documents.text.list_markers import Lead, list_items
from documents.text.running_text import (
    PrintedLine,
    Row,
    RunningText,
    indented,
    normal,
    printed_rows,
    running_text,
    vocabulary,
)
from documents.text.typography import links_in
from documents.values import BoundingBox, Page, PageWarning, Reading, Region, Span, Table

LOW_CONFIDENCE = 0.85  # of OCR: below, a person should look; scripts it has never learnt come out at 0.5 to 0.85
REJECTED = ("characters without a meaning", "implausible letters", "ink without text")


def compose_page(
    inspection: Inspection,
    drafts: Sequence[RegionDraft],
    readings: Mapping[int, Reading],
    crop_sizes: Mapping[int, tuple[int, int]],
    warnings: Sequence[PageWarning] = (),
    *,
    low_confidence: float = LOW_CONFIDENCE,
) -> Page:
    """The page; `readings` and `crop_sizes` (width, height in pixels) are of the drafts that OCR read, by index.

    A region that was read with less than `low_confidence` gets a warning. A crop is the draft's `crop_box`, turned back
    by its `angle`, as `RendererPool.picture` draws it.
    """
    words = vocabulary(line.text for line in inspection.lines if line.hidden is None)
    typed = _is_typed([line for draft in drafts for line in draft.lines])
    regions = {
        draft.index: _structured(
            inspection,
            draft,
            _region(draft, readings.get(draft.index), crop_sizes.get(draft.index), words, typed),
            readings.get(draft.index),
            words,
        )
        for draft in drafts
    }
    ordered = _placed(regions, arrange(inspection, drafts, regions))
    return Page(
        number=inspection.number,
        size=(inspection.width, inspection.height),
        rotation=inspection.rotation,
        regions=ordered,
        warnings=(
            *inspection.warnings,
            *warnings,
            *_unparsed(inspection.number, drafts, regions, readings),
            *_warnings(inspection, ordered, readings, low_confidence),
        ),
    )


def _region(
    draft: RegionDraft, reading: Reading | None, crop_size: tuple[int, int] | None, words: frozenset[str], typed: bool
) -> Region:
    spans = tuple(_span(line) for line in draft.lines)
    printed = [PrintedLine(line.text, line.box, line.monospaced, _lead(line)) for line in draft.lines]
    if reading is not None:
        spans = _read_spans(draft, reading, crop_size)
        leads = [_lead(line) for line in draft.lines] if len(draft.lines) == len(spans) else [None] * len(spans)
        printed = [PrintedLine(span.text, span.box, lead=lead) for span, lead in zip(spans, leads, strict=True)]
    monospaced = bool(printed) and all(line.monospaced for line in printed)
    code = monospaced and not typed and draft.kind == "plain text"
    found = printed_rows(printed, draft.angle)
    text, leads = (indented(found), ()) if code else _text(draft, found, words, monospaced)
    if reading is not None and not reading.lines:
        text = normal(reading.text)
        leads = (None,) * len(text.split("\n"))
    return Region(
        kind=draft.kind,
        box=draft.box,
        score=draft.score,
        spans=_from_the_top(spans, found, draft.angle),
        text=text,
        text_source=draft.text_source,
        reader=reading.reader or None if reading else None,
        reason=draft.reason,
        origin=draft.origin,
        confidence=reading.confidence if reading else None,
        angle=draft.angle,
        code=code,
        links=() if code else links_in(draft.lines),
        items=tuple(list_items(zip(text.split("\n"), leads, strict=False), draft.box))
        if draft.kind == "plain text" and leads
        else (),
    )


def _from_the_top(spans: tuple[Span, ...], found: Sequence[Row], angle: int) -> tuple[Span, ...]:
    """Spans in the order in which their rows are read: the file, or what gathered them, may have them in any."""

    def place(span: Span) -> tuple[int, float]:
        box = unrotate(span.box, angle)
        x, y = box.center
        own = (k for k, row in enumerate(found) if row.box.x0 <= x <= row.box.x1 and row.box.y0 <= y <= row.box.y1)
        return next(own, len(found)), box.x0

    return tuple(sorted(spans, key=place))


def _is_typed(lines: Sequence[TextLine]) -> bool:
    """Whether the page is set as typewriters set it, so that its type tells nothing of programs."""
    return 2 * sum(len(line.text) for line in lines if line.monospaced) > sum(len(line.text) for line in lines)


def _labelled(figure: Region, label: Region) -> Region:
    """A figure with a text that names a part of it."""
    text = "\n\n".join(part for part in (figure.text, label.text) if part)
    return figure.model_copy(
        update={"spans": (*figure.spans, *label.spans), "text": text, "box": figure.box.union(label.box)}
    )


def _placed(regions: Mapping[int, Region], arrangement: Arrangement) -> tuple[Region, ...]:
    """The regions in reading order, bound to their notes, captions and labels."""
    places = {index: order for order, index in enumerate(arrangement.order)}
    labelled = dict(regions)
    for label, figure in sorted(arrangement.labels.items()):
        labelled[figure] = _labelled(labelled[figure], labelled[label])
    return tuple(
        labelled[index].model_copy(
            update={
                "order": order,
                "note": arrangement.notes.get(index),
                "describes": places.get(arrangement.captions.get(index, -1)),
            }
        )
        for index, order in places.items()
    )


def _structured(
    inspection: Inspection, draft: RegionDraft, region: Region, reading: Reading | None, words: frozenset[str]
) -> Region:
    """The region with the table or the formula that was printed or read in it, if any."""
    if reading is not None and is_written(reading.text):
        return _with_table(region, written_table(reading.text, draft.box))
    if draft.kind == "table" and draft.lines:
        return _with_table(region, table_of(inspection, draft.box, draft.lines, words))
    if reading is None and draft.kind not in ("plain text", "isolate_formula"):
        return region
    latex = latex_of(draft.lines, inspection.rules) if reading is None else written_latex(reading.text)
    if latex is None:
        return region
    return region.model_copy(update={"kind": "isolate_formula", "latex": latex, "items": ()})


def _unparsed(
    number: int, drafts: Sequence[RegionDraft], regions: Mapping[int, Region], readings: Mapping[int, Reading]
) -> list[PageWarning]:
    """A warning for each table that a model wrote and nobody can parse."""
    return [
        NOT_PARSED.model_copy(update={"page": number, "box": draft.box})
        for draft in drafts
        if (reading := readings.get(draft.index)) and is_written(reading.text) and regions[draft.index].table is None
    ]


def _with_table(region: Region, table: Table | None) -> Region:
    if table is None:
        return region
    return region.model_copy(update={"kind": "table", "table": table, "text": plain(table), "items": ()})


def _text(draft: RegionDraft, found: list[Row], words: frozenset[str], monospaced: bool) -> RunningText:
    if draft.kind == "table" or (monospaced and len(found) > 1):
        return RunningText("\n".join(normal(row.text) for row in found), tuple(row.lead for row in found))
    return running_text(found, words)


def _lead(line: TextLine) -> Lead | None:
    if not line.words:
        return None
    boxes = [unrotate(word.box, line.angle) for word in line.words[:2]]
    return Lead(line.words[0].box, boxes[1].x0 - boxes[0].x1 if len(boxes) == 2 else 0.0)


def _span(line: TextLine) -> Span:
    return Span(text=line.text, box=line.box, source="text_layer", font_size=line.font_size, bold=line.bold)


def _read_spans(draft: RegionDraft, reading: Reading, crop_size: tuple[int, int] | None) -> tuple[Span, ...]:
    """Lines of a crop, which was turned back by the draft's angle, in points of the page."""
    crop = draft.crop_box
    upright_size = (crop.height, crop.width) if draft.angle % 180 else (crop.width, crop.height)
    width, height = crop_size or upright_size
    x, y = upright_size[0] / max(1, width), upright_size[1] / max(1, height)
    spans: list[Span] = []
    for line in reading.lines:
        if line.text.strip():
            box = rotate_back(line.box.scaled(x, y), draft.angle, crop.width, crop.height)
            spans.append(Span(text=line.text, box=box.shifted(crop.x0, crop.y0), source="ocr"))
    return tuple(spans)


def _warnings(
    inspection: Inspection, regions: Sequence[Region], readings: Mapping[int, Reading], low_confidence: float
) -> list[PageWarning]:
    number, found = inspection.number, [*hidden_text_warnings(inspection)]
    rejected = [region for region in regions if region.text_source == "ocr" and region.reason in REJECTED]
    if rejected:
        reasons = ", ".join(sorted({region.reason for region in rejected}))
        box = BoundingBox.around([region.box for region in rejected])
        message = f"the text layer of {len(rejected)} regions was not used: {reasons}"
        found.append(PageWarning(code="text_layer_rejected", message=message, page=number, box=box))
    for region in regions:
        if region.confidence is not None and region.confidence < low_confidence:
            message = f"OCR is unsure of this region ({region.confidence:.2f})"
            found.append(PageWarning(code="low_confidence", message=message, page=number, box=region.box))
    for _, reading in sorted(readings.items()):  # they may come in any order
        found.extend(warning.model_copy(update={"page": number}) for warning in reading.warnings)
    return found
