"""`deployments.writers.json_writers`: a text of our own model, whose replica may end before its caller."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, cast

import pytest
from ray.exceptions import ActorDiedError, TaskCancelledError

from batching import FinishReason
from deployments.calls.handles import LmHandle
from deployments.errors import Busy
from deployments.values.completions import LmPiece
from deployments.writers.json_writers import LmJson
from retrieval.errors import WriterFailed
from retrieval.extraction.extractor import WrittenJson
from tests.deployments.ingress.handles import Handle

DONE = LmPiece(text='"a"}', finish_reason=FinishReason.STOP, num_prompt=2, num_output=4)


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Serve's moment to see a death is over at once."""
    asleep = asyncio.sleep
    monkeypatch.setattr("deployments.calls.call_retries.asyncio.sleep", lambda _: asleep(0))


class Lm:
    """Each call begins a text and ends as the next of `ends` says; after the last of them it goes well."""

    def __init__(self, *ends: Exception | LmPiece | None) -> None:
        self._ends, self.num_calls = list(ends), 0

    async def write(self, request: Any) -> AsyncIterator[LmPiece]:
        self.num_calls += 1
        end = self._ends.pop(0) if self._ends else DONE
        yield LmPiece(text='{"a": ')
        if isinstance(end, Exception):
            raise end
        if end is not None:
            yield end


def written(lm: Lm, attempts: int | None) -> WrittenJson:
    writer = LmJson(cast("LmHandle", Handle(lm)), "small", attempts=attempts)
    return asyncio.run(writer.write_json([], {"type": "object"}, 9))


@pytest.mark.parametrize(
    "end", [ActorDiedError(), TaskCancelledError(), None, LmPiece(finish_reason=FinishReason.ABORT)]
)
def test_a_text_whose_replica_ends_is_written_anew_by_the_next(end: Exception | LmPiece | None) -> None:
    """Guards against a stored extraction that fails since the model's replica was stopped before its own."""
    lm = Lm(end, Busy("the engine is closed"), end)
    assert written(lm, 3).text == '{"a": "a"}'
    assert lm.num_calls == 4


@pytest.mark.parametrize("attempts", [None, 3])
@pytest.mark.parametrize("end", [ActorDiedError(), TaskCancelledError(), None])
def test_a_text_that_ends_every_replica_fails_so_that_it_may_be_sent_again(
    attempts: int | None, end: Exception | None
) -> None:
    lm = Lm(*[end] * 9)
    with pytest.raises(WriterFailed) as failed:
        written(lm, attempts)
    assert (failed.value.code, failed.value.retryable) == ("writer_busy", True)
    assert lm.num_calls == (attempts or 1)


@pytest.mark.parametrize("reason", [FinishReason.LENGTH, FinishReason.INCOMPLETE, FinishReason.REPETITION])
def test_a_text_that_is_too_long_is_not_written_again(reason: FinishReason) -> None:
    lm = Lm(LmPiece(finish_reason=reason, num_output=9))
    with pytest.raises(WriterFailed, match="not written all after 9 tokens") as failed:
        written(lm, 3)
    assert (failed.value.retryable, lm.num_calls) == (False, 1)


def test_who_waits_for_the_answer_is_told_at_once_that_all_are_busy() -> None:
    lm = Lm(Busy("full"))
    with pytest.raises(WriterFailed, match="full"):
        written(lm, None)
    assert lm.num_calls == 1
