"""`deployments.calls.sharded_jobs`: which owner each method of Jobs is called at, and what several answers become."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Coroutine, Mapping
from typing import Any

import pytest

from deployments.calls.cancellable_calls import call
from deployments.calls.handles import JobsHandle
from deployments.calls.remote_method import RemoteMethod
from deployments.calls.sharded_jobs import ShardedJobs, owners_of
from deployments.errors import Busy, InOtherShard, QueueFull, QuotaExceeded, UnknownDocument
from deployments.values.jobs import Options, Submission
from deployments.values.shards import new_id, possible_shards
from deployments.values.staged_blob import StagedBlob
from tests.deployments.ingress.handles import Handle

METHODS = {name: method for name, method in vars(JobsHandle).items() if isinstance(method, RemoteMethod)}
ID_NAMES = ("job_id", "extraction_id")


def parameter_of(method: str) -> str:
    """The name of a method's first parameter, if it has one."""
    return [*inspect.signature(METHODS[method].declared).parameters, "", ""][1]


OF_ONE = [name for name in METHODS if parameter_of(name) in ID_NAMES]
OF_SEVERAL = {
    *("submit", "take", "extract", "check_room", "subscribe", "forget", "job_of_document"),
    *("jobs", "dead_letters", "documents_older_than", "about"),
}


class Owner:
    """Answers every method with its own number, or raises the error given for it."""

    def __init__(self, number: int, errors: Mapping[str, Exception | list[Exception]] | None = None) -> None:
        self.calls: list[str] = []
        self._number = number
        self._errors = errors or {}

    def __getattr__(self, method: str) -> Any:
        async def answer(*_: Any, **__: Any) -> int:
            self.calls.append(method)
            error = self._errors.get(method)
            if isinstance(error, list):  # one for each call, and then none
                error = error.pop(0) if error else None
            if error is not None:
                raise error
            return self._number

        return answer


def sharded(*owners: Owner) -> Any:
    return ShardedJobs(tuple(map(Handle, owners)))  # type: ignore[arg-type]


