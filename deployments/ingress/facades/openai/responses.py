"""Responses of OpenAI's API for generated text: one JSON body, or a stream of chunks."""

from __future__ import annotations

import contextlib
import json
import logging
import time
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from typing import Any, Literal

from starlette.responses import JSONResponse, Response

from batching import FinishReason
from deployments.calls.cancellable_calls import stream
from deployments.calls.handles import LmHandle
from deployments.calls.remote_method import Response as PendingResponse
from deployments.ingress.server_sent_events import EventStream
from deployments.values.completions import LmPiece, LmRequest

logger = logging.getLogger("ray.serve")
Kind = Literal["chat.completion", "text_completion"]
REASONS = {FinishReason.LENGTH: "length", FinishReason.INCOMPLETE: "length"}


class Writing:
    """One call's answer in OpenAI's form; its counts are the model's own."""

    def __init__(self, kind: Kind, model: str) -> None:
        self._kind: Kind = kind
        self._model = model
        prefix = "chatcmpl" if kind == "chat.completion" else "cmpl"
        self._id = f"{prefix}-{uuid.uuid4().hex}"
        self._created = int(time.time())

    async def whole(self, pieces: AsyncGenerator[LmPiece, None]) -> Response:
        """The answer when all is written."""
        text, last = "", LmPiece()
        async with contextlib.aclosing(pieces):
            async for piece in pieces:
                text += piece.text
                last = piece
        reason = finish_reason(last)
        choice: dict[str, Any] = {"index": 0, "finish_reason": reason, "logprobs": None}
        if self._kind == "chat.completion":
            choice["message"] = {"role": "assistant", "content": text, "refusal": None}
        else:
            choice["text"] = text
        return JSONResponse(self._body(self._kind, [choice]) | {"usage": usage(last)})

    async def streamed(self, pieces: AsyncGenerator[LmPiece, None], include_usage: bool) -> Response:
        """Chunks as they are written; what is refused before the first is an answer with its own status."""
        first = await anext(pieces)
        return EventStream(self._events(first, pieces, include_usage))

    async def _events(
        self, first: LmPiece, pieces: AsyncGenerator[LmPiece, None], include_usage: bool
    ) -> AsyncIterator[str]:
        last = first
        async with contextlib.aclosing(pieces):
            try:
                if self._kind == "chat.completion":
                    yield self._chunk({"role": "assistant", "content": ""}, None)
                yield self._piece(first)
                async for piece in pieces:
                    last = piece
                    yield self._piece(piece)
            except Exception:  # the status is sent already: clients look for this form
                logger.exception("a text was interrupted")
                error = {
                    "message": "the text was interrupted",
                    "type": "server_error",
                    "code": "internal",
                    "param": None,
                }
                yield _event({"error": error})
                return
        if include_usage:
            yield _event(self._body(self._chunk_kind, []) | {"usage": usage(last)})
        yield "data: [DONE]\n\n"

    def _piece(self, piece: LmPiece) -> str:
        reason = None if piece.finish_reason is None else finish_reason(piece)
        return self._chunk({"content": piece.text} if piece.text else {}, reason)

    def _chunk(self, delta: dict[str, str], reason: str | None) -> str:
        choice: dict[str, Any] = {"index": 0, "finish_reason": reason, "logprobs": None}
        if self._kind == "chat.completion":
            choice["delta"] = delta
        else:
            choice["text"] = delta.get("content", "")
        return _event(self._body(self._chunk_kind, [choice]))

    @property
    def _chunk_kind(self) -> str:
        return "chat.completion.chunk" if self._kind == "chat.completion" else "text_completion"

    def _body(self, kind: str, choices: list[dict[str, Any]]) -> dict[str, Any]:
        return {
            "id": self._id, "object": kind, "created": self._created, "model": self._model, "choices": choices
        }  # fmt: skip


async def pieces_of(
    lm: LmHandle, request: LmRequest, pictures: Sequence[PendingResponse[Any]] = ()
) -> AsyncGenerator[LmPiece, None]:
    """What the model writes; leaving the generator frees its decode slot."""
    async with stream(lm.options(stream=True).write.remote(request, *pictures), *pictures) as pieces:
        async for piece in pieces:
            yield piece


def finish_reason(piece: LmPiece) -> str:
    """OpenAI knows fewer: an output that is cut before it was what its schema asks for has `length`, too."""
    return "stop" if piece.finish_reason is None else REASONS.get(piece.finish_reason, "stop")


def usage(last: LmPiece) -> dict[str, int]:
    """Tokens of prompt and output, as the model counted them; the stop token is one of them."""
    return {
        "prompt_tokens": last.num_prompt,
        "completion_tokens": last.num_output,
        "total_tokens": last.num_prompt + last.num_output,
    }


def _event(body: dict[str, Any]) -> str:
    return f"data: {json.dumps(body, ensure_ascii=False)}\n\n"
