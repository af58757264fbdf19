"""Gates of the tests of the server: a deployment that stands still, a client that leaves at a known moment."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import psutil

TRIES, PAUSE_S = 1200, 0.05  # the server tells nobody what is in flight


@contextlib.contextmanager
def standing_still(process: psutil.Process) -> Iterator[None]:
    """Calls reach the process meanwhile; it does nothing about them."""
    process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        process.send_signal(signal.SIGCONT)


def leave(client: httpx.Client, path: str, *, once: Callable[[], bool], method: str = "POST", **request: Any) -> None:
    """Send the request, and hang up without an answer as soon as `once` holds."""

    async def sent() -> None:
        async with httpx.AsyncClient(base_url=client.base_url, timeout=client.timeout, trust_env=False) as leaving:
            call = asyncio.create_task(leaving.request(method, path, **request))
            await asyncio.to_thread(until, lambda: call.done() or once())
            assert not call.done(), call.result().text
            call.cancel()
            await asyncio.wait({call})

    asyncio.run(sent())


def until(holds: Callable[[], bool]) -> None:
    """Look again and again; fails when it never holds."""
    pause = threading.Event()
    for _ in range(TRIES):
        if holds():
            return
        pause.wait(PAUSE_S)
    raise AssertionError("what the test waits for did not come")
