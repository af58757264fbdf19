"""Splits blocks that are too long for one chunk: at lines, table cells, then words."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from documents.exports.printed_places import Printed, printed
from documents.exports.text_blocks import Block
from documents.text.placed_text import PlacedText, struck_ranges
from documents.values import BoundingBox, Place, RegionKind, TextRange
from retrieval.chunk import ChunkSpan
from retrieval.chunk_size import TokenCounter
from retrieval.fulltext_terms import UNPARTED

BETWEEN = " | "  # what parts the cells of a row
STRIKE = "~~"  # stands before and behind what is struck out
GAP = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Piece:
    """A line or a cell, or the part of it that fits; `spans` say where it is printed, `block` counts the blocks."""

    text: str
    spans: tuple[ChunkSpan, ...]  # at least one, by the offsets in `text`
    kind: RegionKind
    block: int
    gap: str = "\n"  # what parts it from the piece before it in its block
    row: int | None = None  # of a table; its cells are pieces of one line
    within_line: bool = False  # it begins in the middle of a printed line
    struck: tuple[TextRange, ...] = ()  # what is struck out of `text`; a chunk has it between `~~`

    @property
    def page(self) -> int:
        """The page that it begins on."""
        return self.spans[0].page


@dataclass(frozen=True, slots=True)
class Budget:
    """What a chunk may cost together with its headings."""

    counter: TokenCounter
    max_tokens: int
    prefix: str

    def holds(self, text: str) -> bool:
        return self.counter.count(self.prefix + text) <= self.max_tokens

    def cheap(self, text: str, share: int) -> bool:
        """Whether a text takes at most one part in `share` of what the headings leave."""
        remaining_tokens = self.max_tokens - self.counter.count(self.prefix)
        return share * self.counter.count(text) <= remaining_tokens

    def after(self, text: str) -> Budget:
        """What is left once a chunk begins with `text`."""
        return Budget(self.counter, self.max_tokens, self.prefix + text)


def cell_piece(
    words: PlacedText, page: int, at: tuple[BoundingBox | None, Place | None], block: int, row: int
) -> Piece:
    """A cell of a table, in its box or at its place."""
    span = ChunkSpan(page=page, box=at[0], place=at[1], text_start=0, text_end=len(words.text))
    return Piece(words.text, (span,), "table", block, row=row, struck=words.struck)


def pieces_of(block: Block, number: int) -> list[Piece]:
    """The printed lines of a block that has no table; a word that is broken over two is whole in the second."""
    lines = printed(block)
    if not lines:
        return []
    spans = tuple(
        ChunkSpan(page=one.page, box=one.box, place=one.place, text_start=one.start, text_end=one.end) for one in lines
    )
    cuts = [lines[0].start, *_cuts(block.text, lines), lines[-1].end]
    struck = PlacedText.with_struck(block.text, block.region.struck).struck
    whole = Piece(block.text, spans, block.region.kind, number, struck=struck)
    return [_cut(whole, start, end) for start, end in pairwise(cuts)]


def _cuts(text: str, lines: Sequence[Printed]) -> Iterator[int]:
    """Where the lines of a text may be parted: before a line, or before the word that it goes on with."""
    begin = lines[0].start
    for line, following in pairwise(lines):
        between = text[line.end : following.start]
        meeting = text[line.end - 1] + text[following.start]
        cut = following.start
        if not between and not UNPARTED.search(meeting):
            cut = max(text.rfind(space, begin, line.end) for space in " \n") + 1
        if cut > begin:
            yield cut
            begin = cut


def _cut(piece: Piece, start: int, end: int) -> Piece:
    """The part `text[start:end]` without the spaces around it, which part it from the one before."""
    text = piece.text[start:end]
    first, last = end - len(text.lstrip()), start + len(text.rstrip())
    before = first
    while before and piece.text[before - 1].isspace():
        before -= 1
    printed_in_it = slice(
        bisect_right(piece.spans, first, key=lambda span: span.text_end),
        bisect_left(piece.spans, last, key=lambda span: span.text_start),
    )
    spans = tuple(
        _moved(span, max(span.text_start, first), min(span.text_end, last), -first)
        for span in piece.spans[printed_in_it]
    )
    within = bool(spans) and piece.spans[printed_in_it][0].text_start < first
    struck = struck_ranges(
        piece.text[first:last], ((max(words.start, first) - first, words.end - first) for words in piece.struck)
    )
    return replace(
        piece,
        text=piece.text[first:last],
        spans=spans,
        gap=piece.text[before:first],
        within_line=within,
        struck=struck,
    )


def _marked(piece: Piece) -> Piece:
    """The piece with `~~` around what is struck out."""
    if not piece.struck:
        return piece
    begun, ended = [words.start for words in piece.struck], [words.end for words in piece.struck]

    def moved(offset: int) -> int:
        return offset + len(STRIKE) * (bisect_left(begun, offset) + bisect_right(ended, offset))

    spans = tuple(
        span.model_copy(update={"text_start": moved(span.text_start), "text_end": moved(span.text_end)})
        for span in piece.spans
    )
    ends = [0, *(end for words in piece.struck for end in (words.start, words.end)), len(piece.text)]
    text = STRIKE.join(piece.text[start:end] for start, end in pairwise(ends))
    return replace(piece, text=text, spans=spans, struck=())


def _shown(piece: Piece, start: int, end: int) -> str:
    """A part of the piece's text as a chunk has it."""
    return _marked(_cut(piece, start, end)).text if piece.struck else piece.text[start:end]


