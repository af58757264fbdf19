"""Generated answers: which passages they cite, whether they say "not found", and removal of invented citations."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Sequence
from typing import Literal, Protocol

from pydantic import Field

from documents.boxes import Value
from documents.matching.printed_digits import unprinted_digits
from documents.region_values import TextRange
from retrieval.answers.citation_marks import MARK, CitationMarks
from retrieval.answers.prompt import NO_ANSWER, Message, write
from retrieval.errors import WriterFailed
from retrieval.search.passage import Passage, PassageBox

Outcome = Literal["answered", "uncited", "not_found", "failed"]
"""answered: with a citation at least. uncited: it names no passage, so nothing shows that the passages say it.
not_found: the passages do not contain the answer. failed: see `error`."""
WRAPPING_CHARACTERS = " \t\r\n\"'`*_<[("  # characters that models put before a word that stands by itself


class Piece(Value):
    """Text that a writer adds; the last piece has `finish_reason`."""

    text: str = ""
    finish_reason: Literal["stop", "length"] | None = None


class Writer(Protocol):
    """A language model. Errors are `WriterFailed`."""

    @property
    def name(self) -> str: ...

    async def count(self, text: str) -> int:
        """Tokens of a text, rather too many than too few."""
        ...

    def stream(self, messages: Sequence[Message], max_tokens: int) -> AsyncGenerator[Piece, None]:
        """What it writes; closing the generator ends its work."""
        ...


class Citation(Value):
    """What a mark in the text stands for."""

    number: int  # in the text, as [1]: the first of the passages is 1
    chunk_id: str
    document_id: str
    revision: int
    page: int
    boxes: tuple[PassageBox, ...]


class AnswerError(Value):
    """Why there is no answer, or not all of it."""

    code: str
    message: str
    retryable: bool = False


class WrittenAnswer(Value):
    """What was written from the passages, and what it rests on."""

    outcome: Outcome
    text: str = Field(default="", description="with marks such as [1]; empty where nothing was found")
    citations: tuple[Citation, ...] = Field(default=(), description="by their first mention in the text")
    dropped: tuple[str, ...] = Field(default=(), description="numbers that named no passage; they are not in the text")
    unproved: tuple[TextRange, ...] = Field(
        default=(), description="numbers in the text that none of the cited passages prints"
    )
    num_passages: int = Field(default=0, description="passages, from the first on, that the model was given")
    finish_reason: Literal["stop", "length"] | None = None
    model: str
    error: AnswerError | None = None


class Answerer:
    """Writes answers with one writer."""

    def __init__(
        self, writer: Writer, *, max_tokens: int, prompt_tokens: int, least_cosine: float | None = None
    ) -> None:
        """`prompt_tokens` bounds what is read, `max_tokens` what is written; of passages that are all farther than
        `least_cosine` from the question no model is asked.
        """
        self._writer = writer
        self._max_tokens = max_tokens
        self._prompt_tokens = prompt_tokens
        self._least_cosine = least_cosine

    async def stream(self, question: str, passages: Sequence[Passage]) -> AsyncGenerator[str | WrittenAnswer, None]:
        """Pieces of the text as they are written; the last item is the answer, whose text is all of them."""
        marks, text, finish_reason, num_passages = CitationMarks(0), "", None, 0
        error: AnswerError | None = None
        refused = not self._near(passages)
        if not refused:
            try:
                prompt = await write(question, passages, self._writer.count, self._prompt_tokens)
                num_passages = prompt.num_passages
                marks = CitationMarks(num_passages)
                stream = self._writer.stream(prompt.messages, self._max_tokens)
                async with contextlib.aclosing(_opened(stream)) as pieces:
                    async for piece in pieces:
                        if piece is None:
                            refused = True
                            break
                        finish_reason = piece.finish_reason or finish_reason
                        if visible_text := marks.push(piece.text):
                            text += visible_text
                            yield visible_text
                if rest := marks.finish():
                    text += rest
                    yield rest
                if not refused and not text.strip():
                    raise WriterFailed(f"{self._writer.name} wrote nothing", code="writer_silent", retryable=True)
            except WriterFailed as failed:
                error = AnswerError(code=failed.code, message=failed.message, retryable=failed.retryable)
        cited = marks.cited
        sources = [part for number in cited for part in (*passages[number - 1].heading_path, passages[number - 1].text)]
        unproved = await asyncio.to_thread(_unprinted, text, sources)
        outcome: Outcome = "failed" if error else "not_found" if refused else "answered" if cited else "uncited"
        yield WrittenAnswer(
            outcome=outcome,
            text=text,
            citations=tuple(_citation(number, passages[number - 1]) for number in cited),
            dropped=marks.dropped,
            unproved=unproved,
            num_passages=num_passages,
            finish_reason=finish_reason,
            model=self._writer.name,
            error=error,
        )

    def _near(self, passages: Sequence[Passage]) -> bool:
        """Whether there is anything to write from; where no cosine is known, words were found."""
        cosines = [hit.scores.vector for hit in passages if hit.scores.vector is not None]
        if self._least_cosine is None or not cosines:
            return bool(passages)
        return max(cosines) >= self._least_cosine


async def whole(stream: AsyncGenerator[str | WrittenAnswer, None]) -> WrittenAnswer:
    """The answer at the end of a stream."""
    async with contextlib.aclosing(stream) as pieces:
        last = [piece async for piece in pieces][-1]
    assert isinstance(last, WrittenAnswer)
    return last


async def _opened(stream: AsyncGenerator[Piece, None]) -> AsyncGenerator[Piece | None, None]:
    """The pieces, the first of them held back until it is clear that they are no refusal; None: they are one."""
    pending: str | None = ""
    async with contextlib.aclosing(stream) as pieces:
        async for piece in pieces:
            if pending is None:
                yield piece
                continue
            pending += piece.text
            opening = pending.lstrip(WRAPPING_CHARACTERS)
            if opening.startswith(NO_ANSWER):
                yield None
                return
            if not NO_ANSWER.startswith(opening) or piece.finish_reason is not None:
                yield Piece(text=pending, finish_reason=piece.finish_reason)
                pending = None
    if pending:  # ended without saying why
        yield Piece(text=pending)


def _unprinted(text: str, sources: Sequence[str]) -> tuple[TextRange, ...]:
    """Numbers of an answer that its sources do not print; those of its marks are our own."""
    marks = [match.span() for match in MARK.finditer(text)]
    ranges = unprinted_digits(text, sources)
    return tuple(one for one in ranges if not any(start <= one.start < end for start, end in marks))


def _citation(number: int, passage: Passage) -> Citation:
    return Citation(
        number=number,
        chunk_id=passage.chunk_id,
        document_id=passage.document_id,
        revision=passage.revision,
        page=passage.page,
        boxes=passage.boxes,
    )
