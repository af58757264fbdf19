"""ServedEngine: a replica whose engine stands still is replaced, and no other."""

from __future__ import annotations

import asyncio

import pytest

from batching import Request, SamplingParams
from configs.models import LmSettings
from deployments import served_engine
from deployments.served_engine import ServedEngine
from tests.batching.conftest import GatedRunner


def test_a_step_of_many_passes_of_the_vision_encoder_is_no_standstill(monkeypatch: pytest.MonkeyPatch) -> None:
    """A picture of thirteen tiles took longer than the limit on one core: the replica was to be killed for it."""
    monkeypatch.setattr(served_engine, "STUCK_S", 0.0)

    async def main() -> None:
        runner = GatedRunner()
        served = ServedEngine(runner, LmSettings(), "lm")
        await served.start()
        stream = served.engine.submit(Request(prompt_token_ids=[1, 2], sampling=SamplingParams(max_tokens=1)))
        await runner.entered()
        await served.check_health()
        runner.num_passes += 1
        await served.check_health()
        with pytest.raises(RuntimeError, match="has not finished a step"):
            await served.check_health()
        runner.release()
        await stream.result()
        await served.engine.close()

    asyncio.run(main())
