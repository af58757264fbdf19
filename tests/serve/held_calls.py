"""Router and policy in a real Serve: two replicas, and one that becomes two; prints where calls went and what grew.

Run by test_scaling.py in a process of its own, which Ray may leave as it likes.
"""

from __future__ import annotations

import asyncio
import json
import sys
import threading
import time
from collections.abc import AsyncGenerator, Callable
from typing import Any

import ray
from ray import serve
from ray.serve.config import AutoscalingConfig, RequestRouterConfig

from benchmarks.harness.server import free_port

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


def main() -> dict[str, Any]:
    """Where small calls went beside a huge one, and whether work that waited brought a replica and its end took it."""
    ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        serve.start(http_options={"port": free_port()})
        return routed() | scaled()
    finally:
        serve.shutdown()
        ray.shutdown()


def routed() -> dict[str, Any]:
    """Two replicas behind the router."""
    routing = RequestRouterConfig(
        request_router_class="deployments.calls.routing:FewestTokens", request_routing_stats_period_s=0.5
    )
    handle = serve.run(
        deployed("Routed", num_replicas=2, request_router_config=routing), name="routed", route_prefix="/r"
    )
    huge = handle.options(stream=True).hold.remote(cost=HUGE)
    busy = next(iter(huge))
    placed = [handle.read.remote(cost=SMALL).result(timeout_s=60) for _ in range(12)]
    huge.cancel()
    serve.delete("routed")
    return {"busy": busy, "placed": placed}


def scaled() -> dict[str, Any]:
    """One replica that the policy scales; one call, for which Serve's own policy would leave it at one."""
    policy: Any = {
        "policy_function": "deployments.replicas.scaling:WaitingWork",
        "policy_kwargs": {"work": "tokens", "target": HUGE / 2, "per_call": SMALL},
    }
    scaling = AutoscalingConfig(min_replicas=1, max_replicas=2, upscale_delay_s=0, downscale_delay_s=5, policy=policy)
    handle = serve.run(deployed("Scaled", autoscaling_config=scaling), name="scaled", route_prefix="/s")
    call = handle.options(stream=True).hold.remote(cost=HUGE)
    next(iter(call))
    grew = until(lambda: running("scaled", "Scaled") == 2)
    call.cancel()
    return {"grew": grew, "shrank": until(lambda: running("scaled", "Scaled") == 1)}


def deployed(name: str, **options: Any) -> Any:
    """The application of one deployment."""
    return serve.deployment(name=name, ray_actor_options={"num_cpus": 0.1}, max_ongoing_requests=100, **options)(
        Held
    ).bind()


def running(application: str, deployment: str) -> int:
    """Replicas that serve."""
    status = serve.status().applications[application].deployments[deployment]
    return status.replica_states.get("RUNNING", 0)


def until(true: Callable[[], bool]) -> bool:
    """Whether it came true in time; Serve tells nobody of its replicas."""
    end, pause = time.monotonic() + ENOUGH_S, threading.Event()
    while not (result := true()) and time.monotonic() < end:
        pause.wait(1)
    return result


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main()) + "\n")