def run(scenario: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(asyncio.wait_for(scenario, 60))


def upload(document: str) -> Submission:
    options = Options.model_validate({"document_id": document})
    return Submission(sha256="a" * 64, size=1, media_type="application/pdf", file_name="a.pdf", options=options)


def test_every_method_is_of_one_owner_or_of_several() -> None:
    """Guards against a new method of Jobs that nobody thought of."""
    assert set(OF_ONE) | OF_SEVERAL == set(METHODS)
    assert not set(OF_ONE) & OF_SEVERAL


@pytest.mark.parametrize("method", OF_ONE)
@pytest.mark.parametrize("shard", [0, 2])
def test_a_method_with_an_id_is_called_at_its_owner_alone(method: str, shard: int) -> None:
    """Guards against a call that goes to an owner which does not know the job."""
    owners = [Owner(number) for number in range(3)]
    name = parameter_of(method)

    async def scenario() -> None:
        handle = getattr(sharded(*owners), method)
        for response in (handle.remote(new_id("job", shard)), handle.remote(**{name: new_id("ext", shard)})):
            assert await call(response) == shard

    run(scenario())
    assert [owner.calls for owner in owners] == [[method] * 2 if number == shard else [] for number in range(3)]


def test_room_in_one_shard_is_room() -> None:
    """Guards against an upload that is refused because of one full owner; a quota counts everywhere."""
    full = {"check_room": QueueFull("full")}

    async def scenario() -> None:
        await call(sharded(Owner(0, full), Owner(1)).check_room.remote())
        with pytest.raises(QueueFull):
            await call(sharded(Owner(0, full), Owner(1, full)).check_room.remote())
        with pytest.raises(QuotaExceeded):
            await call(sharded(Owner(0, {"check_room": QuotaExceeded("quota")}), Owner(1, full)).check_room.remote())

    run(scenario())


def test_an_owner_that_is_not_here_yet_is_waited_for() -> None:
    """Guards against an error of ours where an owner names a shard that this caller does not know of."""
    document = next(name for name in map(str, range(99)) if possible_shards("default", name, 2)[0] == 1)
    other = {"take": InOtherShard(2)}

    async def scenario() -> None:
        jobs = sharded(Owner(0), Owner(1, other))
        with pytest.raises(Busy):
            await call(jobs.take.remote(upload(document), StagedBlob("a", "a" * 64, 1)))

    run(scenario())


def test_a_document_that_is_removed_where_it_was_is_taken_where_it_belongs() -> None:
    """Guards against a refusal of an upload whose document another caller deletes between two calls."""
    document = next(name for name in map(str, range(99)) if possible_shards("default", name, 2) == (1, 0))
    owners = Owner(0, {"take": InOtherShard(1)}), Owner(1, {"take": [InOtherShard(0)]})

    async def scenario() -> int:
        return await call(sharded(*owners).take.remote(upload(document), StagedBlob("a", "a" * 64, 1)))

    assert run(scenario()) == 1
    assert [len(owner.calls) for owner in owners] == [1, 2]


def test_owners_that_name_each_other_are_asked_a_few_times() -> None:
    """Guards against a call without an end, and against a refusal that tells the client not to try again."""
    document = next(name for name in map(str, range(99)) if possible_shards("default", name, 2) == (1, 0))
    owners = Owner(0, {"submit": InOtherShard(1)}), Owner(1, {"submit": InOtherShard(0)})

    async def scenario() -> Busy:
        with pytest.raises(Busy) as refusal:
            await call(sharded(*owners).submit.remote(b"a", {"document_id": document}))
        return refusal.value

    refusal = run(scenario())
    assert (refusal.status, refusal.retryable) == (503, True)
    assert [len(owner.calls) for owner in owners] == [2, 2]


def test_a_removal_that_fails_in_one_shard_is_not_told_as_done() -> None:
    """Guards against a document that is there after it was deleted, and against a 404 for one that is."""
    document = next(name for name in map(str, range(99)) if possible_shards("default", name, 2) == (1, 0))
    unknown, full = {"forget": UnknownDocument(document)}, {"forget": Busy("full")}

    async def scenario() -> None:
        for errors in ((None, unknown), (unknown, None)):
            await call(sharded(*map(Owner, range(2), errors)).forget.remote(document))
        for errors in ((None, full), (full, unknown)):
            with pytest.raises(Busy):
                await call(sharded(*map(Owner, range(2), errors)).forget.remote(document))
        with pytest.raises(UnknownDocument):
            await call(sharded(*map(Owner, range(2), (unknown, unknown))).forget.remote(document))

    run(scenario())


def test_a_driver_without_a_loop_gets_results_as_from_serve() -> None:
    """Guards against calls that begin only when somebody waits for them."""
    owners = [Owner(number) for number in range(2)]
    jobs: Any = ShardedJobs(tuple(Threaded(owner) for owner in owners))  # type: ignore[arg-type]
    responses = [jobs.about.remote() for _ in range(3)]
    assert [response.result(timeout_s=60) for response in responses] == [{"jobs": 0, "jobs1": 1}] * 3
    assert list(owners_of(jobs)) == ["jobs", "jobs1"]


class Threaded:
    """A handle that may be used in any loop, as Serve's."""

    def __init__(self, owner: Owner) -> None:
        self._owner = owner

    def __getattr__(self, method: str) -> Any:
        return getattr(Handle(self._owner), method)


def test_a_caller_that_goes_away_ends_the_calls_of_all_owners() -> None:
    """Guards against calls that nobody waits for any more."""

    async def scenario() -> None:
        begun, ended = asyncio.Semaphore(0), asyncio.Semaphore(0)

        class Slow:
            async def jobs(self, *_: Any) -> None:
                begun.release()
                try:
                    await asyncio.Event().wait()
                finally:
                    ended.release()

        merged: Any = ShardedJobs((Handle(Slow()), Handle(Slow())))  # type: ignore[arg-type]
        waiting = asyncio.ensure_future(call(merged.jobs.remote("default")))
        for _ in range(2):
            await begun.acquire()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        for _ in range(2):
            await ended.acquire()

    run(scenario())
