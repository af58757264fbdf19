"""The text of a document as blocks in reading order, for every format and for search; furniture is not part of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from documents.tables.joining import table_joined
from documents.tables.markup import plain
from documents.text.running_text import join_lines, vocabulary
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
    open_block: Block | None = None  # a paragraph that may go on
    waiting: list[Block] = []  # what stands between its parts
    for block in _whole_tables(document, with_figures=with_figures):
        region = block.parts[0].region
        if region.continues and block.table is None and open_block is not None:
            open_block = _gone_on(open_block, block, words)
            continue
        if block.code and open_block is not None and open_block.code and not waiting:
            open_block = _extended(open_block, block, f"{open_block.text}\n\n{block.text}")
            continue
        runs = block.kind == "plain text" and block.note is None
        if runs or open_block is None:
            if open_block is not None:
                yield open_block
            yield from waiting
            waiting = []
            open_block = block if runs else None
            if open_block is None:
                yield block
        else:
            waiting.append(block)
    if open_block is not None:
        yield open_block
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


def _gone_on(block: Block, more: Block, words: frozenset[str]) -> Block:
    """A paragraph with its next part, which begins in its last line."""
    shift = block.text.count("\n")
    items = (item.model_copy(update={"line": item.line + shift}) for item in more.items)
    whole = _extended(block, more, join_lines(block.text, more.text, words))
    return whole._replace(links=(*block.links, *more.links), items=(*block.items, *items))


def _extended(block: Block, more: Block, text: str) -> Block:
    """A block of which `text` ends with what `more` says, and begins with what it said itself, but a hyphen."""
    shift = len(text) - len(more.text)
    start = len(text) - len(more.text.lstrip())
    *before, last = block.parts
    cut = last._replace(end=min(last.end, start))
    return block._replace(text=text, parts=(*before, cut, Part(*more.parts[0][:2], shift, start, len(text))))


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
