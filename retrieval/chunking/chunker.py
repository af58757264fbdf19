"""Splits a document into chunks: which blocks and headings go together, without exceeding the chunk size.

A chunk stands on one page, so that a citation names the right one; only a paragraph that runs over the page's end, and
a heading whose text begins on the next, take it along.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from documents.exports.linked_text import struck_text
from documents.exports.text_blocks import blocks
from documents.region_values import Region, RegionKind, TitleRegion, table_in
from documents.text.placed_text import PlacedText
from documents.values import Document
from retrieval.chunking.chunk import Chunk, ChunkIds, ChunkKind, heading_prefix
from retrieval.chunking.chunk_parts import OpenChunk, Piece, join, parts, pieces_of, text_of
from retrieval.chunking.chunk_size import Budget, TokenCounter
from retrieval.chunking.table_chunks import Rows, pack_table, rows_of

HEADING_DIVISOR = 4  # headings may take one part in four of the budget
MAX_TITLE_CHARACTERS = 2000  # only the end of a longer heading is kept; every chunk below the heading repeats it
MIN_BUDGET_TOKENS = 16  # room for headings and any single character
# the words of these regions form no sentences, so each has its own chunks
UNMERGED_KINDS: tuple[RegionKind, ...] = ("table", "figure")


@dataclass(frozen=True, slots=True)
class Section:
    """Blocks under one heading; the heading's own lines come first."""

    heading_path: tuple[str, ...]
    blocks: list[list[Piece] | Rows]


