"""`deployments.writers.lm_writer`: what a caller learns when the engine writes no more."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from typing import Any

import pytest

from batching import BatchingError, EngineClosed, EngineDead, EngineFull, PromptTooLong, RequestFailed
from deployments.errors import Busy
from deployments.values.completions import LmRequest, Turn
from deployments.writers.lm_writer import PIECE_CHARACTERS, LmWriter
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


class Counted:
    """A tokenizer that notes how many characters it is given."""

    def __init__(self) -> None:
        self.inner = byte_tokenizer()
        self.lengths: list[int] = []

    def __call__(self, text: str, **options: Any) -> Any:
        self.lengths.append(len(text))
        return self.inner(text, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


def test_a_prompt_that_cannot_fit_is_refused_once_its_first_pieces_are_tokenised() -> None:
    """Guards against seconds of a core, and 0.2 s in which no stream has a token, for a prompt that is refused."""
    tokenizer = Counted()
    engine: Any = Engine(EngineClosed("closed"))
    writer = LmWriter(engine, tokenizer, 9, max_prompt_tokens=100_000)
    with pytest.raises(PromptTooLong, match="over 130816 tokens, the model's context holds 100000"):
        asyncio.run(writer.token_ids("x" * 950_000))
    assert tokenizer.lengths == [PIECE_CHARACTERS] * 2


@pytest.mark.parametrize("length", [0, 1, PIECE_CHARACTERS, PIECE_CHARACTERS + 1, 200_000])
def test_a_prompt_of_several_pieces_that_fits_is_tokenised_whole(length: int) -> None:
    """Guards against words that are cut where two pieces meet."""
    tokenizer = byte_tokenizer()
    text = ("Ebbe und Flut ü " * 20_000)[:length]
    engine: Any = Engine(EngineClosed("closed"))
    writer = LmWriter(engine, tokenizer, 9, max_prompt_tokens=300_000)
    expected = tokenizer(text)["input_ids"] or [tokenizer.eos_token_id]
    assert asyncio.run(writer.token_ids(text)) == expected
