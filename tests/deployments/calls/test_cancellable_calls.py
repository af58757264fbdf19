"""`cancellable_calls`: a caller that is cancelled cancels its callee, and errors arrive as they were raised."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Generator
from typing import Any

import pytest
from ray.exceptions import OwnerDiedError, RayActorError, RayTaskError, WorkerCrashedError
from ray.serve.exceptions import BackPressureError, RayServeException, RequestCancelledError

from deployments.calls.cancellable_calls import call, stream, together
from deployments.errors import Busy, ReplicaDied
from documents.errors import PageFailed


class Response:
    """A response as Serve gives it: awaited for its result, and cancelled by a call of its own."""

    def __init__(self, error: Exception | None = None) -> None:
        self.result: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.cancelled = False
        if error is not None:
            self.result.set_exception(error)

    def __await__(self) -> Generator[Any, None, str]:
        return self.result.__await__()

    def cancel(self) -> None:
        self.cancelled = True


def test_a_cancelled_caller_cancels_the_callee_and_what_it_was_given() -> None:
    """Guards against work that runs on for nobody: awaiting a response alone does not cancel it."""

    async def scenario() -> list[bool]:
        response, picture = Response(), Response()
        caller = asyncio.create_task(call(response, picture))
        await asyncio.sleep(0)
        caller.cancel()
        await asyncio.gather(caller, return_exceptions=True)
        return [response.cancelled, picture.cancelled]

    assert asyncio.run(scenario()) == [True, True]


@pytest.mark.parametrize(
    ("raised", "arrives"),
    [
        (BackPressureError(num_queued_requests=1, max_queued_requests=1), Busy),
        (RayActorError(), ReplicaDied),
        (RayTaskError("f", "trace", PageFailed("bad")), PageFailed),
        (RayTaskError("f", "trace", ReplicaDied("gone")), ReplicaDied),
        (RayTaskError("f", "trace", RayActorError()), ReplicaDied),
        (RayTaskError("f", "trace", WorkerCrashedError()), ReplicaDied),
        (OwnerDiedError("00" * 28, None, "caller"), ReplicaDied),
        (RayServeException("an upstream actor died before finishing a dependent task"), ReplicaDied),
        (RayTaskError("f", "trace", RayServeException("an upstream actor died")), ReplicaDied),
        (RequestCancelledError("r"), RequestCancelledError),
    ],
)
def test_errors_arrive_as_they_were_raised(raised: Exception, arrives: type[Exception]) -> None:
    """Guards against callers that have to know Ray's wrapping."""

    async def scenario() -> None:
        await call(Response(raised))

    with pytest.raises(arrives):
        asyncio.run(scenario())


class Stream:
    """A streaming call that says two numbers."""

    cancelled = False

    async def __aiter__(self) -> AsyncIterator[int]:
        yield 1
        yield 2

    def cancel(self) -> None:
        self.cancelled = True


@pytest.mark.parametrize("error", [None, KeyError, asyncio.CancelledError])
def test_leaving_a_stream_ends_the_callee_and_by_an_error_what_it_was_given(error: type[BaseException] | None) -> None:
    """Guards against a `break` that leaves the replica decoding, and a picture that is drawn for nobody."""

    async def scenario() -> None:
        generator, picture = Stream(), Response()
        with contextlib.suppress(KeyError, asyncio.CancelledError):
            async with stream(generator, picture) as items:
                async for _ in items:
                    if error is not None:
                        raise error
                    break
        assert generator.cancelled
        assert picture.cancelled == (error is not None)

    asyncio.run(scenario())


def test_a_stream_whose_input_failed_raises_that_error_although_its_cancellation_does_too() -> None:
    """Guards against Ray's own error in the place of ours: Serve's `cancel` raises that of a call that never began."""
    failed = RayServeException("an upstream actor died before finishing a dependent task")

    class Stream:
        async def __aiter__(self) -> AsyncIterator[int]:
            raise failed
            yield 1

        def cancel(self) -> None:
            raise failed

    async def scenario() -> None:
        async with stream(Stream()) as items:
            async for _ in items:
                pass

    with pytest.raises(ReplicaDied):
        asyncio.run(scenario())


def test_a_cancelled_stream_cancels_what_it_was_given() -> None:
    """Guards against crops that are drawn for a page that nobody waits for any more."""

    class Stream:
        async def __aiter__(self) -> AsyncIterator[int]:
            await asyncio.Event().wait()
            yield 1

        def cancel(self) -> None:
            pass

    async def scenario() -> list[bool]:
        pictures, others = Response(), Response()

        async def read() -> None:
            async with stream(Stream(), pictures) as items:
                async for _ in items:
                    pass

        caller = asyncio.create_task(read())
        await asyncio.sleep(0)
        caller.cancel()
        await asyncio.gather(caller, return_exceptions=True)
        return [pictures.cancelled, others.cancelled]

    assert asyncio.run(scenario()) == [True, False]


def test_the_first_error_of_several_calls_is_raised_alone_and_ends_the_others() -> None:
    """Guards against an ExceptionGroup where callers know Busy and ReplicaDied."""
    ended: list[str] = []

    async def fails() -> None:
        raise Busy("full")

    async def waits() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("cancelled")

    async def scenario() -> None:
        with pytest.raises(Busy):
            await together([waits(), fails()])

    asyncio.run(scenario())
    assert ended == ["cancelled"]
