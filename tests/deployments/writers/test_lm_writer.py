"""`deployments.writers.lm_writer`: what a caller learns when the engine writes no more."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from batching import BatchingError, EngineClosed, EngineDead, EngineFull, RequestFailed
from deployments.errors import Busy
from deployments.values.completions import LmRequest
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
