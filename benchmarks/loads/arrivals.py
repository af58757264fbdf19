"""Requests that come over time: what their callers see of an engine, and would see of the ideal schedule."""

from __future__ import annotations

import asyncio
import itertools
import random
import statistics
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from batching import Engine, EngineConfig, StepStats
from benchmarks.harness.report import percentile
from benchmarks.loads.workloads import Ask


@dataclass(frozen=True, slots=True)
class Arrival:
    """A request, and the second at which it comes."""

    ask: Ask
    at: float


@dataclass(slots=True)
class Seen:
    """The seconds at which the tokens of one request came, from the same start as its arrival."""

    arrival: Arrival
    tokens: list[float] = field(default_factory=list[float])

    @property
    def ttft(self) -> float:
        """Seconds to the first token."""
        return self.tokens[0] - self.arrival.at

    @property
    def itls(self) -> list[float]:
        """Seconds between tokens."""
        return [after - before for before, after in itertools.pairwise(self.tokens)]


@dataclass(frozen=True, slots=True)
class StepCost:
    """Seconds of a step: so much for any, for each token that is decoded and for each of a prompt."""

    any: float
    decode: float
    prefill: float

    def __call__(self, decodes: int, prefill: int) -> float:
        return self.any + self.decode * decodes + self.prefill * prefill

    @classmethod
    def of(cls, steps: Sequence[StepStats]) -> StepCost:
        """Least squares over steps, none below zero."""
        shape = np.array([[1.0, step.num_decodes, step.num_prefill_tokens] for step in steps])
        costs = np.linalg.lstsq(shape, np.array([step.step_s for step in steps]), rcond=None)[0]
        return cls(*(max(0.0, float(cost)) for cost in costs))


def poisson(asks: Sequence[Ask], rate: float) -> list[Arrival]:
    """`rate` requests per second, at random; the last comes when so many are due, however few they are."""
    chance = random.Random(3)  # reproducible, not secret
    moments = list(itertools.accumulate(chance.expovariate(1.0) for _ in asks))
    return [Arrival(ask, at * len(asks) / rate / moments[-1]) for ask, at in zip(asks, moments, strict=True)]


def served(
    runner: Any, arrivals: Sequence[Arrival], config: Callable[..., EngineConfig]
) -> tuple[list[Seen], list[StepStats]]:
    """What an engine gives; `config` makes its settings, given `on_step`."""
    steps: list[StepStats] = []
    return asyncio.run(_served(runner, arrivals, config(on_step=steps.append))), steps


async def _served(runner: Any, arrivals: Sequence[Arrival], config: EngineConfig) -> list[Seen]:
    async with Engine(runner, config) as engine:
        start = time.perf_counter()

        async def caller(arrival: Arrival) -> Seen:
            await asyncio.sleep(start + arrival.at - time.perf_counter())
            served_request = Seen(arrival)
            async for delta in engine.submit(arrival.ask.request()):
                now = time.perf_counter() - start
                served_request.tokens += [now] * len(delta.token_ids)
            return served_request

        return list(await asyncio.gather(*map(caller, arrivals)))


def ideal(arrivals: Sequence[Arrival], places: int, cost: StepCost) -> list[Seen]:
    """First come, first served; all who are there when a step begins are in it, as far as there are places.

    A step gives a token to each, and nothing is lost between steps: what no policy of that order beats, at that cost.
    """
    waiting = deque(arrivals)
    running: list[Seen] = []
    all_seen: list[Seen] = []
    now = 0.0
    while waiting or running:
        if not running:
            now = max(now, waiting[0].at)
        joining: list[Seen] = []
        while waiting and waiting[0].at <= now and len(running) + len(joining) < places:
            joining.append(Seen(waiting.popleft()))
        now += cost(len(running), sum(len(request.arrival.ask.prompt) for request in joining))
        all_seen += joining
        running += joining
        for request in running:
            request.tokens.append(now)
        running = [request for request in running if len(request.tokens) < request.arrival.ask.num_output]
    return all_seen


def summary(requests: Sequence[Seen]) -> dict[str, float]:
    """Tokens per second from the first arrival to the last token; seconds to the first token and between tokens."""
    span = max(request.tokens[-1] for request in requests) - min(request.arrival.at for request in requests)
    ttfts = [request.ttft for request in requests]
    itls = list(itertools.chain.from_iterable(request.itls for request in requests))
    return {
        "tokens_per_s": sum(len(request.tokens) for request in requests) / span,
        "ttft_p50_s": statistics.median(ttfts),
        "ttft_p99_s": percentile(ttfts, 0.99),
        "itl_p50_s": statistics.median(itls),
        "itl_p99_s": percentile(itls, 0.99),
    }
