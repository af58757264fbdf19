"""Sorts the lines of a table region into rows and columns; lines that no cell takes become regions beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from documents.boxes import BoundingBox
from documents.draft.page_draft import BESIDE_CELLS, PageDraft, RegionDraft
from documents.draft.rule import NoThresholds
from documents.inspection import TextLine
from documents.region_values import Link, Region, Span, Table, as_kind, region_of
from documents.regions.line_assignment import group_lines
from documents.regions.region_text import is_typed, span_of, with_running_text
from documents.rotated_boxes import unrotate
from documents.tables.build_table import FilledTable, table_of
from documents.tables.written.table_markup import plain
from documents.tables.written.tables_from_ocr import is_written, written_table
from documents.text.languages import caption_kind, is_caption


def set_tables(page: PageDraft, _: NoThresholds) -> PageDraft:
    regions = dict(page.regions)
    drafts: list[RegionDraft] = []
    beside: list[tuple[RegionDraft, Region]] = []  # each with the table beside which it stands
    typed = is_typed(page.drafts)
    num_known = max((draft.index for draft in page.drafts), default=-1) + 1
    for draft in page.drafts:
        region, reading = regions[draft.index], page.readings.get(draft.index)
        filled: FilledTable | None = None
        if reading is not None and is_written(reading.text):
            table = written_table(reading.text, draft.box)
            if table is not None:
                regions[draft.index] = with_table(region, table, region.spans)
        elif draft.kind == "table" and draft.lines:
            filled = table_of(page.inspection, draft.box, draft.lines, page.words)
        if filled is not None:
            own, others = _parted(draft, filled, num_known + len(beside))
            spans = _spans(own) if others else region.spans
            regions[draft.index] = with_table(region, filled.table, spans, own.box)
        else:
            own, others = _without_turned(draft, num_known + len(beside)) if reading is None else (draft, [])
            if others:
                regions[draft.index] = _region_with_text(page, own, region, typed=typed)
        drafts.append(own)
        beside += ((other, region) for other in others)
    if not beside:
        return replace(page, regions=regions)
    regions |= {draft.index: _region_with_text(page, draft, table, typed=typed) for draft, table in beside}
    return replace(page, regions=regions, drafts=(*drafts, *(draft for draft, _ in beside)))


def with_table(region: Region, table: Table, spans: Sequence[Span], box: BoundingBox | None = None) -> Region:
    """The region as a table; neither its spans nor its links have a place in its text, which is that of the cells."""
    return as_kind(
        region,
        "table",
        box=box or region.box,
        table=table,
        text=plain(table),
        struck=(),
        spans=tuple(span.placed(None, None) for span in spans),
        links=tuple(Link(text=link.text, uri=link.uri) for link in region.links),
    )


def _parted(draft: RegionDraft, filled: FilledTable, index: int) -> tuple[RegionDraft, list[RegionDraft]]:
    """The draft with the lines of its cells, as high as they leave it, and drafts of the others from `index` on."""
    if not filled.beside:
        return draft, []
    groups = list(_groups(filled.beside))
    top, bottom = draft.box.y0, draft.box.y1
    cells = BoundingBox.around([line.box for line in filled.within])
    for group in groups:
        box = BoundingBox.around([line.box for line in group])
        if box.y1 <= cells.y0:
            top = max(top, box.y1)
        elif box.y0 >= cells.y1:
            bottom = min(bottom, box.y0)
    box = BoundingBox(x0=draft.box.x0, y0=top, x1=draft.box.x1, y1=bottom)
    own = draft.model_copy(update={"lines": filled.within, "box": box})
    return own, [_draft_beside(draft, group, index + k) for k, group in enumerate(groups)]


def _without_turned(draft: RegionDraft, index: int) -> tuple[RegionDraft, list[RegionDraft]]:
    """What is no table without its lines of another angle, which might have been names of columns, and drafts of these.

    The drafts count from `index` on.
    """
    turned = [line for line in draft.lines if line.angle != draft.angle]
    if draft.kind != "table" or not turned:
        return draft, []
    own = draft.model_copy(update={"lines": tuple(line for line in draft.lines if line.angle == draft.angle)})
    return own, [_draft_beside(draft, group, index + k) for k, group in enumerate(_groups(turned))]


def _groups(lines: Sequence[TextLine]) -> Iterator[list[TextLine]]:
    """Paragraphs, each from the top."""
    for group in group_lines(lines):
        boxes = {id(line): unrotate(line.box, line.angle) for line in group}
        yield sorted(group, key=lambda line: (boxes[id(line)].y0, boxes[id(line)].x0))


def _draft_beside(draft: RegionDraft, lines: Sequence[TextLine], index: int) -> RegionDraft:
    box = BoundingBox.around([line.box for line in lines])
    kind = caption_kind(lines[0].text) if is_caption(lines[0].text) else None
    update = {
        "index": index,
        "kind": kind or "plain text",
        "box": box,
        "lines": tuple(lines),
        "origin": BESIDE_CELLS,
        "crop_box": box,
        "angle": lines[0].angle,
    }
    return draft.model_copy(update=update)


def _region_with_text(page: PageDraft, draft: RegionDraft, table: Region, *, typed: bool) -> Region:
    plain_region = region_of(
        kind=draft.kind,
        box=draft.box,
        score=draft.score,
        spans=_spans(draft),
        text_source=draft.text_source,
        reader=table.reader,
        reason=draft.reason,
        origin=draft.origin,
        rules=draft.rules,
        confidence=table.confidence,
        angle=draft.angle,
    )
    return with_running_text(page, draft, plain_region, None, typed=typed)


def _spans(draft: RegionDraft) -> tuple[Span, ...]:
    return tuple(span_of(line, draft.text_source) for line in draft.lines)
