"""Generates JSON that follows a schema, with the local language model or an OpenAI-compatible server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from ray.exceptions import TaskCancelledError

from batching import FinishReason, Guide, SamplingParams
from batching.requests.completion import NORMAL_FINISH_REASONS
from configs import Settings
from deployments.calls.call_retries import with_retries
from deployments.calls.cancellable_calls import stream
from deployments.calls.handles import LmHandle
from deployments.errors import Busy, Lost, ReplicaDied
from deployments.schema_check import SchemaCheck
from deployments.values.completions import LmPiece, LmRequest, Turn
from deployments.writers.chat_writer import ChatWriter
from retrieval.answers.prompt import Message
from retrieval.errors import WriterBusy, WriterFailed
from retrieval.extraction.extractor import Extractor, JsonWriter, WrittenJson
from retrieval.extraction.schema import finite_json


class LmJson:
    """By the deployment of the language model: every token follows the schema."""

    def __init__(self, lm: LmHandle, name: str, *, attempts: int | None = None) -> None:
        """`attempts`: replicas that may end over one text, which waits for the next; None: a person waits, it fails."""
        self._lm = lm
        self.name = name
        self._attempts = attempts

    async def write_json(self, messages: Sequence[Message], schema: Mapping[str, Any], max_tokens: int) -> WrittenJson:
        """See JsonWriter.

        Raises:
            RequestRefused: no model can follow the schema, or the prompt is longer than this one's context.
        """
        turns = tuple(Turn(message.role, message.content) for message in messages)
        sampling = SamplingParams(max_tokens=max_tokens, guide=Guide.json_schema(schema))
        request = LmRequest(turns=turns, sampling=sampling)
        try:
            if self._attempts is None:
                return await self._written(request)
            return await with_retries(lambda: self._written(request), attempts=self._attempts)
        except (Busy, ReplicaDied, Lost) as error:
            raise WriterBusy(f"{self.name}: {error.message}") from None

    async def _written(self, request: LmRequest) -> WrittenJson:
        text, last = "", LmPiece()
        try:
            async with stream(self._lm.options(stream=True).write.remote(request)) as pieces:
                async for piece in pieces:
                    text += piece.text
                    last = piece
        except TaskCancelledError as error:  # not by us: that would be asyncio's own
            raise ReplicaDied(f"the replica gave the call up: {error}") from None
        if last.finish_reason not in NORMAL_FINISH_REASONS:
            raise ReplicaDied(f"the replica stopped in the middle, after {last.num_output} tokens")
        if last.finish_reason is not FinishReason.STOP:
            raise WriterFailed(f"{self.name} had not written all after {last.num_output} tokens", code="writer_cut")
        return WrittenJson(text=text, num_prompt_tokens=last.num_prompt, num_output_tokens=last.num_output)


class ChatJson:
    """By an OpenAI-compatible server, which may or may not keep to `response_format`: what it wrote is checked."""

    def __init__(self, writer: ChatWriter) -> None:
        self._writer = writer
        self.name = writer.name
        self._schema_check = SchemaCheck()

    async def write_json(self, messages: Sequence[Message], schema: Mapping[str, Any], max_tokens: int) -> WrittenJson:
        """See JsonWriter. Raises ExtractionRefused where the schema takes too long to check."""
        form = {"type": "json_schema", "json_schema": {"name": "extraction", "schema": schema, "strict": True}}
        text, reason = "", None
        async for piece in self._pieces(messages, max_tokens, form):
            text += piece.text
            reason = piece.finish_reason or reason
        if reason == "length":
            raise WriterFailed(f"{self.name} had not written all after {max_tokens} tokens", code="writer_cut")
        await self._check(text, schema)
        return WrittenJson(text=text)

    def _pieces(self, messages: Sequence[Message], max_tokens: int, form: Mapping[str, Any]) -> AsyncIterator[Any]:
        return self._writer.stream(messages, max_tokens, response_format=form)

    async def _check(self, text: str, schema: Mapping[str, Any]) -> None:
        try:
            finite_json(text)
        except (ValueError, RecursionError):
            raise WriterFailed(f"{self.name} wrote no JSON", code="writer_invalid_json", retryable=True) from None
        if (fault := await self._schema_check.violation(text, schema)) is not None:
            message = f"{self.name} wrote JSON that violates the schema: {fault}"
            raise WriterFailed(message, code="writer_invalid_json", retryable=True)


def extractor_by(
    settings: Settings, lm: LmHandle | None, variables: Mapping[str, str], *, lm_attempts: int | None = None
) -> Extractor | None:
    """With the server that `answers.url` names, else our own model, with `attempts` of LmJson; None: there is neither.

    Raises ValueError where the variable that should hold the key is not set.
    """
    writer: JsonWriter
    if settings.answers.url is not None:
        writer = ChatJson(ChatWriter(settings.answers, variables))
    elif lm is not None:
        writer = LmJson(lm, lm_name(settings), attempts=lm_attempts)
    else:
        return None
    bounds = settings.extract
    return Extractor(
        writer, prompt_tokens=bounds.prompt_tokens, max_tokens=bounds.max_tokens, max_calls=bounds.max_calls
    )


def lm_name(settings: Settings) -> str:
    """Of our own model, as `Lm` says it of itself: the last part of its folder or id."""
    return (settings.lm.model or "").rstrip("/").rsplit("/", 1)[-1]
