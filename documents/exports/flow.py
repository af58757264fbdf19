"""The text of a document as blocks in reading order; furniture and the insides of figures are not part of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from documents.tables.joining import table_joined
from documents.tables.markup import plain
from documents.text.running_text import join_lines, vocabulary
from documents.values import Document, Link, ListItem, Note, Page, Region, RegionKind, Table


class Block(NamedTuple):
    """One heading, paragraph, list, caption, table or formula; or a figure, by its name, where those are asked for."""

    kind: RegionKind
    text: str
    level: int | None
    table: Table | None = None
    latex: str | None = None
    code: bool = False
    links: tuple[Link, ...] = ()
    items: tuple[ListItem, ...] = ()  # by line of the text
    note: Note | None = None
    figure: str | None = None


def figures(document: Document) -> Iterator[tuple[str, Page, Region]]:
    """The name, the page and the region of each figure, in reading order; the name is a path for its picture."""
    for page in document.pages:
        count = 0
        for region in page.regions:
            if region.kind == "figure":
                count += 1
                yield f"figures/page-{page.number:04d}-{count:02d}.png", page, region


def blocks(document: Document, *, with_figures: bool = False) -> Iterator[Block]:
    """All blocks that have text; a paragraph that goes on in the next region is one block."""
    names = {id(region): name for name, _, region in figures(document)} if with_figures else {}
    words = vocabulary(region.text for page in document.pages for region in page.regions)
    open_block: Block | None = None  # a paragraph that may go on
    waiting: list[Block] = []  # what stands between its parts
    for region in _regions(document, with_figures=with_figures):
        if region.continues and open_block is not None:
            open_block = _gone_on(open_block, region, words)
            continue
        if region.code and open_block is not None and open_block.code and not waiting:
            open_block = open_block._replace(text=f"{open_block.text}\n\n{region.text}")
            continue
        block = _block(region, names.get(id(region)))
        runs = region.kind == "plain text" and region.note is None
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


def _block(region: Region, figure: str | None) -> Block:
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
    )


def _gone_on(block: Block, region: Region, words: frozenset[str]) -> Block:
    """A paragraph with its next part, which begins in its last line."""
    shift = block.text.count("\n")
    items = (item.model_copy(update={"line": item.line + shift}) for item in region.items)
    return block._replace(
        text=join_lines(block.text, region.text, words),
        links=(*block.links, *region.links),
        items=(*block.items, *items),
    )


def _regions(document: Document, *, with_figures: bool) -> list[Region]:
    """Regions that say something; a table that goes on over pages is one."""
    found: list[Region] = []
    for region in (region for page in document.pages for region in page.regions):
        if region.kind == "figure" and with_figures:
            found.append(region)
        if region.kind in ("abandon", "figure") or not region.text.strip():
            continue
        if region.table is None or not region.continues:
            found.append(region)
            continue
        k = next((k for k in range(len(found) - 1, -1, -1) if found[k].table is not None), None)
        before = None if k is None else found[k].table
        if k is None or before is None:
            found.append(region)
            continue
        table = table_joined(before, region.table)
        found[k] = found[k].model_copy(update={"text": plain(table), "table": table})
    return found
