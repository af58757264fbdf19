"""Splits blocks that are too long for one chunk: at lines, table cells, then words."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from documents.boxes import BoundingBox
from documents.exports.printed_places import Printed, printed
from documents.exports.text_blocks import Block
from documents.places import Place
from documents.region_values import TextRange
from documents.text.placed_text import PlacedText, struck_ranges
from retrieval.chunking.chunk import ChunkKind, ChunkSpan
from retrieval.chunking.chunk_size import Budget
from retrieval.index.fulltext_terms import UNSPACED_RUN

CELL_SEPARATOR = " | "  # stands between the cells of a row
STRIKE_MARK = "~~"  # stands before and after deleted text
WHITE_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Piece:
    """A line or a cell, or the part of it that fits; `spans` say where it is printed, `block` counts the blocks."""

    text: str
    spans: tuple[ChunkSpan, ...]  # at least one, by the offsets in `text`
    kind: ChunkKind
    block: int
    gap: str = "\n"  # what parts it from the piece before it in its block
    row: int | None = None  # of a table; its cells are pieces of one line
    within_line: bool = False  # it begins in the middle of a printed line
    struck: tuple[TextRange, ...] = ()  # what is struck out of `text`; a chunk has it between `~~`

    @property
    def page(self) -> int:
        """The page that it begins on."""
        return self.spans[0].page


class OpenChunk:
    """Units of pieces that fit the budget together; the time they take is in line with their text.

    A unit is taken to cost at least half and at most twice beside others of what it costs alone: only where that does
    not decide are all counted together.
    """

    def __init__(self, budget: Budget, header: Sequence[Piece] = ()) -> None:
        """`header` is in every chunk and makes none alone."""
        self._budget = budget
        self._header = header
        self.pieces = list(header)
        self._text = text_of(header)
        self._counted_tokens = 0
        self._uncounted_tokens = 0

    @property
    def is_empty(self) -> bool:
        return len(self.pieces) == len(self._header)

    def add(self, unit: list[Piece]) -> bool:
        """Take the unit if it fits, or is the first; False: it is not taken."""
        text = (_between(self.pieces[-1], unit[0]) if self.pieces else "") + text_of(unit)
        whole = self._text + text
        remaining_tokens = self._budget.max_tokens - self._counted_tokens
        uncounted_tokens = self._uncounted_tokens + (0 if self.is_empty else self._budget.counter.count(text))
        is_long = len(whole) > self._budget.max_characters
        if not self.is_empty and (is_long or uncounted_tokens > 2 * remaining_tokens):
            return False
        if self.is_empty or 2 * uncounted_tokens > remaining_tokens:
            counted_tokens = self._budget.cost(whole)
            if not self.is_empty and counted_tokens > self._budget.max_tokens:
                return False
            self._counted_tokens, uncounted_tokens = counted_tokens, 0
        self._uncounted_tokens = uncounted_tokens
        self._text = whole
        self.pieces += unit
        return True


def filled(units: Iterable[list[Piece]], budget: Budget, header: Sequence[Piece] = ()) -> Iterator[list[Piece]]:
    """The pieces of chunks that each take as many units as fit, behind the header."""
    open_chunk = OpenChunk(budget, header)
    for unit in units:
        if not open_chunk.add(unit):
            yield open_chunk.pieces
            open_chunk = OpenChunk(budget, header)
            open_chunk.add(unit)
    if open_chunk.pieces:
        yield open_chunk.pieces


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
        if not between and not UNSPACED_RUN.search(meeting):
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
    struck_in_it = piece.struck[
        bisect_right(piece.struck, first, key=lambda words: words.end) : bisect_left(
            piece.struck, last, key=lambda words: words.start
        )
    ]
    struck = struck_ranges(
        piece.text[first:last], ((max(words.start, first) - first, words.end - first) for words in struck_in_it)
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
        return offset + len(STRIKE_MARK) * (bisect_left(begun, offset) + bisect_right(ended, offset))

    spans = tuple(
        span.model_copy(update={"text_start": moved(span.text_start), "text_end": moved(span.text_end)})
        for span in piece.spans
    )
    ends = [0, *(end for words in piece.struck for end in (words.start, words.end)), len(piece.text)]
    text = STRIKE_MARK.join(piece.text[start:end] for start, end in pairwise(ends))
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
    ends = [*(match.start() for match in WHITE_SPACE.finditer(text)), len(text)]
    num_words, num_characters = 1, 1  # of the part before, about as many as the next will have
    while start < len(text):
        first = bisect_right(ends, start)
        words = ends[first : first + budget.max_characters]
        num_words = _num_fitting(piece, start, words, num_words, budget)
        if num_words:
            end = words[num_words - 1]
        else:  # the first word alone is too long
            within = range(start + 1, words[0] + 1)
            num_characters = max(_num_fitting(piece, start, within, num_characters, budget), 1)
            end = start + num_characters
        part = _cut(piece, start, end)
        yield part if start else replace(part, gap=piece.gap, within_line=piece.within_line)
        gap = WHITE_SPACE.match(text, end)
        start = gap.end() if gap else end


def _num_fitting(piece: Piece, start: int, ends: Sequence[int], guess: int, budget: Budget) -> int:
    """Of the ends (ascending), how many there are up to the last one up to which the text from `start` fits.

    Longer texts are taken to cost more. It looks around `guess`, in steps that double, then between.
    """

    def fits(num_ends: int) -> bool:
        end = ends[num_ends - 1]
        return end - start <= budget.max_characters and budget.holds(_shown(piece, start, end))

    low, high = 0, len(ends) + 1  # `low` fits, `high` does not, or there are no such
    num_ends, step = min(max(guess, 1), len(ends)), 1
    while low < num_ends < high:
        if fits(num_ends):
            low, num_ends = num_ends, num_ends + step
        else:
            high, num_ends = num_ends, num_ends - step
        step *= 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def join(pieces: Sequence[Piece]) -> tuple[str, tuple[ChunkSpan, ...]]:
    """The text of a chunk, and where it is printed.

    Cells of a row are parted by BETWEEN, rows by a line break, blocks by two, lines as in their block.
    """
    spans: list[ChunkSpan] = []
    length = 0
    for k, piece in enumerate(map(_marked, pieces)):
        between = _between(pieces[k - 1], piece) if k else ""
        length += len(between)
        moved = [_moved(span, span.text_start, span.text_end, length) for span in piece.spans]
        if k and piece.within_line and piece.row is None and piece.block == pieces[k - 1].block:
            moved[0] = moved[0].model_copy(update={"text_start": spans.pop().text_start})
        spans += moved
        length += len(piece.text)
    return text_of(pieces), tuple(spans)


def text_of(pieces: Sequence[Piece]) -> str:
    """The text of `join`."""
    gaps = ["", *(_between(before, piece) for before, piece in pairwise(pieces))]
    return "".join(text for gap, piece in zip(gaps, pieces, strict=False) for text in (gap, _marked(piece).text))


def _between(before: Piece, piece: Piece) -> str:
    if before.block != piece.block:
        return "\n\n"
    if piece.row is None:
        return piece.gap
    return CELL_SEPARATOR if piece.row == before.row else "\n"
