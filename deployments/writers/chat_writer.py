"""Generates text with an OpenAI-compatible server (`answers.url`): request, streaming, errors, its API key."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

import httpx
import httpx_sse

from configs.model_settings import AnswerSettings
from configs.settings import is_loopback
from retrieval.answers.answer import Piece
from retrieval.answers.prompt import Message
from retrieval.chunking.chunk_size import ByteCounter
from retrieval.errors import WriterBusy, WriterFailed

logger = logging.getLogger("ray.serve")
CONNECT_TIMEOUT_S = 10.0
MAX_TOKEN_CHARACTERS = 40  # per token; a server that sends more does not keep to `max_tokens`
MAX_LOGGED_CHARS = 500  # a refusal is cut to this length before it is logged
BUSY_STATUSES = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.REQUEST_TIMEOUT)


class ChatWriter:
    """`POST <url>/chat/completions`, streamed. No proxy stands before this machine, and no redirect is followed."""

    def __init__(self, settings: AnswerSettings, variables: Mapping[str, str]) -> None:
        """Raises ValueError where the variable that should hold the key is not set."""
        assert settings.url is not None
        assert settings.model is not None
        self.name = settings.model
        self._timeout_s = settings.timeout_s
        self._key = ""
        if settings.key_variable is not None:
            self._key = variables.get(settings.key_variable, "").strip()
            if not self._key:
                raise ValueError(f"answers.key_variable names {settings.key_variable}, which is not set")
        local = is_loopback(urlsplit(settings.url).hostname or "")
        self._http = httpx.AsyncClient(
            base_url=settings.url.rstrip("/") + "/",
            headers={"Authorization": f"Bearer {self._key}"} if self._key else {},
            timeout=httpx.Timeout(settings.timeout_s, connect=min(CONNECT_TIMEOUT_S, settings.timeout_s)),
            trust_env=not local,
        )
        self._counter = ByteCounter()

    async def count(self, text: str) -> int:
        """Tokens, by the bytes: the server's own tokenizer is not known."""
        return self._counter.count(text)

    async def stream(
        self, messages: Sequence[Message], max_tokens: int, response_format: Mapping[str, Any] | None = None
    ) -> AsyncGenerator[Piece, None]:
        """What the model writes. Raises WriterFailed: unauthorized, busy, refused, unreachable, slow, or broken."""
        deadline = asyncio.get_running_loop().time() + self._timeout_s
        remaining_characters = max_tokens * MAX_TOKEN_CHARACTERS
        pieces = self._pieces(messages, max_tokens, response_format)
        try:
            while True:
                async with asyncio.timeout_at(deadline):
                    piece = await anext(pieces, None)
                if piece is None:
                    return
                remaining_characters -= len(piece.text)
                if remaining_characters < 0:
                    yield Piece(text=piece.text[:remaining_characters], finish_reason="length")
                    return
                yield piece
        except (TimeoutError, httpx.TimeoutException):
            raise self._failed("writer_slow", f"did not answer within {self._timeout_s:g} s", retryable=True) from None
        except httpx.HTTPError as error:
            logger.warning("the answer of %s was interrupted: %s", self.name, type(error).__name__)
            raise self._failed("writer_unreachable", "cannot be reached, or disconnected", retryable=True) from None
        finally:
            await pieces.aclose()

    async def _pieces(
        self, messages: Sequence[Message], max_tokens: int, response_format: Mapping[str, Any] | None
    ) -> AsyncGenerator[Piece, None]:
        body = {
            "model": self.name,
            "messages": [message.model_dump() for message in messages],
            "max_tokens": max_tokens,
            "temperature": 0,
            "stream": True,
        }
        if response_format is not None:
            body["response_format"] = response_format
        async with httpx_sse.aconnect_sse(self._http, "POST", "chat/completions", json=body) as source:
            if not source.response.is_success:
                await source.response.aread()
                raise self._refusal(source.response)
            try:
                async for event in source.aiter_sse():
                    if event.data == "[DONE]":
                        return
                    if (piece := self._piece(event.data)) is not None:
                        yield piece
            except httpx_sse.SSEError:
                raise self._failed("writer_broken", "does not stream its answer") from None
        raise self._failed("writer_unreachable", "cannot be reached, or disconnected", retryable=True)

    def _piece(self, data: str) -> Piece | None:
        """What one event adds; None: nothing."""
        try:
            chunk: Any = json.loads(data)
            if "error" in chunk:
                logger.warning("%s failed in the middle: %s", self.name, self._without_key(data))
                raise self._failed("writer_broken", "failed in the middle of its answer", retryable=True)
            if not chunk["choices"]:
                return None  # such as the last one of usage
            choice = chunk["choices"][0]
            text, reason = choice["delta"].get("content") or "", choice.get("finish_reason")
            if not isinstance(text, str):
                raise TypeError("content is no text")
        except (ValueError, KeyError, TypeError, AttributeError, IndexError):
            raise self._failed("writer_broken", "does not answer like an OpenAI-compatible server") from None
        return Piece(text=text, finish_reason=None if reason is None else "length" if reason == "length" else "stop")

    def _refusal(self, response: httpx.Response) -> WriterFailed:
        status = response.status_code
        logger.warning("%s answered %d: %s", self.name, status, self._without_key(response.text))
        if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
            return self._failed("writer_unauthorized", "does not accept the key: see answers.key_variable")
        if status in BUSY_STATUSES or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            return WriterBusy(f"the model {self.name} answered {status}")
        return self._failed("writer_refused", f"answered {status}; the server's log says more")

    def _failed(self, code: str, reason: str, *, retryable: bool = False) -> WriterFailed:
        return WriterFailed(f"the model {self.name} {reason}", code=code, retryable=retryable)

    def _without_key(self, text: str) -> str:
        return (text.replace(self._key, "***") if self._key else text)[:MAX_LOGGED_CHARS]
