"""Sorts the lines of a table region into rows and columns; lines that no cell takes become regions beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from documents.boxes import BoundingBox
from documents.draft.page_draft import TABLE_REST_ORIGIN, PageDraft, RegionDraft
from documents.inspection import TextLine
from documents.region_values import Table, as_kind
from documents.regions.line_assignment import group_lines
from documents.regions.region_text import placed_lines, with_table
from documents.rotated_boxes import unrotate
from documents.tables.build_table import table_of
from documents.tables.settings import TableSettings
from documents.tables.written.tables_from_ocr import is_written
from documents.text.languages import caption_kind, is_caption

Lines = tuple[TextLine, ...]


def set_tables(page: PageDraft, settings: TableSettings) -> PageDraft:
    """Lines beside cells, and what might have been sideways names of columns, are drafts behind the others."""
    regions = dict(page.regions)
    drafts: list[RegionDraft] = []
    beside: list[RegionDraft] = []
    num_known = max((draft.index for draft in page.drafts), default=-1) + 1
    for draft in page.drafts:
        table, within, others = _parted(page, draft, settings)
        region, own = regions[draft.index], draft
        if others:
            more = [_draft_beside(draft, lines, num_known + len(beside) + k) for k, lines in enumerate(_groups(others))]
            box = draft.box if table is None else _box_between(draft.box, within, more)
            own = draft.model_copy(update={"lines": within, "box": box})
            region = region.model_copy(update=placed_lines(own))
            of_table = {"unreadable": (), "heading": None, "furniture": None}  # the table keeps these
            regions |= {one.index: as_kind(region, one.kind, **placed_lines(one), **of_table) for one in more}
            beside += more
        regions[draft.index] = region if table is None else with_table(region, table, region.spans, own.box)
        drafts.append(own)
    return replace(page, regions=regions, drafts=(*drafts, *beside))


def _parted(page: PageDraft, draft: RegionDraft, settings: TableSettings) -> tuple[Table | None, Lines, Lines]:
    """The table of a draft, if it is one, the lines that are its own, and those that are to stand beside it."""
    reading = page.readings.get(draft.index)
    is_text = reading is not None and is_written(reading.text)  # a model wrote its cells
    if draft.kind != "table" or not draft.lines or is_text:
        return None, draft.lines, ()
    filled = table_of(page.inspection, draft.box, draft.lines, page.words, settings)
    if filled is not None or reading is not None:
        return filled or (None, draft.lines, ())
    along = tuple(line for line in draft.lines if line.angle == draft.angle)
    return None, along, tuple(line for line in draft.lines if line.angle != draft.angle)


def _box_between(box: BoundingBox, within: Sequence[TextLine], beside: Sequence[RegionDraft]) -> BoundingBox:
    """The box of a table as high as what stands above and below the lines of its cells leaves it."""
    top, bottom = box.y0, box.y1
    cells = BoundingBox.around([line.box for line in within])
    for other in beside:
        if other.box.y1 <= cells.y0:
            top = max(top, other.box.y1)
        elif other.box.y0 >= cells.y1:
            bottom = min(bottom, other.box.y0)
    return BoundingBox(x0=box.x0, y0=top, x1=box.x1, y1=bottom)


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
        "origin": TABLE_REST_ORIGIN,
        "crop_box": box,
        "angle": lines[0].angle,
    }
    return draft.model_copy(update=update)
