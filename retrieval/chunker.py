"""Chunks hold each printed line of a document once, in reading order, and never more tokens than the embedder sees.

A chunk stands on one page, so that a citation names the right one; only a sentence that runs over the page's end, and
a heading whose text begins on the next, take it along.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from documents.values import BoundingBox, Document, Page, Region, RegionKind
from retrieval.chunk import Chunk, ChunkSpan, chunk_id, heading_prefix
from retrieval.pieces import Budget, Piece, join, parts
from retrieval.table_rows import Rows, pack_table, rows_of
from retrieval.tokens import TokenCounter

FOOTNOTE = re.compile(r"(\[?\d{1,3}\]?[.)]?|[*†‡§¶a-d])\s*[^\W\d]")
MIN_FOOTNOTE_WORDS = 4
HEADING_SHARE = 4  # headings may take one part in four of the budget
MIN_BUDGET = 16  # tokens: room for headings and any single character


@dataclass(frozen=True, slots=True)
class Section:
    """Regions under one heading; the heading's own lines come first."""

    heading_path: tuple[str, ...]
    regions: list[list[Piece] | Rows]


def chunk(document: Document, counter: TokenCounter, max_tokens: int, *, merge: bool = True) -> list[Chunk]:
    """Cut a document into chunks of at most `max_tokens`, split on regions, else lines, else words.

    Small neighbours of a page under the same heading share a chunk, unless `merge` is off; a table never shares one,
    and titles always go with what follows them. Raises ValueError for a budget that could not hold every single
    character.
    """
    if max_tokens < MIN_BUDGET:
        raise ValueError(f"a chunk needs a budget of at least {MIN_BUDGET} tokens")
    cut: list[tuple[tuple[str, ...], list[Piece]]] = []
    for section in _sections(document):
        path = _affordable(section.heading_path, counter, max_tokens // HEADING_SHARE)
        budget = Budget(counter, max_tokens, heading_prefix(path))
        for group in _grouped(section.regions, merge=merge):
            cut += ((path, pieces) for pieces in _packed(group, budget))
    return [_chunk(chunk_id(document.id, k), path, pieces, counter) for k, (path, pieces) in enumerate(cut)]


def is_footnote(region: Region, page: Page) -> bool:
    """Whether an `abandon` region is a note at the page's foot rather than a running head or a page number."""
    text = " ".join(region_text for region_text, _ in _lines(region))
    low = region.box.center[1] > page.size[1] / 2
    return low and bool(FOOTNOTE.match(text)) and len(text.split()) >= MIN_FOOTNOTE_WORDS and text.endswith((".", ")"))


def _sections(document: Document) -> Iterator[Section]:
    """Titles that follow one another directly open one section together."""
    path: list[tuple[int, str]] = []
    section, only_titles = Section((), []), True
    for region, pieces in _regions(document):
        if region.kind != "title":
            only_titles = False
        else:
            level = region.level or 1
            path = [above for above in path if above[0] < level]
            path.append((level, " ".join(piece.text for piece in pieces) if isinstance(pieces, list) else ""))
            if section.regions and not only_titles:
                yield section
                section, only_titles = Section((), []), True
            section = replace(section, heading_path=tuple(title for _, title in path))
        section.regions.append(pieces)
    if section.regions:
        yield section


def _regions(document: Document) -> Iterator[tuple[Region, list[Piece] | Rows]]:
    """Regions that say something, in reading order, without running heads."""
    number, table = 0, None
    for page in document.pages:
        for region in sorted(page.regions, key=lambda region: region.order):
            if region.table is not None and any(cell.text.strip() for cell in region.table.cells):
                table = rows_of(region, page.number, number, table)
                yield region, table
                number += 1
                continue
            lines = _lines(region)
            if not lines or (region.kind == "abandon" and not is_footnote(region, page)):
                continue
            goes_on = region.continues
            yield region, [Piece(text, page.number, box, region.kind, number, goes_on=goes_on) for text, box in lines]
            number += 1


def _lines(region: Region) -> list[tuple[str, BoundingBox]]:
    """The region's lines that are not blank; of a region read as a whole each line has the region's box."""
    spans = [(text, span.box) for span in region.spans if (text := span.text.strip())]
    return spans or [(text, region.box) for line in region.text.splitlines() if (text := line.strip())]


def _grouped(regions: list[list[Piece] | Rows], *, merge: bool) -> list[list[list[Piece] | Rows]]:
    """The regions that may share a chunk."""
    if merge:
        return [[region for _, region in group] for _, group in groupby(enumerate(regions), key=_apart)]
    groups: list[list[list[Piece] | Rows]] = []
    titles: list[list[Piece] | Rows] = []
    for region in regions:
        if isinstance(region, list) and region[0].kind == "title":
            titles.append(region)
        elif isinstance(region, list) and region[0].kind != "table":
            groups.append([*titles, region])
            titles = []
        else:
            groups += [titles, [region]] if titles else [[region]]
            titles = []
    return [*groups, titles] if titles else groups


def _apart(region: tuple[int, list[Piece] | Rows]) -> int:
    """Equal for neighbours that may share a chunk: a table stands alone."""
    number, content = region
    return number if isinstance(content, Rows) or content[0].kind == "table" else -1


def _packed(regions: list[list[Piece] | Rows], budget: Budget) -> Iterator[list[Piece]]:
    if isinstance(regions[0], Rows):
        return pack_table(regions[0], budget)
    return _pack([region for region in regions if not isinstance(region, Rows)], budget)


def _affordable(path: tuple[str, ...], counter: TokenCounter, max_tokens: int) -> tuple[str, ...]:
    """The headings, without the farthest words of those above where all would cost too much."""
    while path and counter.count(heading_prefix(path)) > max_tokens:
        words = path[0].split()
        path = (" ".join(words[1:]), *path[1:]) if len(words) > 1 else path[1:]
    return path


def _pack(regions: list[list[Piece]], budget: Budget) -> Iterator[list[Piece]]:
    """Fill chunks with whole regions of a page; a region that no chunk can hold is packed line by line."""
    open_chunk: list[Piece] = []
    for pieces in regions:
        if _turned(open_chunk, pieces):
            yield open_chunk
            open_chunk = []
        whole = budget.holds(join(pieces)[0])
        units = [pieces] if whole else [[part] for piece in pieces for part in parts(piece, budget)]
        for unit in units:
            if open_chunk and not budget.holds(join(open_chunk + unit)[0]):
                yield open_chunk
                open_chunk = []
            open_chunk = open_chunk + unit
    if open_chunk:
        yield open_chunk


def _turned(open_chunk: list[Piece], pieces: list[Piece]) -> bool:
    """Whether a page was turned between a chunk's text and what comes now, and no sentence runs over it."""
    body = next((piece for piece in open_chunk if piece.kind != "title"), None)
    return body is not None and body.page != pieces[0].page and not pieces[0].goes_on


def _chunk(name: str, path: tuple[str, ...], pieces: list[Piece], counter: TokenCounter) -> Chunk:
    text, places = join(pieces)
    spans = (
        ChunkSpan(page=piece.page, box=piece.box, text_start=start, text_end=end)
        for piece, (start, end) in zip(pieces, places, strict=True)
    )
    weights = Counter[RegionKind]()
    for piece in pieces:
        weights[piece.kind] += len(piece.text) if piece.kind != "title" else 0  # a heading lends no kind to its text
    return Chunk(
        id=name,
        text=text,
        heading_path=path,
        spans=tuple(spans),
        num_tokens=counter.count(heading_prefix(path) + text),
        kind=weights.most_common(1)[0][0],
    )
