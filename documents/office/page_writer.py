"""Builds pages of regions from what a parser reads: paragraphs, headings, lists, tables, figures.

Running text without pages of its own is cut at a block, so that a page is never much larger than `PAGE_CHARACTERS`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from documents.office.paragraph_text import Words
from documents.office.table_grid import split
from documents.office.unpack_limits import MAX_CELLS, MAX_PICTURES, PAGE_CHARACTERS, PAGE_REGIONS, REGION_ITEMS
from documents.tables.table_markup import plain
from documents.text.placed_text import concatenated
from documents.values import (
    NOWHERE,
    BoundingBox,
    FigureRegion,
    ListItem,
    Note,
    OutlineItem,
    Page,
    PageForm,
    PageWarning,
    Place,
    Region,
    RegionKind,
    Span,
    Table,
    TitleRegion,
    region_of,
    table_in,
)

ORIGIN = "written by the file's author"
TABLE_CELLS = 2000  # of one part of a table
MAX_LEVEL = 6


@dataclass(slots=True)
class _Line:
    """An item of a list that is still open."""

    words: Words
    marker: str
    level: int
    place: Place


@dataclass(slots=True)
class _OpenPage:
    form: PageForm
    name: str
    size: tuple[float, float]
    regions: list[Region] = field(default_factory=list)
    num_characters: int = 0


class PageWriter:
    """Every block that is written is in exactly one page, in its order."""

    def __init__(self, *, form: PageForm = "flow", name: str = "", size: tuple[float, float] = (0, 0)) -> None:
        self._page = _OpenPage(form, name, size)
        self._pages: list[_OpenPage] = []
        self._lines: list[_Line] = []
        self._code: list[tuple[Words, Place]] = []
        self._notes: list[tuple[Words, Place]] = []  # that stand at the end of their page
        self._num_cells = self._num_pictures = self._num_cut = 0
        self.outline: list[OutlineItem] = []

    @property
    def page_number(self) -> int:
        """Of the page that is written now, from 1."""
        return len(self._pages) + 1

    def next_page(self, name: str = "", *, form: PageForm | None = None, size: tuple[float, float] = (0, 0)) -> None:
        """End the page and begin another."""
        self._flush()
        for words, place in self._notes:
            self._append("plain text", words, place, note="foot")
        self._notes = []
        self._pages.append(self._page)
        self._page = _OpenPage(form or self._page.form, name, size)

    def rename(self, name: str, *, form: PageForm | None = None, size: tuple[float, float] | None = None) -> None:
        """What the page that is written now is called, and is."""
        self._page.name = name
        self._page.form = form or self._page.form
        self._page.size = size or self._page.size

    def heading(self, words: Words, level: int, place: Place, box: BoundingBox = NOWHERE) -> None:
        if words.text:
            level = max(1, min(MAX_LEVEL, level))
            self._block("title", words.on_one_line, place, box, level=level)
            self._outline(words.on_one_line.text, level)

    def _outline(self, title: str, level: int) -> None:
        self.outline.append(OutlineItem(level=level, title=title[:500], page=self.page_number))

    def paragraph(self, words: Words, place: Place, box: BoundingBox = NOWHERE) -> None:
        if words.text:
            self._block("plain text", words, place, box)

    def item(self, words: Words, marker: str, level: int, place: Place) -> None:
        """An item of a list; those that follow one another are one region."""
        if not words.text:
            return
        if self._code:
            self._flush()
        self._lines.append(_Line(words.on_one_line, marker, level, place))
        if len(self._lines) >= REGION_ITEMS:
            self._flush()

    def listing(self, lines: Sequence[tuple[Words, str | None, int, Place]], place: Place, box: BoundingBox) -> None:
        """Lines of one box, of which those with a marker are items of a list."""
        self._flush()
        lines_with_text = [
            _Line(words.on_one_line, marker or "", level, at) for words, marker, level, at in lines if words.text
        ]
        if lines_with_text:
            self._list_region(lines_with_text, place, box)

    def code(self, words: Words, place: Place) -> None:
        """Lines of a program; those that follow one another are one region."""
        if self._lines:
            self._flush()
        self._code.append((words, place))

    def table(self, table: Table | None, place: Place, box: BoundingBox = NOWHERE) -> None:
        """A table, or what of it the bounds leave."""
        if table is None:
            return
        self._flush()
        if self._num_cells + len(table.cells) > MAX_CELLS:
            room = max(0, MAX_CELLS - self._num_cells)
            self._num_cut += len(table.cells) - room
            rows = table.cells[room].row
            cells = tuple(cell for cell in table.cells[:room] if cell.row < rows)
            if not cells:
                return
            table = table.model_copy(update={"cells": cells, "num_rows": rows})
        self._num_cells += len(table.cells)
        top = 0
        for number, part in enumerate(split(table, TABLE_CELLS)):
            at = _rows_of(place, part, top)
            self._append("table", Words(plain(part)), at, box, table=part, continues=number > 0)
            top += part.num_rows

    def figure(self, picture: str | None, alt: str, place: Place, box: BoundingBox = NOWHERE) -> None:
        """A picture by its name inside the file, if that can be read there, and what its author says in its place."""
        self._num_pictures += 1
        if self._num_pictures <= MAX_PICTURES and (picture or alt):
            self._block("figure", Words(""), place, box, picture=picture, alt=" ".join(alt.split()))

    def formula(self, latex: str | None, text: str, place: Place) -> None:
        if text:
            self._block("isolate_formula", Words(text), place, latex=latex)

    def insert(self, region: Region) -> None:
        """A region that was read from another file, within the bounds of this one."""
        table = table_in(region)
        num_cells = len(table.cells) if table is not None else 0
        if self._num_cells + num_cells > MAX_CELLS:
            self.leave_out(num_cells)
            return
        self._num_cells += num_cells
        self._num_pictures += isinstance(region, FigureRegion)
        if isinstance(region, FigureRegion) and self._num_pictures > MAX_PICTURES:
            return
        self._flush()
        page = self._page_with_room()
        if isinstance(region, TitleRegion):
            self._outline(region.text, region.level or 1)
        page.num_characters += len(region.text)
        page.regions.append(region.model_copy(update={"order": len(page.regions)}))

    def caption(self, words: Words, kind: RegionKind, place: Place) -> None:
        if words.text:
            self._block(kind, words, place)

    def note(self, words: Words, note: Note, place: Place, box: BoundingBox = NOWHERE) -> None:
        """A note beside the text, or one for the foot of its page."""
        if not words.text:
            return
        if note == "foot":
            self._notes.append((words, place))
        else:
            self._block("plain text", words, place, box, note=note)

    def furniture(self, words: Words, place: Place, box: BoundingBox = NOWHERE) -> None:
        if words.text:
            self._block("abandon", words, place, box)

    def leave_out(self, num_cells: int) -> None:
        """Cells that the parser did not read."""
        self._num_cut += num_cells

    def pages(self) -> list[Page]:
        """All pages but empty ones at the end; at least one."""
        self.next_page()
        while len(self._pages) > 1 and not self._pages[-1].regions:
            self._pages.pop()
        return [
            Page(number=number, size=page.size, form=page.form, name=page.name, regions=tuple(page.regions))
            for number, page in enumerate(self._pages, 1)
        ]

    def warnings(self) -> list[PageWarning]:
        """What was left out."""
        if not self._num_cut:
            return []
        message = f"{self._num_cut} cells or more were left out: {MAX_CELLS} are read"
        return [PageWarning(code="cut_short", message=message)]

    def _block(self, kind: RegionKind, words: Words, place: Place, box: BoundingBox = NOWHERE, **fields: Any) -> None:
        self._flush()
        self._append(kind, words, place, box, **fields)

    def _append(self, kind: RegionKind, words: Words, place: Place, box: BoundingBox = NOWHERE, **fields: Any) -> None:
        page = self._page if "note" in fields else self._page_with_room()
        page.num_characters += len(words.text)
        page.regions.append(
            region_of(
                kind,
                box=box,
                score=1.0,
                text=words.text,
                links=words.links,
                struck=words.struck,
                formulas=words.formulas,
                reason="sound" if words.text else "",
                origin=ORIGIN,
                order=len(page.regions),
                place=place,
                **fields,
            )
        )

    def _page_with_room(self) -> _OpenPage:
        """The page that is written now; the next where running text has filled it."""
        page = self._page
        is_full = len(page.regions) >= PAGE_REGIONS or page.num_characters >= PAGE_CHARACTERS
        if is_full and page.form != "slide":
            self._pages.append(page)
            self._page = _OpenPage(page.form, page.name, (0, 0))
        return self._page

    def _flush(self) -> None:
        """Write the list or program that is open."""
        if self._lines:
            lines, self._lines = self._lines, []
            self._list_region(lines, lines[0].place, NOWHERE)
        if self._code:
            code, self._code = self._code, []
            lines = concatenated((words for words, _ in code), "\n")
            if lines.text.strip():
                self._append("plain text", lines, code[0][1], code=True)

    def _list_region(self, lines: Sequence[_Line], place: Place, box: BoundingBox) -> None:
        texts: list[Words] = []
        items: list[ListItem] = []
        spans: list[Span] = []
        start = 0
        for number, line in enumerate(lines):
            words = line.words.after(f"{line.marker} ") if line.marker else line.words
            text = words.text
            if line.marker:
                items.append(ListItem(line=number, marker=line.marker, level=line.level, box=box))
            spans.append(
                Span(
                    text=text,
                    box=box,
                    source="text_layer",
                    text_start=start,
                    text_end=start + len(text),
                    place=line.place,
                )
            )
            texts.append(words)
            start += len(text) + 1
        self._append("plain text", concatenated(texts, "\n"), place, box, items=tuple(items), spans=tuple(spans))


def _rows_of(place: Place, part: Table, top: int) -> Place:
    """Of a part of a table from row `top` on."""
    if place.kind != "sheet" or not place.range:
        return place
    return place.cell(top, 0, part.num_rows, part.num_columns)
