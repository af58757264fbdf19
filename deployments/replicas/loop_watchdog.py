"""Ends a replica's process when its event loop stands still, so that Serve starts another replica.

Serve's own health check does not see it in time: it runs on another loop, which a busy thread lets go on, or hangs with
all of the process for 90 s where a call holds the interpreter's lock. This clock runs in a thread that needs no lock.
"""

from __future__ import annotations

import asyncio
import faulthandler

from ray import serve
from ray.serve.exceptions import RayServeException

STDERR = 2  # the number, because Serve may have replaced sys.stderr; Ray writes it to the worker's log
TICKS = 10  # in the time after which a loop counts as standing still


def watch_loop(limit_s: float) -> None:
    """From now on, if this process is a replica and its running loop has done nothing for `limit_s` seconds, write the
    stacks of all threads to the log and end the process.
    """
    try:
        serve.get_replica_context()
    except RayServeException:  # a test, or a Ray job
        return
    loop = asyncio.get_running_loop()

    def tick() -> None:
        faulthandler.dump_traceback_later(limit_s, exit=True, file=STDERR)
        loop.call_later(limit_s / TICKS, tick)

    tick()
