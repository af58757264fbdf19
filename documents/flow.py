"""The text of a document as blocks in reading order; furniture and the insides of figures are not part of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from documents.prose import joined, vocabulary
from documents.tables.joining import table_joined
from documents.tables.markup import plain
from documents.values import Document, Link, Region, RegionKind, Table


class Block(NamedTuple):
    """One heading, paragraph, list, caption, table or formula."""

    kind: RegionKind
    text: str
    level: int | None
    table: Table | None = None
    latex: str | None = None
    code: bool = False
    links: tuple[Link, ...] = ()


def blocks(document: Document) -> Iterator[Block]:
    """All blocks that have text; a paragraph that goes on in the next region is one block."""
    words = vocabulary(region.text for page in document.pages for region in page.regions)
    open_block: Block | None = None  # a paragraph that may go on
    waiting: list[Block] = []  # what stands between its parts
    for region in _regions(document):
        if region.continues and open_block is not None:
            text, links = joined(open_block.text, region.text, words), (*open_block.links, *region.links)
            open_block = open_block._replace(text=text, links=links)
            continue
        if region.code and open_block is not None and open_block.code and not waiting:
            open_block = open_block._replace(text=f"{open_block.text}\n\n{region.text}")
            continue
        block = Block(region.kind, region.text, region.level, region.table, region.latex, region.code, region.links)
        if region.kind == "plain text" or open_block is None:
            if open_block is not None:
                yield open_block
            yield from waiting
            waiting = []
            open_block = block if region.kind == "plain text" else None
            if open_block is None:
                yield block
        else:
            waiting.append(block)
    if open_block is not None:
        yield open_block
    yield from waiting


def _regions(document: Document) -> list[Region]:
    """Regions that say something; a table that goes on over pages is one."""
    found: list[Region] = []
    for region in (region for page in document.pages for region in page.regions):
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
