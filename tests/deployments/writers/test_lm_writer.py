"""`deployments.writers.lm_writer`: what a caller learns when the engine writes no more."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from typing import Any

import pytest

from batching import BatchingError, EngineClosed, EngineDead, EngineFull, RequestFailed
from deployments.errors import Busy
from deployments.values.completions import LmRequest, Turn
from deployments.writers.lm_writer import LmWriter
from retrieval.errors import WriterFailed
from tests.batching.byte_tokenizer import byte_tokenizer


class Engine:
    """Writes nothing: each request ends by `error`."""

    def __init__(self, error: BatchingError) -> None:
        self._error = error

    async def submit(self, request: Any) -> AsyncIterator[Any]:
        raise self._error
        yield


@pytest.mark.parametrize(
    ("error", "raised"),
    [
        (EngineFull("64 requests wait"), Busy),
        (EngineClosed("closed"), Busy),
        (EngineDead("out of memory"), Busy),
        (RequestFailed("logits are not finite"), WriterFailed),
    ],
)
def test_a_broken_request_is_an_error_and_an_engine_that_has_ended_is_waited_for(
    error: BatchingError, raised: type[Exception]
) -> None:
    """Guards against ten minutes of waiting over a text that breaks each time."""

    async def write() -> None:
        writer: Any = Engine(error)
        async for _ in LmWriter(writer, byte_tokenizer(), 9).stream(LmRequest(prompt="a")):
            pass

    with pytest.raises(raised) as caught:
        asyncio.run(write())
    assert caught.value.__cause__ is error  # a client reads no inside of the engine; the log has it


def test_chats_with_pictures_are_prepared_in_one_thread_of_their_own() -> None:
    """Guards against a processor in every thread of asyncio's pool, which is then full of waiting chats."""
    threads: list[str] = []

    def chat_inputs(messages: Any, pictures: Any) -> dict[str, Any]:
        threads.append(threading.current_thread().name)
        assert [part["type"] for part in messages[0]["content"]] == ["image", "image", "text"]
        assert pictures == ("one", "two")
        return {"input_ids": [[1]]}

    async def write() -> None:
        engine: Any = Engine(EngineFull("full"))
        writer = LmWriter(engine, byte_tokenizer(), 9, chat_inputs)
        request = LmRequest(turns=(Turn("user", "read", num_pictures=2),))
        chats = (anext(writer.stream(request, ("one", "two"))) for _ in range(8))
        results = await asyncio.gather(*chats, return_exceptions=True)
        assert all(isinstance(result, Busy) for result in results)

    asyncio.run(write())
    assert threads == ["processor_0"] * 8
