"""Replicas in a real Serve whose event loops are made to stand still; prints how long each was away, and its log.

Run by test_stalled_loops.py in a process of its own, which Ray may leave as it likes.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from pathlib import Path
from typing import Any

import ray
from ray import serve

from benchmarks.harness.server import free_port
from deployments.replicas.loop_watchdog import watch_loop

LIMIT_S = 2.0
LATE_S = 60.0  # for a process to start on a busy machine


class Stalled:
    """Its methods run on the loop that is watched."""

    def __init__(self) -> None:
        watch_loop(LIMIT_S)

    async def pid(self) -> int:
        return os.getpid()

    async def count(self) -> None:
        """Python code, which hands the interpreter's lock to other threads."""
        while True:
            pass

    async def match(self) -> None:
        """One call that keeps the lock."""
        re.match("^(a+)+$", "a" * 60 + "!")

    async def sleep_in_pieces(self) -> int:
        """Work for longer than the limit that gives the loop its turns."""
        import asyncio

        end = time.monotonic() + 2 * LIMIT_S
        while time.monotonic() < end:  # noqa: ASYNC110  there is nothing to wait for
            await asyncio.sleep(0.05)
        return os.getpid()


def main() -> dict[str, Any]:
    """By method: seconds until another process answered, or None; and the stacks that were logged."""
    ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        serve.start(http_options={"port": free_port()})
        body = serve.deployment(name="Stalled", ray_actor_options={"num_cpus": 0.1}, health_check_period_s=5)(Stalled)
        handle: Any = serve.run(body.bind(), name="stalled", route_prefix="/s")
        first: int = handle.pid.remote().result(timeout_s=LATE_S)
        stayed = handle.sleep_in_pieces.remote().result(timeout_s=LATE_S) == first
        away = {name: _away(handle, name) for name in ("count", "match")}
        logs = Path(ray._private.worker.global_worker.node.get_logs_dir_path())  # pyright: ignore
        texts = [path.read_text(errors="replace") for path in logs.glob("worker-*.err")]
        return {"stayed": stayed, "away": away, "stacks": [text for text in texts if "Timeout (" in text]}
    finally:
        serve.shutdown()
        ray.shutdown()


def _away(handle: Any, name: str) -> float | None:
    before = handle.pid.remote().result(timeout_s=LATE_S)
    began = time.monotonic()
    getattr(handle, name).remote()
    while time.monotonic() < began + LATE_S:
        try:
            if handle.pid.remote().result(timeout_s=5) != before:
                return time.monotonic() - began
        except Exception:
            pass
    return None


if __name__ == "__main__":
    json.dump(main(), sys.stdout)
