"""`generate`: runs a list of requests without an event loop."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from batching.beam_search import beam_search
from batching.engine import Engine
from batching.engine_config import EngineConfig
from batching.errors import RequestFailed
from batching.requests.completion import Completion, FinishReason, Timings
from batching.requests.request import Request
from batching.runner import Runner


def generate(runner: Runner, requests: Iterable[Request], config: EngineConfig | None = None) -> list[Completion]:
    """The completions of all requests, in their order; blocks, and works inside a running event loop, too.

    A request that fails has `finish_reason` "error" and its `error`; the others do not notice.

    Raises:
        RequestRefused: a request can never be served; nothing is returned.
        EngineDead: the model itself failed.
    """
    requests = list(requests)
    config = dataclasses.replace(
        config or EngineConfig(), max_waiting=max(1, sum(_width(request) for request in requests))
    )
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="batching-offline") as thread:
        return thread.submit(lambda: asyncio.run(_generate(runner, requests, config))).result()


async def _generate(runner: Runner, requests: list[Request], config: EngineConfig) -> list[Completion]:
    async with Engine(runner, config) as engine:
        return await asyncio.gather(*[_completion(engine, request) for request in requests])


async def _completion(engine: Engine, request: Request) -> Completion:
    if request.beams is not None:
        try:
            return await beam_search(engine, request)
        except RequestFailed as error:
            timings = Timings(queued_s=None, first_token_s=None, total_s=0.0)
            return Completion(
                token_ids=[],
                text="",
                finish_reason=FinishReason.ERROR,
                timings=timings,
                mean_logprob=None,
                error=error,
            )
    stream = engine.submit(request)
    try:
        return await stream.result()
    except RequestFailed:
        return stream.completion()


def _width(request: Request) -> int:
    """Sequences of a request that may wait at the same time."""
    return 1 if request.beams is None else request.beams.num_beams
