"""Makes chunks of the comments on a document's pages, which are no part of its text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from documents.values import Annotation, Document, Page
from retrieval.chunking.chunk import Chunk, ChunkIds, ChunkSpan, heading_prefix
from retrieval.chunking.chunk_parts import Piece, filled, join, parts
from retrieval.chunking.chunk_size import Budget, TokenCounter
from retrieval.chunking.chunker import HEADING_DIVISOR, chunk

TEXT_COMMENT_KINDS = ("free_text", "stamp")  # kinds of comments whose words are printed on the page


def all_chunks(document: Document, counter: TokenCounter, max_tokens: int) -> list[Chunk]:
    """The chunks of a document's text, and behind them those of its comments. Raises as `chunk`."""
    return [*chunk(document, counter, max_tokens), *comment_chunks(document, counter, max_tokens)]


def comment_chunks(document: Document, counter: TokenCounter, max_tokens: int) -> list[Chunk]:
    """A chunk, or several if it is long, for each comment with the words that it marks and its answers.

    Marks that nobody commented make none: their words are in the text. The heading path is the author.
    """
    ids = ChunkIds(document.id, "comments")
    chunks: list[Chunk] = []
    for page in document.pages:
        for thread in _threads(page.annotations):
            path = _affordable(thread[0].author, Budget(counter, max_tokens // HEADING_DIVISOR, ""))
            budget = Budget(counter, max_tokens, heading_prefix(path))
            units = ([part] for piece in _pieces(page, thread) for part in parts(piece, budget))
            for pieces in filled(units, budget):
                text, spans = join(pieces)
                chunks.append(
                    Chunk(
                        id=ids.next(path, text),
                        text=text,
                        heading_path=path,
                        spans=spans,
                        num_tokens=counter.count(heading_prefix(path) + text),
                        kind="comment",
                    )
                )
    return chunks


def _threads(annotations: Sequence[Annotation]) -> Iterator[list[Annotation]]:
    """Comments, each with its answers behind it, in the order of the file."""
    threads: dict[int, list[Annotation]] = {}
    for annotation, first in zip(annotations, _firsts_of_threads(annotations), strict=True):
        threads.setdefault(first, []).append(annotation)
    for first, thread in sorted(threads.items()):
        ordered = sorted(thread, key=lambda annotation: annotation is not annotations[first])
        if any(one.text or (one.kind in TEXT_COMMENT_KINDS and one.words) for one in thread):
            yield ordered


def _firsts_of_threads(annotations: Sequence[Annotation]) -> list[int]:
    """Of each comment the one that the answers lead to, each looked at once; of answers in a circle, the first."""
    firsts: dict[int, int] = {}
    for index in range(len(annotations)):
        path: dict[int, int] = {}  # comments on the way, each with its place in it
        above: int | None = index
        last = index
        while above is not None and 0 <= above < len(annotations) and above not in path and above not in firsts:
            path[above] = len(path)
            last = above
            above = annotations[above].reply_to
        if above in firsts:
            first = firsts[above]
        elif above in path:
            first = min(list(path)[path[above] :])
        else:
            first = last
        firsts.update(dict.fromkeys(path, first))
    return [firsts[index] for index in range(len(annotations))]


def _pieces(page: Page, thread: Sequence[Annotation]) -> Iterator[Piece]:
    for block, annotation in enumerate(thread):
        if annotation.words:
            yield _piece(page, annotation.words, annotation, 2 * block)
        for line in annotation.text.splitlines():
            if line.strip():
                yield _piece(page, line.strip(), annotation, 2 * block + 1)


def _piece(page: Page, text: str, annotation: Annotation, block: int) -> Piece:
    box = annotation.box if annotation.place is None else None
    span = ChunkSpan(page=page.number, box=box, place=annotation.place, text_start=0, text_end=len(text))
    return Piece(text, (span,), "comment", block)


def _affordable(author: str, budget: Budget) -> tuple[str, ...]:
    return (author,) if author and budget.holds(heading_prefix((author,))) else ()
