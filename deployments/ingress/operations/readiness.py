"""Computes /readyz: which deployments run and what each reports, gathered at most once per second."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Generic, Protocol, TypeVar

import ray
from ray import serve

from deployments.calls.background_tasks import detached
from deployments.calls.cancellable_calls import call
from deployments.calls.remote_method import remote_method
from deployments.library_internals.serve_state import num_running
from deployments.shared_models.handle import deployment_of

logger = logging.getLogger("ray.serve")
T = TypeVar("T")
Statuses = dict[str, dict[str, Any]]
"""By part: `status` ("ready" or "starting"), `reason` where it is not ready, and what the part said of itself
when it was asked at `checked_at`: a busy one keeps its last answer."""

SNAPSHOT_S = 1.0  # one check serves all callers for so long
MAX_REPORT_AGE_S = 60.0  # within this time a controller that was ended is running again
FETCH_TIMEOUT_S = 10.0  # maximum time of a call of the controller
PART_TIMEOUT_S = 0.5  # maximum wait for a part's new status; a busy part keeps its last one
REFRESH_TIMEOUT_S = 5.0  # maximum wait for a running check; then the last status is the answer


class Snapshot(Generic[T]):
    """A value that is fetched at most once per SNAPSHOT_S and by one fetch at a time."""

    def __init__(self, fetch: Callable[[], Awaitable[T]], initial: T) -> None:
        self._fetch = fetch
        self._value = initial
        self._fetched_at = float("-inf")
        self._fetching: asyncio.Task[None] | None = None

    async def value(self) -> T:
        """The newest value; the one before it where a fetch fails or takes longer than REFRESH_TIMEOUT_S."""
        if self._fetching is None and time.monotonic() - self._fetched_at >= SNAPSHOT_S:
            # no caller's context: the fetch is for all, and must not end with the one who came first
            self._fetching = detached(self._renew())
        if self._fetching is not None:
            await asyncio.wait({self._fetching}, timeout=REFRESH_TIMEOUT_S)
        return self._value

    async def _renew(self) -> None:
        try:
            async with asyncio.timeout(FETCH_TIMEOUT_S):
                self._value = await self._fetch()
        except Exception as error:  # Serve's controller may be away
            logger.warning("no status: %s: %s", type(error).__name__, error)
        finally:
            self._fetched_at = time.monotonic()
            self._fetching = None


async def deployment_statuses() -> Statuses:
    """What Serve's controller says of each deployment, by its name in small letters; raises where no Ray is."""
    if not ray.is_initialized():
        raise RuntimeError("this process is not in a Ray cluster")  # `serve.status` would start one
    applications = (await asyncio.to_thread(serve.status)).applications
    return {
        name.lower(): _of_deployment(num_running(status))
        for application in applications.values()
        for name, status in application.deployments.items()
    }


def _of_deployment(num_replicas: int) -> dict[str, Any]:
    """Without Serve's own message, which may be a constructor's trace: this answer is open to all."""
    return {"status": "ready"} if num_replicas else {"status": "starting", "reason": "no replica is running yet"}


class PartHandle(Protocol):
    """Of any deployment: `about` says what it runs."""

    @remote_method
    def about(self) -> dict[str, Any]: ...


class Readiness:
    """Whether each part runs is the controller's word, so it never waits behind the part's own work.

    What a part says of itself is asked beside that, and the last answer is kept while it is busy.
    """

    def __init__(
        self,
        parts: Mapping[str, PartHandle],
        running: Callable[[], Awaitable[Statuses]],
    ) -> None:
        self._parts = parts
        self._running = running
        self._answers: Statuses = {}
        self._asking: dict[str, asyncio.Task[None]] = {}
        unknown: Statuses = {name: _of_deployment(0) for name in parts}
        self._snapshot: Snapshot[tuple[datetime, Statuses]] = Snapshot(self._look, (datetime.now(UTC), unknown))

    async def statuses(self) -> tuple[datetime, Statuses]:
        """The state of every part, and the time of the check; after MAX_REPORT_AGE_S it counts for nothing."""
        looked_at, statuses = await self._snapshot.value()
        if (datetime.now(UTC) - looked_at).total_seconds() > MAX_REPORT_AGE_S:
            stale = {"status": "not ready", "reason": "Serve's controller does not answer"}
            statuses = dict.fromkeys(self._parts, stale)
        return looked_at, statuses

    async def _look(self) -> tuple[datetime, Statuses]:
        started_at = datetime.now(UTC)
        running = await self._running()
        statuses = {name: running.get(deployment_of(self._parts, name)) or _of_deployment(0) for name in self._parts}
        for name, status in statuses.items():
            if status["status"] != "ready":
                self._answers.pop(name, None)  # another replica may say otherwise
            elif name not in self._asking:
                self._asking[name] = asyncio.get_running_loop().create_task(self._ask(name))
        if self._asking:
            unknown = any(name not in self._answers for name in self._asking)
            await asyncio.wait(self._asking.values(), timeout=REFRESH_TIMEOUT_S / 2 if unknown else PART_TIMEOUT_S)
        return started_at, {
            name: self._answers.get(name, {"status": "starting", "reason": "it does not respond yet"})
            if status["status"] == "ready"
            else status
            for name, status in statuses.items()
        }

    async def _ask(self, name: str) -> None:
        asked_at = datetime.now(UTC).isoformat()
        try:
            about = await call(self._parts[name].about.remote())
            self._answers[name] = {"status": "ready", "checked_at": asked_at, **about}
        except Exception as error:  # whatever is wrong with the part is its status; the words are for the log
            logger.warning("%s is not ready: %s: %s", name, type(error).__name__, error)
            self._answers[name] = {"status": "not ready", "reason": type(error).__name__}
        finally:
            del self._asking[name]