def _moved(span: ChunkSpan, start: int, end: int, by: int) -> ChunkSpan:
    place = span.place
    if place is not None and (start, end) != (span.text_start, span.text_end):
        place = place.characters(start - span.text_start, end - span.text_start)
    return ChunkSpan(page=span.page, box=span.box, place=place, text_start=start + by, text_end=end + by)


def parts(piece: Piece, budget: Budget) -> Iterator[Piece]:
    """A line that fits, or its longest parts that do, broken between words or, in a word too long, within it.

    What is counted grows in line with the text.
    """
    text, start = piece.text, 0
    if budget.holds(_shown(piece, 0, len(text))):
        yield piece
        return
    ends = [*(match.start() for match in GAP.finditer(text)), len(text)]
    while start < len(text):
        first = bisect_right(ends, start)
        end = _longest(piece, start, ends, first, budget)
        if end == start:  # the first word alone is too long
            within = range(start + 1, ends[first] + 1)
            end = max(_longest(piece, start, within, 0, budget), start + 1)
        part = _cut(piece, start, end)
        yield part if start else replace(part, gap=piece.gap, within_line=piece.within_line)
        gap = GAP.match(text, end)
        start = gap.end() if gap else end


def _longest(piece: Piece, start: int, ends: Sequence[int], first: int, budget: Budget) -> int:
    """The last of `ends` (ascending), from that of index `first` on, up to which the text from `start` fits.

    `start` where none does. Longer texts are taken to cost more, so that none is tried of twice the length that fits.
    """

    def fits(index: int) -> bool:
        return budget.holds(_shown(piece, start, ends[index]))

    low, step = first, 1  # those before `low` fit
    while low < len(ends) and fits(min(low + step, len(ends)) - 1):
        low, step = min(low + step, len(ends)), 2 * step
    high = min(low + step, len(ends)) - 1 if low < len(ends) else low  # does not fit, or is none
    while low < high:
        middle = (low + high) // 2
        if fits(middle):
            low = middle + 1
        else:
            high = middle
    return ends[low - 1] if low > first else start


def join(pieces: Sequence[Piece]) -> tuple[str, tuple[ChunkSpan, ...]]:
    """The text of a chunk, and where it is printed.

    Cells of a row are parted by BETWEEN, rows by a line break, blocks by two, lines as in their block.
    """
    texts: list[str] = []
    spans: list[ChunkSpan] = []
    length = 0
    for k, piece in enumerate(map(_marked, pieces)):
        between = _between(pieces[k - 1], piece) if k else ""
        length += len(between)
        moved = [_moved(span, span.text_start, span.text_end, length) for span in piece.spans]
        if k and piece.within_line and piece.row is None and piece.block == pieces[k - 1].block:
            moved[0] = moved[0].model_copy(update={"text_start": spans.pop().text_start})
        spans += moved
        texts += [between, piece.text]
        length += len(piece.text)
    return "".join(texts), tuple(spans)


def _between(before: Piece, piece: Piece) -> str:
    if before.block != piece.block:
        return "\n\n"
    if piece.row is None:
        return piece.gap
    return BETWEEN if piece.row == before.row else "\n"
