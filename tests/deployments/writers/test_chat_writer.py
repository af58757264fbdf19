"""Answers by an OpenAI-compatible server: a real one on loopback, which says what a test wants."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from configs.model_settings import AnswerSettings
from deployments.writers.chat_writer import MAX_TOKEN_CHARACTERS, ChatWriter
from retrieval.answers.prompt import Message
from retrieval.errors import WriterFailed

KEY = "sk-secret-of-the-tests"
ASKED = [Message(role="system", content="Be brief."), Message(role="user", content="Who?")]
STREAM = "text/event-stream"


def chunk(text: str | None, reason: str | None = None) -> str:
    body = {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": reason}]}
    return f"data: {json.dumps(body)}\n\n"


class ChatServer:
    """Answers every request with one status, type and body, and notes what it was asked."""

    def __init__(self, body: str = "", status: int = 200, kind: str = STREAM, *, silent: bool = False) -> None:
        self._body, self._status, self._kind, self._silent = body, status, kind, silent
        self.asked: list[tuple[str, dict[str, str], Any]] = []
        self.left = asyncio.Event()

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        body = json.loads(await reader.readexactly(int(headers["content-length"])))
        self.asked.append((first, headers, body))
        head = f"HTTP/1.1 {self._status} So\r\ncontent-type: {self._kind}\r\nconnection: close\r\n"
        writer.write(f"{head}location: http://127.0.0.1:1/\r\n\r\n{self._body}".encode())
        await writer.drain()
        if self._silent:
            await reader.read()  # until the client goes
            self.left.set()
        writer.close()


@asynccontextmanager
async def serving(chat: ChatServer) -> AsyncIterator[str]:
    server = await asyncio.start_server(chat.answer, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    finally:
        server.close()


def written(chat: ChatServer, *, max_tokens: int = 50, **options: Any) -> list[Any]:
    """The pieces, and the error at the end if there is one."""

    async def run() -> list[Any]:
        async with serving(chat) as url:
            settings = AnswerSettings(url=url, model="tester", key_variable="THE_KEY", **options)
            writer = ChatWriter(settings, {"THE_KEY": f"{KEY}\n"})
            pieces: list[Any] = []
            try:
                async for piece in writer.stream(ASKED, max_tokens):
                    pieces.append(piece)  # noqa: PERF401 # what came before an error is kept
            except WriterFailed as error:
                pieces.append(error)
            finally:
                await writer._http.aclose()
            return pieces

    return asyncio.run(asyncio.wait_for(run(), 30))


def test_what_is_asked_and_what_comes_are_in_the_servers_form() -> None:
    """Guards against a call that only our own fake understands: path, key and fields are those of OpenAI."""
    body = chunk("") + ": a comment\n\n" + chunk("The harbour ") + chunk("master [1].") + chunk(None, "stop")
    chat = ChatServer(body + 'data: {"choices": [], "usage": {}}\n\n' + "data: [DONE]\n\n")
    pieces = written(chat)
    assert "".join(piece.text for piece in pieces) == "The harbour master [1]."
    assert [piece.finish_reason for piece in pieces if piece.finish_reason] == ["stop"]
    ((first, headers, sent_body),) = chat.asked
    assert first == "POST /v1/chat/completions HTTP/1.1"
    assert headers["authorization"] == f"Bearer {KEY}"
    assert (sent_body["model"], sent_body["max_tokens"], sent_body["stream"]) == ("tester", 50, True)
    assert sent_body["messages"] == [message.model_dump() for message in ASKED]


@pytest.mark.parametrize(
    ("chat", "code", "retryable"),
    [
        (lambda: ChatServer("{}", 401, "application/json"), "writer_unauthorized", False),
        (lambda: ChatServer("{}", 429, "application/json"), "writer_busy", True),
        (lambda: ChatServer("{}", 503, "application/json"), "writer_busy", True),
        (lambda: ChatServer("{}", 400, "application/json"), "writer_refused", False),
        (lambda: ChatServer("", 307), "writer_refused", False),
        (lambda: ChatServer("<html>", 200, "text/html"), "writer_broken", False),
        (lambda: ChatServer("data: {not json\n\n"), "writer_broken", False),
        (lambda: ChatServer('data: {"choices": [{}]}\n\n'), "writer_broken", False),
        (lambda: ChatServer('data: {"error": {"message": "no memory"}}\n\n'), "writer_broken", True),
        (lambda: ChatServer(chunk("Half an ")), "writer_unreachable", True),
    ],
)
def test_what_goes_wrong_is_told_by_a_code(chat: Any, code: str, retryable: bool) -> None:
    """An error that says nothing cannot be fixed."""
    error = written(chat())[-1]
    assert isinstance(error, WriterFailed)
    assert (error.code, error.retryable) == (code, retryable)


def test_a_server_that_is_not_there_or_says_nothing_is_not_waited_for() -> None:
    """Guards against queries that hang with their model."""
    silent = written(ChatServer(chunk("It is "), silent=True), timeout_s=3)
    assert (silent[0].text, silent[-1].code) == ("It is ", "writer_slow")

    async def nobody() -> str:
        writer = ChatWriter(AnswerSettings(url="http://127.0.0.1:9/v1", model="tester"), {})
        with pytest.raises(WriterFailed) as failed:
            await anext(writer.stream(ASKED, 5))
        return failed.value.code

    assert asyncio.run(nobody()) == "writer_unreachable"


def test_a_server_that_does_not_stop_is_stopped() -> None:
    """Guards against memory that grows with what a server sends."""
    pieces = written(ChatServer(chunk("w" * 30) * 100), max_tokens=2)
    assert sum(len(piece.text) for piece in pieces) == 2 * MAX_TOKEN_CHARACTERS
    assert pieces[-1].finish_reason == "length"


def test_whoever_leaves_ends_the_call() -> None:
    """Guards against a server that generates on for nobody."""
    chat = ChatServer(chunk("It is "), silent=True)

    async def run() -> None:
        async with serving(chat) as url:
            pieces = ChatWriter(AnswerSettings(url=url, model="tester"), {}).stream(ASKED, 5)
            await anext(pieces)
            await pieces.aclose()
            await chat.left.wait()

    asyncio.run(asyncio.wait_for(run(), 30))


def test_the_key_is_neither_logged_nor_told(caplog: pytest.LogCaptureFixture) -> None:
    """A server that repeats the key in its error must not bring it into our log."""
    caplog.set_level(logging.DEBUG)
    for status in (400, 401, 500):
        error = written(ChatServer(json.dumps({"error": f"wrong key {KEY}"}), status, "application/json"))[-1]
        assert KEY not in str(error)
    failed = written(ChatServer(f'data: {{"error": "{KEY}"}}\n\n'))[-1]
    assert KEY not in str(failed)
    ours = [record.getMessage() for record in caplog.records if record.name == "ray.serve"]
    assert ours
    assert KEY not in "".join(ours)
    others = [record.getMessage() for record in caplog.records if record.levelno >= logging.INFO]
    assert KEY not in "".join(others)


def test_a_variable_that_is_not_set_is_told_at_the_start() -> None:
    """Or every answer would fail later."""
    settings = AnswerSettings(url="http://localhost/v1", model="tester", key_variable="THE_KEY")
    for variables in ({}, {"THE_KEY": " "}):
        with pytest.raises(ValueError, match="THE_KEY, which is not set"):
            ChatWriter(settings, variables)


@pytest.mark.parametrize("url", ["ftp://host/v1", "host/v1", "https://me:secret@host/v1", "https://host/v1?key=1"])
def test_an_address_that_is_none_or_holds_a_secret_is_refused(url: str) -> None:
    """Addresses are logged."""
    with pytest.raises(ValueError, match=r"answers\.url"):
        AnswerSettings(url=url, model="tester")
    with pytest.raises(ValueError, match=r"answers\.model"):
        AnswerSettings(url="https://host/v1")
