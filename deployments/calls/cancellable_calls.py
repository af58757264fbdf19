"""Calls between deployments: cancelling the caller (a client that disconnects) cancels the call, and Ray's errors
become ours.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Coroutine, Iterable, Iterator
from typing import Any, TypeVar

from ray.exceptions import RayError, RayTaskError, TaskCancelledError
from ray.serve.exceptions import BackPressureError, RayServeException

from deployments.calls.remote_method import Response, ResponseStream
from deployments.errors import Busy, ReplicaDied

T = TypeVar("T")


async def call(response: Response[T], *inputs: Response[Any]) -> T:
    """Await `response`; on cancellation cancel it and the unawaited `inputs` that it was given.

    Awaiting a response does not do that by itself: the replica would run to the end.

    Raises:
        Busy: the callee took no more calls.
        ReplicaDied: the callee's process ended.
        Exception: what the callee raised, without Ray's wrapping.
    """
    try:
        with _plain_errors():
            return await response
    except asyncio.CancelledError:
        _cancel(response, *inputs)
        raise


async def together(works: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """The results of all, in order, done at the same time; the first error cancels the others and is raised alone.

    Callers know Busy and ReplicaDied, not groups of them.
    """
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(work) for work in works]
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks]  # a task that was cancelled alone is raised here, not by its group


@contextlib.asynccontextmanager
async def stream(generator: ResponseStream[T], *inputs: Response[Any]) -> AsyncIterator[ResponseStream[T]]:
    """The items of a streaming call; leaving the block in any way ends the callee's generator.

    An error or a cancellation also cancels the unawaited `inputs` that it was given.

    Usage: `async with stream(handle.options(stream=True).method.remote(x)) as items: ...`
    """
    try:
        with _plain_errors():
            yield generator
    except BaseException:
        _cancel(*inputs)
        raise
    finally:
        _cancel(generator)


def _cancel(*calls: Response[Any] | ResponseStream[Any]) -> None:
    """Serve raises the error of a call that failed before it reached a replica again, in the place of ours."""
    for pending in calls:
        with contextlib.suppress(RayError, RayServeException):
            pending.cancel()


@contextlib.contextmanager
def _plain_errors() -> Iterator[None]:
    try:
        yield
    except RayTaskError as error:
        if not isinstance(error.cause, Exception) or isinstance(error.cause, RayTaskError):
            raise
        raise _plain(error.cause) from None
    except (RayError, RayServeException) as error:
        raise _plain(error) from None


def _plain(error: Exception) -> Exception:
    """Every error that Ray itself raises means that a process died, except a full queue and a cancelled call.

    If a replica dies while its result is still another call's argument, Serve raises a plain RayServeException.
    """
    if isinstance(error, BackPressureError):
        return Busy("every replica of a part and its queue are full")
    if isinstance(error, (RayError, RayServeException)) and not isinstance(error, TaskCancelledError):
        return ReplicaDied(str(error))
    return error
