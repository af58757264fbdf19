"""Generates answers with a local engine; answers to concurrent queries share a batch."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, Sequence

from batching import FinishReason, PromptTooLong, RequestRefused, SamplingParams
from deployments.errors import Busy
from deployments.values.completions import LmRequest, Turn
from deployments.writers.lm_writer import NO_TOKEN_LIMIT, LmWriter
from retrieval.answers.answer import Piece
from retrieval.answers.prompt import Message
from retrieval.errors import WriterBusy, WriterFailed

STOP_STRING = "\nQuestion:"  # a model without a chat template goes on to invent the next question


class EngineWriter:
    """`retrieval.answers.answer.Writer` over LmWriter, whose thread tokenises.

    Instructions and question are one message, which every chat template has.
    """

    def __init__(self, writer: LmWriter, name: str) -> None:
        self._writer = writer
        self.name = name

    async def count(self, text: str) -> int:
        try:
            return await self._writer.count(text)
        except PromptTooLong:  # so is every prompt that holds it
            return NO_TOKEN_LIMIT

    async def stream(self, messages: Sequence[Message], max_tokens: int) -> AsyncGenerator[Piece, None]:
        """What the model writes; closing the generator frees its decode slot. Raises WriterFailed."""
        turn = Turn("user", "\n\n".join(message.content for message in messages))
        sampling = SamplingParams(max_tokens=max_tokens, stop=(STOP_STRING,))
        try:
            async with contextlib.aclosing(self._writer.stream(LmRequest(turns=(turn,), sampling=sampling))) as pieces:
                async for piece in pieces:
                    if piece.finish_reason is None:
                        yield Piece(text=piece.text)
                    else:
                        ended = "length" if piece.finish_reason is FinishReason.LENGTH else "stop"
                        yield Piece(text=piece.text, finish_reason=ended)
        except Busy as error:
            raise WriterBusy(f"{self.name}: {error.message}") from None
        except RequestRefused as error:
            raise WriterFailed(f"{self.name}: {error}", code="writer_refused") from None
