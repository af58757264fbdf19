"""Calls between deployments: a cancelled caller always cancels its callee, and errors arrive as they were raised."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from typing import Any

from ray.exceptions import RayActorError, RayTaskError
from ray.serve.exceptions import BackPressureError

from deployments.errors import Busy, ReplicaDied


async def call(response: Any, *inputs: Any) -> Any:  # `remote` is typed as either kind of response
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
        for each in (response, *inputs):
            each.cancel()
        raise


@contextlib.asynccontextmanager
async def stream(generator: Any) -> AsyncIterator[AsyncIterator[Any]]:
    """The items of a streaming call; leaving the block in any way ends the callee's generator.

    Usage: `async with stream(handle.options(stream=True).method.remote(x)) as items: ...`
    """
    try:
        with _plain_errors():
            yield generator
    finally:
        generator.cancel()


@contextlib.contextmanager
def _plain_errors() -> Iterator[None]:
    try:
        yield
    except BackPressureError as error:
        raise Busy(str(error)) from None
    except RayActorError as error:
        raise ReplicaDied(str(error)) from None
    except RayTaskError as error:
        if isinstance(error.cause, BackPressureError):
            raise Busy(str(error.cause)) from None
        if isinstance(error.cause, RayActorError):
            raise ReplicaDied(str(error.cause)) from None
        if isinstance(error.cause, Exception) and not isinstance(error.cause, RayTaskError):
            raise error.cause from None
        raise