def chunk(document: Document, counter: TokenCounter, max_tokens: int, *, merge: bool = True) -> list[Chunk]:
    """Cut a document into chunks of at most `max_tokens`, split on blocks, else lines, else words.

    Small neighbours of a page under the same heading share a chunk, unless `merge` is off; a table or a figure never
    shares one, and titles always go with what follows them. Raises ValueError for a budget that could not hold
    every single character.
    """
    if max_tokens < MIN_BUDGET_TOKENS:
        raise ValueError(f"a chunk needs a budget of at least {MIN_BUDGET_TOKENS} tokens")
    cut: list[tuple[tuple[str, ...], list[Piece]]] = []
    for section in _sections(document):
        path = _affordable(section.heading_path, Budget(counter, max_tokens // HEADING_DIVISOR, ""))
        budget = Budget(counter, max_tokens, heading_prefix(path))
        for group in _grouped(section.blocks, merge=merge):
            cut += ((path, pieces) for pieces in _packed(group, budget))
    ids = ChunkIds(document.id)
    return [_chunk(ids, path, pieces, counter) for path, pieces in cut]


def _sections(document: Document) -> Iterator[Section]:
    """Titles that follow one another directly open one section together."""
    path: list[tuple[int, str]] = []
    section, only_titles = Section((), []), True
    for title, content in _contents(document):
        if title is None:
            only_titles = False
        else:
            path = [above for above in path if above[0] < title[0]]
            path.append(title)
            if section.blocks and not only_titles:
                yield section
                section, only_titles = Section((), []), True
            section = replace(section, heading_path=tuple(words for _, words in path))
        section.blocks.append(content)
    if section.blocks:
        yield section


def _contents(document: Document) -> Iterator[tuple[tuple[int, str] | None, list[Piece] | Rows]]:
    """The pieces of each block, of a table by its parts; with the level and the words of a title."""
    number, table = 0, None
    for block in blocks(document, with_figures=True):
        if table_in(block.region) is not None:
            for part in block.parts:
                table = rows_of(part.region, part.page, number, table)
                if table.header or table.rows:
                    yield None, table
                    number += 1
        elif pieces := pieces_of(block, number):
            yield _title(block.region), pieces
            number += 1


def _title(region: Region) -> tuple[int, str] | None:
    if not isinstance(region, TitleRegion):
        return None
    words = PlacedText.with_struck(region.text, region.struck).on_one_line
    return region.level or 1, struck_text(words.text, words.struck)[-MAX_TITLE_CHARACTERS:].lstrip()


def _grouped(contents: list[list[Piece] | Rows], *, merge: bool) -> list[list[list[Piece] | Rows]]:
    """The blocks that may share a chunk."""
    if merge:
        return [[content for _, content in group] for _, group in groupby(enumerate(contents), key=_apart)]
    groups: list[list[list[Piece] | Rows]] = []
    titles: list[list[Piece] | Rows] = []
    for content in contents:
        if isinstance(content, list) and content[0].kind == "title":
            titles.append(content)
        elif isinstance(content, list) and content[0].kind not in UNMERGED_KINDS:
            groups.append([*titles, content])
            titles = []
        else:
            groups += [titles, [content]] if titles else [[content]]
            titles = []
    return [*groups, titles] if titles else groups


def _apart(numbered: tuple[int, list[Piece] | Rows]) -> int:
    """Equal for neighbours that may share a chunk."""
    number, content = numbered
    return number if isinstance(content, Rows) or content[0].kind in UNMERGED_KINDS else -1


def _packed(contents: list[list[Piece] | Rows], budget: Budget) -> Iterator[list[Piece]]:
    if isinstance(contents[0], Rows):
        return pack_table(contents[0], budget)
    return _pack([content for content in contents if not isinstance(content, Rows)], budget)


def _affordable(path: tuple[str, ...], budget: Budget) -> tuple[str, ...]:
    """The headings, without the farthest words of those above where all would cost too much; fewer words cost less."""

    def fits(num_dropped: int) -> bool:
        return budget.holds(heading_prefix(_without_words(path, num_dropped)))

    num_words = sum(_num_words(title) for title in path)
    return path if fits(0) else _without_words(path, bisect_left(range(num_words), True, key=fits))


def _without_words(path: tuple[str, ...], num_dropped: int) -> tuple[str, ...]:
    """The headings without that many words from the left; one without words counts as one."""
    for k, title in enumerate(path):
        if num_dropped < _num_words(title):
            return (" ".join(title.split()[num_dropped:]), *path[k + 1 :]) if num_dropped else path[k:]
        num_dropped -= _num_words(title)
    return ()


def _num_words(title: str) -> int:
    return max(1, len(title.split()))


def _pack(contents: list[list[Piece]], budget: Budget) -> Iterator[list[Piece]]:
    """Fill chunks with whole blocks of a page; a block that no chunk can hold is packed line by line."""
    open_chunk = OpenChunk(budget)
    for pieces in contents:
        if _turned(open_chunk.pieces, pieces):
            yield open_chunk.pieces
            open_chunk = OpenChunk(budget)
        whole = budget.holds(text_of(pieces))
        units = [pieces] if whole else ([part] for piece in pieces for part in parts(piece, budget))
        for unit in units:
            if not open_chunk.add(unit):
                yield open_chunk.pieces
                open_chunk = OpenChunk(budget)
                open_chunk.add(unit)
    if open_chunk.pieces:
        yield open_chunk.pieces


def _turned(open_chunk: list[Piece], pieces: list[Piece]) -> bool:
    """Whether the block that comes now begins on another page than a chunk's text."""
    body = next((piece for piece in open_chunk if piece.kind != "title"), None)
    return body is not None and body.page != pieces[0].page


def _chunk(ids: ChunkIds, path: tuple[str, ...], pieces: list[Piece], counter: TokenCounter) -> Chunk:
    text, spans = join(pieces)
    weights = Counter[ChunkKind]()
    for piece in pieces:
        weights[piece.kind] += len(piece.text) if piece.kind != "title" else 0  # a heading lends no kind to its text
    return Chunk(
        id=ids.next(path, text),
        text=text,
        heading_path=path,
        spans=spans,
        num_tokens=counter.count(heading_prefix(path) + text),
        kind=weights.most_common(1)[0][0],
    )
