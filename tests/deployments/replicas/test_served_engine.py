"""ServedEngine: a replica whose engine stands still is replaced, and no other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from batching import Request, SamplingParams, step_reporter
from configs.model_settings import LmSettings
from deployments.replicas.served_engine import MAX_STEP_S, ServedEngine
from tests.batching.conftest import GatedRunner

Health = Callable[[], Coroutine[Any, Any, None]]


class Clock:
    """The engine's clock, which only the test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def perf_counter(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(step_reporter, "time", clock)
    return clock


def run_one_step(clock: Clock, during: Callable[[GatedRunner, Health], Coroutine[Any, Any, None]]) -> None:
    """`during` is awaited while the only step of a request is in flight."""

    async def main() -> None:
        runner = GatedRunner()
        served = ServedEngine(runner, LmSettings(), "lm")
        await served.check_health()
        clock.now += 2 * MAX_STEP_S  # without work no time counts
        await served.check_health()
        stream = served.engine.submit(Request(prompt_token_ids=[1, 2], sampling=SamplingParams(max_tokens=1)))
        await runner.entered()
        await during(runner, served.check_health)
        runner.release()
        await stream.result()
        await served.check_health()
        await served.engine.close()

    asyncio.run(main())


def test_a_step_that_does_not_end_is_a_standstill_but_no_idle_engine_is(clock: Clock) -> None:
    """Guards against a replica that hangs in a step for ever, and against one replaced because nobody calls it."""

    async def during(runner: GatedRunner, check_health: Health) -> None:
        clock.now += MAX_STEP_S - 1
        await check_health()
        clock.now += 2
        with pytest.raises(RuntimeError, match="has not finished a step"):
            await check_health()

    run_one_step(clock, during)


def test_a_step_of_many_passes_of_the_vision_encoder_is_no_standstill(clock: Clock) -> None:
    """A picture of thirteen tiles took longer than the limit on one core: the replica was to be killed for it."""

    async def during(runner: GatedRunner, check_health: Health) -> None:
        for _ in range(3):
            clock.now += MAX_STEP_S - 1
            await check_health()
            runner.last_pass = clock.now

    run_one_step(clock, during)


def test_work_that_no_step_takes_up_is_a_standstill(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against a scheduler that plans nothing while requests wait: no step is in flight, and none will be."""

    async def main() -> None:
        served = ServedEngine(GatedRunner(), LmSettings(), "lm")
        monkeypatch.setattr("batching.scheduler.Scheduler.schedule", lambda self, on_top_of=None: None)
        await served.check_health()
        stream = served.engine.submit(Request(prompt_token_ids=[1, 2], sampling=SamplingParams(max_tokens=1)))
        clock.now += MAX_STEP_S + 1
        with pytest.raises(RuntimeError, match="has not finished a step"):
            await served.check_health()
        stream.abort()
        await served.engine.close()

    asyncio.run(main())
