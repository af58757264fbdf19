"""Finds tables in the lines that OCR read, as those of a printed page are found.

Before, a table of a scan is where the layout network sees one in the picture: nothing has been read yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from documents.boxes import BoundingBox
from documents.draft.page_draft import AREA_KINDS, BLOCK_ORIGIN, PageDraft, RegionDraft
from documents.draft.text_source import Layer
from documents.inspection import TextLine
from documents.regions.line_assignment import assign_lines
from documents.regions.read_blocks import read_segments
from documents.regions.reclassify import placing
from documents.tables.search.find_tables import FindTables, find_tables
from documents.tables.written.tables_from_ocr import is_written
from documents.values import Detection, Reading, ReadLine


def find_read_tables(page: PageDraft, limits: FindTables) -> PageDraft:
    """The page with a draft for each table that `find_tables` sees in its lines; what else was seen as a table is text.

    A page with lines that OCR did not read, or not one by one, stays as it is. Blocks count lines in their new order.
    """
    if not page.blocks or not all(_is_read(draft, page.readings.get(draft.index)) for draft in page.drafts):
        return page
    lines = read_segments(page)
    after = _with_drafts(page, list(_drafts(page, _areas(page, lines, limits))))
    numbers = {id(line): number for number, line in enumerate(read_segments(after))}
    blocks = (
        block.model_copy(update={"segments": tuple(numbers[id(lines[k])] for k in block.segments)})
        for block in page.blocks
    )
    return replace(after, blocks=tuple(blocks))


def _is_read(draft: RegionDraft, reading: Reading | None) -> bool:
    """Whether each of a draft's lines is one that OCR read."""
    if reading is None:
        return not draft.lines
    return not is_written(reading.text) and len(_lines_with_text(reading)) == len(draft.lines)


def _lines_with_text(reading: Reading) -> list[ReadLine]:
    return [line for line in reading.lines if line.text.strip()]


def _areas(page: PageDraft, lines: Sequence[TextLine], limits: FindTables) -> list[Detection]:
    """The tables that the lines show, and the figures that are no cells."""
    inspection = page.inspection.model_copy(update={"lines": tuple(lines)})
    detected = tuple(Detection(kind=d.kind, box=d.box, score=d.score) for d in page.drafts if d.kind in AREA_KINDS)
    kept = find_tables(replace(page, inspection=inspection, layer=Layer(inspection), kept=detected), limits).kept
    return [area for area in kept if area.kind in AREA_KINDS]


def _drafts(page: PageDraft, areas: Sequence[Detection]) -> Iterator[RegionDraft]:
    """The drafts with the lines that no new table takes, those of which nothing is left out; then the new tables."""
    tables = [area for area in areas if area.kind == "table"]
    held, _ = assign_lines([line for line in read_segments(page) if not line.angle], tables)
    lines_of_tables = [tuple(lines) for lines in held]
    known = [draft.lines for draft in page.drafts if draft.kind == "table"]
    new = [(table, lines) for table, lines in zip(tables, lines_of_tables, strict=True) if lines and lines not in known]
    moved = {id(line) for _, lines in new for line in lines}
    for draft in page.drafts:
        left = tuple(line for line in draft.lines if id(line) not in moved)
        is_cell = draft.kind == "figure" and not any(draft.box == area.box for area in areas)
        if left or not (draft.lines or is_cell):
            is_text = draft.kind == "table" and left and left not in lines_of_tables
            own = draft.as_kind("plain text") if is_text else draft
            if len(left) < len(draft.lines):
                box = BoundingBox.around([line.box for line in left])
                own = own.model_copy(update={"lines": left, "box": box, "crop_box": page.inspection.box})
            yield own
    first_index = max(draft.index for draft in page.drafts) + 1
    for index, (table, lines) in enumerate(new, first_index):
        box = BoundingBox.around([table.box, *(line.box for line in lines)])
        yield RegionDraft(
            index=index,
            kind="table",
            box=box,
            score=table.score,
            lines=lines,
            layer_lines=tuple(line for d in page.drafts for line in d.layer_lines if box.contains(*line.box.center)),
            text_source="ocr",
            reason=next(draft.reason for draft in page.drafts if draft.lines),
            origin=BLOCK_ORIGIN,
            crop_box=page.inspection.box,
        )


def _with_drafts(page: PageDraft, drafts: Sequence[RegionDraft]) -> PageDraft:
    """The page with drafts of the same lines, and what was read of each; guesses go where the first line goes."""
    lines: dict[int, ReadLine] = {}
    guesses: dict[int, list[ReadLine]] = {}
    for draft in page.drafts:
        reading = page.readings.get(draft.index)
        if reading is not None and draft.lines:
            place, _ = placing(draft, page.crop_sizes.get(draft.index))
            on_page = [_placed(line, place) for line in _lines_with_text(reading)]
            lines |= zip(map(id, draft.lines), on_page, strict=True)
            guesses[id(draft.lines[0])] = [_placed(line, place) for line in reading.unreadable]
    lines_before = {draft.index: draft.lines for draft in page.drafts}
    reader = next((reading.reader for reading in page.readings.values()), "")
    readings, sizes = dict(page.readings), dict(page.crop_sizes)
    for draft in drafts:
        if draft.lines != lines_before.get(draft.index):
            reading = page.readings.get(draft.index) or Reading(text="", reader=reader)
            unreadable = [guess for line in draft.lines for guess in guesses.get(id(line), ())]
            readings[draft.index] = reading.with_lines([lines[id(line)] for line in draft.lines], unreadable)
            sizes.pop(draft.index, None)
    return replace(page, drafts=tuple(drafts), readings=readings, crop_sizes=sizes)


def _placed(line: ReadLine, place: Callable[[BoundingBox], BoundingBox]) -> ReadLine:
    return line.model_copy(update={"box": place(line.box), "words": tuple(map(place, line.words))})
