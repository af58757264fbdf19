"""The text of a document as blocks in reading order, for every format and for search; furniture is not part of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from documents.tables.joining import table_joined
from documents.tables.markup import plain
from documents.text.running_text import TAIL, join_lines, vocabulary
from documents.values import Document, Link, ListItem, Note, Page, Region, RegionKind, Table


class Part(NamedTuple):
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

    kind: RegionKind
    text: str
    level: int | None
    table: Table | None = None
    latex: str | None = None
    code: bool = False
    links: tuple[Link, ...] = ()
    items: tuple[ListItem, ...] = ()  # by line of the text
    note: Note | None = None
    figure: str | None = None  # its name
    parts: tuple[Part, ...] = ()  # a paragraph, a program or a table may go on in further regions


def figures(document: Document) -> Iterator[tuple[str, Page, Region]]:
    """The name, the page and the region of each figure, in reading order; the name is a path for its picture."""
    for page in document.pages:
        count = 0
        for region in page.regions:
            if region.kind == "figure":
                count += 1
                yield f"figures/page-{page.number:04d}-{count:02d}.png", page, region


def blocks(document: Document, *, with_figures: bool = False) -> Iterator[Block]:
    """All blocks that have text; a paragraph that goes on in the next region is one block.

    `with_figures`: figures too, of which many have no text.
    """
    words = vocabulary(region.text for page in document.pages for region in page.regions)
    open_block: _OpenBlock | None = None  # a paragraph that may go on
    waiting: list[Block] = []  # what stands between its parts
    for block in _whole_tables(document, with_figures=with_figures):
        region = block.parts[0].region
        if region.continues and block.table is None and open_block is not None:
            open_block.go_on(block, words)
            continue
        if block.code and open_block is not None and open_block.code and not waiting:
            open_block.add_code(block)
            continue
        runs = block.kind == "plain text" and block.note is None
        if runs or open_block is None:
            if open_block is not None:
                yield open_block.block()
            yield from waiting
            waiting = []
            open_block = _OpenBlock(block) if runs else None
            if open_block is None:
                yield block
        else:
            waiting.append(block)
    if open_block is not None:
        yield open_block.block()
    yield from waiting


def _block(page: int, region: Region, figure: str | None) -> Block:
    return Block(
        region.kind,
        region.text,
        region.level,
        region.table,
        region.latex,
        region.code,
        region.links,
        region.items,
        region.note,
        figure,
        (Part(page, region, 0, 0, len(region.text)),),
    )


class _OpenBlock:
    """A paragraph or program that may go on; only the end of its text is looked at, so a long one costs no more."""

    def __init__(self, block: Block) -> None:
        self.code = block.code
        self._first = block
        self._settled: list[str] = []  # the text but its end
        self._num_settled = 0  # characters
        self._num_settled_lines = 0
        self._end = block.text
        self._parts = [*block.parts]
        self._links = [*block.links]
        self._items = [*block.items]

    def go_on(self, more: Block, words: frozenset[str]) -> None:
        """The next part of a paragraph begins in its last line."""
        shift = self._num_settled_lines + self._end.count("\n")
        self._items += [item.model_copy(update={"line": item.line + shift}) for item in more.items]
        self._links += more.links
        self._extend(more, join_lines(self._end, more.text, words))

    def add_code(self, more: Block) -> None:
        """The next part of a program begins after an empty line."""
        self._extend(more, f"{self._end}\n\n{more.text}")

    def _extend(self, more: Block, end: str) -> None:
        """`end` begins with the end of the text, but for a hyphen, and ends with what `more` says."""
        length = self._num_settled + len(end)
        start = length - len(more.text.lstrip())
        self._parts[-1] = self._parts[-1]._replace(end=min(self._parts[-1].end, start))
        part = more.parts[0]
        self._parts.append(Part(part.page, part.region, length - len(more.text), start, length))
        settled = end[:-TAIL]
        self._settled.append(settled)
        self._num_settled += len(settled)
        self._num_settled_lines += settled.count("\n")
        self._end = end[-TAIL:]

    def block(self) -> Block:
        return self._first._replace(
            text="".join((*self._settled, self._end)),
            parts=tuple(self._parts),
            links=tuple(self._links),
            items=tuple(self._items),
        )


def _whole_tables(document: Document, *, with_figures: bool) -> list[Block]:
    """A block for each region that says something; a table that goes on over pages is one."""
    names = {id(region): name for name, _, region in figures(document)}
    found: list[Block] = []
    last_table: int | None = None
    for page in document.pages:
        for region in sorted(page.regions, key=lambda region: region.order):
            block = _block(page.number, region, names.get(id(region)))
            if region.kind == "figure" and with_figures:
                found.append(block)
            if region.kind in ("abandon", "figure") or not region.text.strip():
                continue
            before = None if last_table is None else found[last_table].table
            if region.table is None or not region.continues or last_table is None or before is None:
                if region.table is not None:
                    last_table = len(found)
                found.append(block)
                continue
            table = table_joined(before, region.table)
            parts = (*found[last_table].parts, *block.parts)
            found[last_table] = found[last_table]._replace(text=plain(table), table=table, parts=parts)
    return found
