"""The text of a document as blocks in reading order, for Markdown, HTML, text and chunks; decides what is left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from documents.boxes import NO_BOX
from documents.document.tables_over_pages import tables_joined
from documents.exports.marked_digits import marked_region
from documents.region_values import FigureRegion, FurnitureRegion, Region, TableRegion, TextRegion, table_in
from documents.tables.written.table_markup import plain
from documents.text.running_text import TAIL_CHARACTERS, join_lines, vocabulary
from documents.values import Document, Page


class BlockPart(NamedTuple):
    """A region of a block, whose text is `text[start:end]` of the block: there, offsets are larger by `shift`."""

    page: int  # counts from 1
    region: Region
    shift: int
    start: int
    end: int


class Block(NamedTuple):
    """One heading, paragraph, list, caption, table or formula; or a figure with its words, where those are asked for.

    The text of a table is that of all `parts` as one, so offsets into it mean nothing.
    """

    region: Region  # the first one, with the text, links, items and table of all; its spans are its own alone
    figure: str | None  # its name
    parts: tuple[BlockPart, ...]  # a paragraph, a program or a table may go on in further regions

    @property
    def text(self) -> str:
        """The text of all parts."""
        return self.region.text


def figures(document: Document) -> Iterator[tuple[str, Page, Region]]:
    """The name, the page and the region of each figure, in reading order; the name is a path for its picture."""
    for page in document.pages:
        count = 0
        for region in page.regions:
            if isinstance(region, FigureRegion):
                count += 1
                yield f"figures/page-{page.number:04d}-{count:02d}.png", page, region


def body_pages(document: Document) -> list[int]:
    """Numbers of the pages with an item that has a place on the page and is no furniture: those of docling's JSON."""
    return [page.number for page in document.pages if any(map(_is_placed_in_body, page.regions))]


def _is_placed_in_body(region: Region) -> bool:
    if isinstance(region, FurnitureRegion) or region.box == NO_BOX:
        return False
    return isinstance(region, FigureRegion) or table_in(region) is not None or bool(region.text.strip())


def blocks(document: Document, *, with_figures: bool = False, over_pages: bool = True) -> Iterator[Block]:
    """All blocks that have text; a paragraph that goes on in the next region is one block.

    Behind digits that nothing proves stands `[?]`.

    `with_figures`: figures too, of which many have no text.
    `over_pages`: whether a paragraph, a program or a table that goes on over the end of a page is one block.
    """
    words = vocabulary(region.text for page in document.pages for region in page.regions)
    open_block: _OpenBlock | None = None  # a paragraph that may go on
    waiting: list[Block] = []  # what stands between its parts
    page_number: int | None = None
    for block in _whole_tables(document, with_figures=with_figures, over_pages=over_pages):
        region = block.region
        if not over_pages and block.parts[0].page != page_number:
            page_number = block.parts[0].page
            if open_block is not None:
                yield open_block.block()
            yield from waiting
            open_block, waiting = None, []
        if isinstance(region, TextRegion) and open_block is not None:
            if region.continues:
                open_block.go_on(block, region, words)
                continue
            if region.code and open_block.code and not waiting:
                open_block.add_code(block)
                continue
        opens = _OpenBlock(block, region) if isinstance(region, TextRegion) and region.note is None else None
        if opens is not None or open_block is None:
            if open_block is not None:
                yield open_block.block()
            yield from waiting
            waiting = []
            open_block = opens
            if open_block is None:
                yield block
        else:
            waiting.append(block)
    if open_block is not None:
        yield open_block.block()
    yield from waiting


class _OpenBlock:
    """A paragraph or program that may go on; only the end of its text is looked at, so a long one costs no more."""

    def __init__(self, block: Block, region: TextRegion) -> None:
        self.code = region.code
        self._first = block
        self._region = region
        self._settled: list[str] = []  # the text but its end
        self._num_settled = 0  # characters
        self._num_settled_lines = 0
        self._end = region.text
        self._parts = [*block.parts]
        self._links = [*region.links]
        self._struck = [*region.struck]
        self._formulas = [*region.formulas]
        self._scripts = [*region.scripts]
        self._items = [*region.items]

    def go_on(self, more: Block, region: TextRegion, words: frozenset[str]) -> None:
        """The next part of a paragraph begins in its last line."""
        shift = self._num_settled_lines + self._end.count("\n")
        self._items += [item.model_copy(update={"line": item.line + shift}) for item in region.items]
        self._extend(more, join_lines(self._end, region.text, words))

    def add_code(self, more: Block) -> None:
        """The next part of a program begins after an empty line."""
        self._extend(more, f"{self._end}\n\n{more.text}")

    def _extend(self, more: Block, end: str) -> None:
        """`end` begins with the end of the text, but for a hyphen, and ends with what `more` says."""
        length = self._num_settled + len(end)
        start = length - len(more.text.lstrip())
        self._parts[-1] = self._parts[-1]._replace(end=min(self._parts[-1].end, start))
        shift = length - len(more.text)
        self._links += (link.later(shift) for link in more.region.links)
        self._struck += (words.later(shift) for words in more.region.struck)
        self._formulas += (formula.later(shift) for formula in more.region.formulas)
        self._scripts += (script.later(shift) for script in more.region.scripts)
        part = more.parts[0]
        self._parts.append(BlockPart(part.page, part.region, shift, start, length))
        settled = end[:-TAIL_CHARACTERS]
        self._settled.append(settled)
        self._num_settled += len(settled)
        self._num_settled_lines += settled.count("\n")
        self._end = end[-TAIL_CHARACTERS:]

    def block(self) -> Block:
        update = {
            "text": "".join((*self._settled, self._end)),
            "links": tuple(self._links),
            "struck": tuple(self._struck),
            "formulas": tuple(self._formulas),
            "scripts": tuple(self._scripts),
            "items": tuple(self._items),
        }
        return self._first._replace(region=self._region.model_copy(update=update), parts=tuple(self._parts))


def _whole_tables(document: Document, *, with_figures: bool, over_pages: bool) -> list[Block]:
    """A block for each region that says something; a table that goes on over pages is one, if `over_pages`."""
    names = {id(region): name for name, _, region in figures(document)}
    merged_blocks: list[Block] = []
    last_table: int | None = None
    rests: dict[int, list[Block]] = {}  # of the table of a block, on later pages
    for page in document.pages:
        for own in sorted(page.regions, key=lambda region: region.order):
            region = marked_region(own)
            block = Block(region, names.get(id(own)), (BlockPart(page.number, region, 0, 0, len(region.text)),))
            if isinstance(region, FigureRegion) and with_figures:
                merged_blocks.append(block)
            if isinstance(region, FurnitureRegion | FigureRegion) or not region.text.strip():
                continue
            if isinstance(region, TableRegion) and region.table is not None:
                if over_pages and region.continues and last_table is not None:
                    rests.setdefault(last_table, []).append(block)
                    continue
                last_table = len(merged_blocks)
            merged_blocks.append(block)
    for place, rest in rests.items():
        merged_blocks[place] = _with_rest(merged_blocks[place], rest)
    return merged_blocks


def _with_rest(block: Block, rest: Sequence[Block]) -> Block:
    """A block of a table, and those of its parts on later pages, as one."""
    parts = [part for piece in (block, *rest) for part in piece.parts]
    table = tables_joined([table for part in parts if (table := table_in(part.region)) is not None])
    region = block.region.model_copy(update={"text": plain(table), "table": table})
    return block._replace(region=region, parts=tuple(parts))
