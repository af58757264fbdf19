"""`deployments.routing` and `deployments.scaling` in a real Serve: two replicas, and one that becomes two."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from typing import Any

import pytest
import ray
from ray import cloudpickle, serve
from ray.serve.config import AutoscalingConfig, RequestRouterConfig

from benchmarks.server import free_port

pytestmark = [pytest.mark.serve, pytest.mark.slow]

HUGE, SMALL = 50_000, 100
ENOUGH_S = 240.0  # for a figure that is pushed every ten seconds, and a process to start, on a busy machine


class Held:
    """Calls that stay until they are cancelled, and small ones; tells what is open, as Ocr does."""

    def __init__(self) -> None:
        self._open = 0.0

    async def hold(self, cost: float) -> AsyncGenerator[str, None]:
        self._open += cost
        try:
            yield serve.get_replica_context().replica_tag
            await asyncio.Event().wait()
        finally:
            self._open -= cost

    async def read(self, cost: float) -> str:
        return serve.get_replica_context().replica_tag

    def record_autoscaling_stats(self) -> dict[str, float]:
        return {"tokens": self._open}

    def record_routing_stats(self) -> dict[str, float]:
        return {"waiting_tokens": self._open}


@pytest.fixture(scope="module")
def handles() -> Iterator[dict[str, Any]]:
    """A deployment of two replicas behind the router, and one that the policy scales."""
    policy = {
        "policy_function": "deployments.scaling:WaitingWork",
        "policy_kwargs": {"work": "tokens", "target": HUGE / 2, "per_call": SMALL},
    }
    scaling = AutoscalingConfig(min_replicas=1, max_replicas=2, upscale_delay_s=0, downscale_delay_s=5, policy=policy)
    routing = RequestRouterConfig(
        request_router_class="deployments.routing:FewestTokens", request_routing_stats_period_s=0.5
    )
    options: dict[str, Any] = {"ray_actor_options": {"num_cpus": 0.1}, "max_ongoing_requests": 100}
    cloudpickle.register_pickle_by_value(sys.modules[__name__])  # replicas cannot import tests
    ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        serve.start(http_options={"port": free_port()})
        routed = serve.deployment(name="Routed", num_replicas=2, request_router_config=routing, **options)(Held)
        scaled = serve.deployment(name="Scaled", autoscaling_config=scaling, **options)(Held)
        yield {
            "routed": serve.run(routed.bind(), name="routed", route_prefix="/routed"),
            "scaled": serve.run(scaled.bind(), name="scaled", route_prefix="/scaled"),
        }
    finally:
        serve.shutdown()
        ray.shutdown()


def test_small_calls_go_round_the_replica_that_has_a_huge_one(handles: dict[str, Any]) -> None:
    """Guards against a router that Serve never calls, or calls without the costs."""
    handle = handles["routed"]
    huge = handle.options(stream=True).hold.remote(cost=HUGE)
    busy = next(iter(huge))
    try:
        placed = [handle.read.remote(cost=SMALL).result(timeout_s=60) for _ in range(12)]
    finally:
        huge.cancel()
    assert busy not in placed


def test_work_that_waits_brings_a_replica_and_its_end_takes_it_away(handles: dict[str, Any]) -> None:
    """One call, so that Serve's own policy would leave one replica: guards against a figure that never arrives."""
    held = handles["scaled"].options(stream=True).hold.remote(cost=HUGE)
    next(iter(held))
    try:
        assert until(lambda: running("scaled", "Scaled") == 2)
    finally:
        held.cancel()
    assert until(lambda: running("scaled", "Scaled") == 1)


def running(application: str, deployment: str) -> int:
    """Replicas that serve."""
    told = serve.status().applications[application].deployments[deployment]
    return told.replica_states.get("RUNNING", 0)


def until(true: Callable[[], bool]) -> bool:
    """Whether it came true in time; Serve tells nobody of its replicas."""
    end, pause = time.monotonic() + ENOUGH_S, threading.Event()
    while not (held := true()) and time.monotonic() < end:
        pause.wait(1)
    return held
