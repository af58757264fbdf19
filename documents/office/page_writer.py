"""Builds pages of regions from what a parser reads: paragraphs, headings, lists, tables, figures.

Running text without pages of its own is cut at a block, so that a page is never much larger than `PAGE_CHARACTERS`.
What of a block, a cell or a table goes beyond the limits is left out, counted, and reported as `cut_short`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from documents.boxes import NO_BOX, BoundingBox
from documents.office.list_lines import ListLine, joined_lines
from documents.office.packages.text_budget import DeliveryLimits, TextBudget, pieces
from documents.office.packages.text_decoding import Decoded
from documents.office.packages.unpack_limits import (
    MAX_PAGE_CHARACTERS,
    MAX_PICTURES,
    PAGE_CHARACTERS,
    PAGE_REGIONS,
    REGION_CHARACTERS,
    REGION_ITEMS,
)
from documents.office.paragraph_text import Words, WordsWriter
from documents.office.table_grid import split
from documents.places import Place
from documents.region_values import FigureRegion, Note, Region, RegionKind, Table, TitleRegion, region_of, table_in
from documents.tables.written.table_markup import plain
from documents.text.placed_text import concatenated
from documents.values import Annotation, OutlineItem, Page, PageForm, PageWarning

ORIGIN = "written by the file's author"
MAX_PART_CELLS = 2000  # maximum number of cells of one part of a table
MAX_LEVEL = 6
MAX_DOUBTS = 10  # warnings about the parts of a mail or the chapters of a book


@dataclass(slots=True)
class _OpenPage:
    form: PageForm
    name: str
    size: tuple[float, float]
    regions: list[Region] = field(default_factory=list)
    num_characters: int = 0
    annotations: list[Annotation] = field(default_factory=list[Annotation])
    answerable: dict[str, int] = field(default_factory=dict[str, int])  # places of comments, by their keys


class PageWriter:
    """Every block that is written is in exactly one page, in its order, as far as the budget and the limits reach."""

    def __init__(
        self, budget: TextBudget, *, form: PageForm = "flow", name: str = "", size: tuple[float, float] = (0, 0)
    ) -> None:
        self._limits = DeliveryLimits(budget)
        self._page = _OpenPage(form, name, size)
        self._pages: list[_OpenPage] = []
        self._lines: list[ListLine] = []
        self._code: list[tuple[Words, Place]] = []
        self._notes: list[tuple[Words, Place]] = []  # that stand at the end of their page
        self._doubts: dict[str, None] = {}  # about charsets
        self._num_pictures = 0
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

    def heading(self, words: Words, level: int, place: Place, box: BoundingBox = NO_BOX) -> None:
        words = self._allowed(words, place)
        if words.text:
            level = max(1, min(MAX_LEVEL, level))
            self._block("title", words.on_one_line, place, box, level=level)
            self._outline(words.on_one_line.text, level)

    def _outline(self, title: str, level: int) -> None:
        self.outline.append(OutlineItem(level=level, title=title[:500], page=self.page_number))

    def paragraph(self, words: Words, place: Place, box: BoundingBox = NO_BOX) -> None:
        words = self._allowed(words, place, is_divisible=True)
        for piece in pieces(words, PAGE_CHARACTERS) if self._page.form != "slide" else (words,):
            if piece.text:
                self._block("plain text", piece, place, box)

    def item(self, words: Words, marker: str, level: int, place: Place) -> None:
        """An item of a list; those that follow one another are one region."""
        words = self._allowed(words, place)
        if not words.text:
            return
        if self._code:
            self._flush()
        self._lines.append(ListLine(words.on_one_line, marker, level, place))
        if len(self._lines) >= REGION_ITEMS or sum(len(one.words.text) for one in self._lines) >= PAGE_CHARACTERS:
            self._flush()

    def listing(self, lines: Sequence[tuple[Words, str | None, int, Place]], place: Place, box: BoundingBox) -> None:
        """Lines of one box, of which those with a marker are items of a list."""
        self._flush()
        lines_with_text: list[ListLine] = []
        num_characters = 0
        for words, marker, level, at in lines:
            allowed = self._allowed(words.on_one_line, at, num_more=num_characters)
            num_characters += len(allowed.text)
            if allowed.text:
                lines_with_text.append(ListLine(allowed, marker or "", level, at))
        if lines_with_text:
            self._list_region(lines_with_text, place, box)

    def code(self, words: Words, place: Place) -> None:
        """Lines of a program; those that follow one another are one region."""
        if self._lines:
            self._flush()
        self._code.append((self._allowed(words, place, is_divisible=True), place))

    def table(self, table: Table | None, place: Place, box: BoundingBox = NO_BOX) -> None:
        """A table, or what of it the bounds leave."""
        if table is None:
            return
        self._flush()
        table = self._limits.allowed_table(table)
        top = 0
        for number, part in enumerate(split(table, MAX_PART_CELLS, PAGE_CHARACTERS) if table is not None else ()):
            at = _rows_of(place, part, top)
            self._append("table", Words(plain(part)), at, box, table=part, continues=number > 0)
            top += part.num_rows

    def figure(self, picture: str | None, alt: str, place: Place, box: BoundingBox = NO_BOX) -> None:
        """A picture by its name inside the file, if that can be read there, and what its author says in its place."""
        self._num_pictures += 1
        alt = self._allowed(Words(" ".join(alt.split())), place).text
        if self._num_pictures <= MAX_PICTURES and (picture or alt):
            self._block("figure", Words(""), place, box, picture=picture, alt=alt)

    def formula(self, latex: str | None, text: str, place: Place) -> None:
        writer = WordsWriter()
        writer.formula(latex or "", text)
        words = writer.words()
        allowed = Words(self._allowed(words, place).text)
        if allowed.text:
            is_whole = allowed.text == words.text
            self._block("isolate_formula", allowed, place, latex=latex if is_whole else None)

    def insert(self, region: Region) -> None:
        """A region that was read from another file, which took its characters from the same budget."""
        table = table_in(region)
        if table is not None and not self._limits.takes_cells(len(table.cells)):
            return
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
        words = self._allowed(words, place)
        if words.text:
            self._block(kind, words, place)

    def note(self, words: Words, note: Note, place: Place, box: BoundingBox = NO_BOX) -> None:
        """A note beside the text, or one for the foot of its page."""
        words = self._allowed(words, place)
        if not words.text:
            return
        if note == "foot":
            self._notes.append((words, place))
        else:
            self._block("plain text", words, place, box, note=note)

    def comment(self, words: Words, comment: Annotation, place: Place, key: str, answered: str | None) -> None:
        """A comment on the text, which is no part of it; `answered` is the key of the one that it answers."""
        words = self._allowed(words, place)
        if words.text:
            page = self._page
            reply_to = page.answerable.get(answered or "")
            page.answerable.setdefault(key, len(page.annotations))
            update = {"text": words.text, "place": place, "reply_to": reply_to}
            page.annotations.append(comment.model_copy(update=update))

    def furniture(self, words: Words, place: Place, box: BoundingBox = NO_BOX) -> None:
        words = self._allowed(words, place)
        if words.text:
            self._block("abandon", words, place, box)

    def leave_out(self, num_cells: int) -> None:
        """Cells that the parser did not read."""
        self._limits.num_cells_cut += num_cells

    def read_as(self, text: Decoded) -> str:
        """The text; a doubt about its charset becomes a warning."""
        if text.doubt and len(self._doubts) < MAX_DOUBTS:
            self._doubts[text.doubt] = None
        return text.text

    def pages(self) -> list[Page]:
        """All pages but empty ones at the end; at least one."""
        self.next_page()
        while len(self._pages) > 1 and not (self._pages[-1].regions or self._pages[-1].annotations):
            self._pages.pop()
        return [
            Page(
                number=number,
                size=page.size,
                form=page.form,
                name=page.name,
                regions=tuple(page.regions),
                annotations=tuple(page.annotations),
            )
            for number, page in enumerate(self._pages, 1)
        ]

    def warnings(self) -> list[PageWarning]:
        """What was left out, and what may have been read in a wrong charset."""
        doubts = [PageWarning(code="charset_doubtful", message=doubt) for doubt in self._doubts]
        return [*self._limits.warnings(), *doubts]

    def _allowed(self, words: Words, place: Place, *, is_divisible: bool = False, num_more: int = 0) -> Words:
        """What the limits leave of a text; `num_more` characters are to stand on its page before it."""
        page = self._page
        room = len(words.text) if is_divisible else MAX_PAGE_CHARACTERS
        if page.form == "slide":
            room = MAX_PAGE_CHARACTERS - page.num_characters - num_more - REGION_CHARACTERS * len(page.regions)
        return self._limits.allowed(words, place, room)

    def _block(self, kind: RegionKind, words: Words, place: Place, box: BoundingBox = NO_BOX, **fields: Any) -> None:
        self._flush()
        self._append(kind, words, place, box, **fields)

    def _append(self, kind: RegionKind, words: Words, place: Place, box: BoundingBox = NO_BOX, **fields: Any) -> None:
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
                scripts=words.scripts,
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
            self._list_region(lines, lines[0].place, NO_BOX)
        if self._code:
            code, self._code = self._code, []
            lines = concatenated((words for words, _ in code), "\n")
            for piece in pieces(lines, PAGE_CHARACTERS) if lines.text.strip() else ():
                self._append("plain text", piece, code[0][1], code=True)

    def _list_region(self, lines: Sequence[ListLine], place: Place, box: BoundingBox) -> None:
        words, items, spans = joined_lines(lines, box)
        self._append("plain text", words, place, box, items=items, spans=spans)


def _rows_of(place: Place, part: Table, top: int) -> Place:
    """Of a part of a table from row `top` on."""
    if place.kind != "sheet" or not place.range:
        return place
    return place.cell(top, 0, part.num_rows, part.num_columns)
