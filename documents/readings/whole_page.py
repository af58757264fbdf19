"""Distributes a whole-page reading over the page's regions, and places tables of charts beside their figures.

What no region takes of the reading is a region of its own: where the model says it stands, or else of the whole page,
after all others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from documents.boxes import BoundingBox
from documents.draft.page_draft import PageDraft, RegionDraft, ink_draft
from documents.draft.whole_page_reading import PageBlock, PageReading
from documents.readings.whole_page_matching import PageMatching, match_blocks
from documents.regions.region_text import make_regions
from documents.tables.written.tables_from_ocr import is_written
from documents.values import PageWarning, Reading, ReadLine

UNPLACED_CODE = "page_text_unplaced"
OMITTED_KINDS = ("abandon", "figure")  # a model of whole pages may omit regions of these kinds


def match_page_reading(page: PageDraft, limits: PageMatching) -> PageDraft:
    """The page with the region of each block that has one."""
    if page.page_reading is None:
        return page
    lines = page.inspection.printed_lines or ()
    homes = match_blocks(page.page_reading.blocks, page.drafts, lines, page.inspection.box, limits)
    return replace(page, homes=homes)


def with_page_reading(page: PageDraft) -> PageDraft:
    """Blocks as readings of their regions; those that say where they stand are regions, those of no place are left.

    A block of a region whose text layer is sound, or that was read by itself, says nothing new.
    """
    reading = page.page_reading
    if reading is None:
        return page
    page = replace(page, homes=_without_beside_tables(page, reading))
    blocks: dict[int, list[PageBlock]] = {}
    for number, index in sorted(page.homes.items()):
        blocks.setdefault(index, []).append(reading.blocks[number])
    drafts, index = list(page.drafts), _next_index(page.drafts)
    readings = dict(page.readings)
    for draft in page.drafts:
        if draft.text_source == "ocr" and draft.index not in readings:
            readings[draft.index] = _reading(blocks.get(draft.index, ()), draft, reading)
    homes = dict(page.homes)
    for number, block in enumerate(reading.blocks):
        if number not in homes and block.box is not None:
            box = block.box.scaled(page.inspection.box.width, page.inspection.box.height)
            homes[number] = index
            drafts.append(ink_draft(index, block.kind, box))
            readings[index] = _reading([block], drafts[-1], reading)
            index += 1
    return replace(page, drafts=tuple(drafts), readings=readings, homes=homes)


def _without_beside_tables(page: PageDraft, reading: PageReading) -> dict[int, int]:
    """The homes of the blocks; what is read of a table's region beside its one table would make the table text."""
    unread_tables = {draft.index for draft in page.drafts if draft.kind == "table" and draft.text_source == "ocr"}
    tables = [index for number, index in page.homes.items() if reading.blocks[number].kind == "table"]
    alone = {index for index in unread_tables if tables.count(index) == 1}
    return {
        number: index
        for number, index in page.homes.items()
        if index not in alone or reading.blocks[number].kind == "table"
    }


def with_regions_beside(page: PageDraft, run: Callable[[PageDraft], PageDraft]) -> tuple[PageDraft, PageDraft]:
    """The page with what has no place of its own, and that alone before `run` has given it running text and tables."""
    beside: list[tuple[int | None, RegionDraft, Reading]] = list(_charts(page))
    num_charts = len(beside)
    reading, index = page.page_reading, _next_index(page.drafts) + num_charts
    if reading is not None:
        homeless = [block for number, block in enumerate(reading.blocks) if number not in page.homes]
        for number, block in enumerate(homeless):
            draft = ink_draft(index + number, block.kind, page.inspection.box)
            beside.append((None, draft, _reading([block], draft, reading)))
    plain = make_regions(
        replace(
            page,
            drafts=tuple(draft for _, draft, _ in beside),
            readings={draft.index: block_reading for _, draft, block_reading in beside},
            regions={},
        )
    )
    if not beside:
        return page, plain
    made = run(plain)
    order: list[int] = []
    for placed in page.relations.order:
        order += [placed, *(draft.index for figure, draft, _ in beside if figure == placed)]
    whole = replace(
        page,
        drafts=(*page.drafts, *made.drafts),
        readings={**page.readings, **made.readings},
        regions={**page.regions, **made.regions},
        relations=replace(page.relations, order=tuple(order)),
    )
    return whole, plain


def whole_page_warnings(page: PageDraft) -> list[PageWarning]:
    """What a person should know of a reading of the whole page, and of those of charts."""
    reading, number = page.page_reading, page.inspection.number
    all_readings = (*(() if reading is None else (reading,)), *page.charts.values())
    warnings = [warning.model_copy(update={"page": number}) for reading in all_readings for warning in reading.warnings]
    if reading is None:
        return warnings
    count = sum(index not in page.homes for index in range(len(reading.blocks)))
    if count:
        message = f"{count} blocks of the page's reading match no region; they follow the others"
        warnings.append(PageWarning(code="page_text_unplaced", message=message, page=number))
    empty = [
        draft.box
        for draft in page.drafts
        if draft.text_source == "ocr"
        and draft.kind not in OMITTED_KINDS
        and not _says_something(page.readings, draft.index)
    ]
    if empty and reading.blocks:
        message = f"{len(empty)} regions have no words in the page's reading"
        box = BoundingBox.around(empty)
        warnings.append(PageWarning(code="region_unmatched", message=message, page=number, box=box))
    return warnings


def _says_something(readings: Mapping[int, Reading], index: int) -> bool:
    reading = readings.get(index)
    return reading is not None and bool(reading.text or reading.unreadable)


def _charts(page: PageDraft) -> Iterable[tuple[int, RegionDraft, Reading]]:
    """The figure, the table's draft and its reading, of each chart that was read as a table."""
    figures = {draft.index: draft for draft in page.drafts if draft.kind == "figure"}
    tables = [(index, reading) for index, reading in sorted(page.charts.items()) if is_written(reading.text)]
    first = _next_index(page.drafts)
    for number, (index, reading) in enumerate(tables):
        if index in figures:
            update = {"index": first + number, "kind": "table", "lines": (), "layer_lines": (), "text_source": "ocr"}
            yield index, figures[index].model_copy(update=update), reading


def _reading(blocks: Sequence[PageBlock], draft: RegionDraft, page: PageReading) -> Reading:
    """What the blocks say of a region, as one line of its size; of a doubtful page it is a guess."""
    text = "\n".join(block.text for block in blocks)
    if not text:
        return Reading(text="", reader=page.reader)
    width, height = draft.crop_size
    box = BoundingBox(x0=0, y0=0, x1=width, y1=height)
    line = ReadLine(text=text, box=box, confidence=page.confidence)
    if page.is_doubtful:
        return Reading(text="", unreadable=(line,), reader=page.reader)
    return Reading(text=text, lines=(line,), confidence=page.confidence, reader=page.reader)


def _next_index(drafts: Sequence[RegionDraft]) -> int:
    return max((draft.index for draft in drafts), default=-1) + 1
