"""The handle of Jobs where there are several: a call goes to the owner of its job or document, or to all of them."""

from __future__ import annotations

import asyncio
import functools
import hashlib
import itertools
import threading
from collections.abc import Awaitable, Callable, Coroutine, Generator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from ray import serve

from deployments.calls.cancellable_calls import call, together
from deployments.calls.handles import JobsHandle
from deployments.errors import InOtherShard, QuotaExceeded, UnknownDocument
from deployments.values.jobs import ExtractionJob, ExtractionSubmission, Job, JobStatus, Options, Submission
from deployments.values.shards import deployment_of, possible_shards, shard_of
from deployments.values.staged_blob import StagedBlob
from deployments.values.webhooks import DeadLetter, Subscription

MAX_OWNER_CALLS = 4  # maximum calls for one document, which a removal may send from owner to owner


@dataclass(frozen=True)
class ShardedJobs:
    """Seen by callers as the handle of one Jobs: what has no method below takes a job's or an extraction's id first."""

    owners: tuple[JobsHandle, ...]  # by shard; in `deployments.app` the bound applications that Serve makes them of

    def __getattr__(self, method: str) -> Any:
        if method.startswith("_"):  # what pickling looks for
            raise AttributeError(method)
        of_several = getattr(_CallsOfSeveral(self.owners), method, None)
        return ShardedMethod(functools.partial(_call_of_one, self.owners, method) if of_several is None else of_several)


@dataclass(frozen=True, slots=True)
class ShardedMethod:
    """One method of all."""

    send: Callable[..., Any]

    def remote(self, *args: Any, **options: Any) -> Any:
        """The response of the owner, or that of several calls."""
        result = self.send(*args, **options)
        return SeveralCalls(result) if asyncio.iscoroutine(result) else result


class SeveralCalls:
    """A response of several calls, which are cancelled together."""

    def __init__(self, calls: Coroutine[Any, Any, Any]) -> None:
        try:
            self._future: Any = asyncio.get_running_loop().create_task(calls)
        except RuntimeError:  # a driver without a loop
            self._future = asyncio.run_coroutine_threadsafe(calls, _loop_of_drivers())

    def __await__(self) -> Generator[Any, None, Any]:
        is_task = isinstance(self._future, asyncio.Task)
        return (self._future if is_task else asyncio.wrap_future(self._future)).__await__()

    def result(self, timeout_s: float | None = None) -> Any:
        """For a driver without an event loop, as of Serve's responses. Raises TimeoutError."""
        return self._future.result(timeout_s)

    def cancel(self) -> None:
        self._future.cancel()


def connected_jobs(application: str = "pagemill") -> JobsHandle:
    """The handle of all owners of a running application, for a Ray driver or job that is connected to its cluster."""
    deployed = serve.status().applications[application].deployments
    names = itertools.takewhile(deployed.__contains__, map(deployment_of, itertools.count()))
    owners = tuple(cast("JobsHandle", serve.get_deployment_handle(name, application)) for name in names)
    return owners[0] if len(owners) == 1 else cast("JobsHandle", ShardedJobs(owners))


def owners_of(jobs: JobsHandle | ShardedJobs) -> dict[str, JobsHandle]:
    """The owners by their deployments, in small letters."""
    owners = jobs.owners if isinstance(jobs, ShardedJobs) else (jobs,)
    return {deployment_of(shard).lower(): owner for shard, owner in enumerate(owners)}


@functools.cache
def _loop_of_drivers() -> asyncio.AbstractEventLoop:
    """An event loop in a thread of its own, for the rest of the process."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="sharded-jobs", daemon=True).start()
    return loop


def _call_of_one(owners: tuple[JobsHandle, ...], method: str, /, *args: Any, **options: Any) -> Any:
    """The response of the owner that the id names; of one that is not there the first says that it is unknown."""
    id_ = args[0] if args else options.get("job_id") or options["extraction_id"]
    shard = shard_of(id_)
    return getattr(owners[shard if shard < len(owners) else 0], method).remote(*args, **options)


class _CallsOfSeveral:
    """The methods of Jobs that have no id of a job; see there."""

    def __init__(self, owners: tuple[JobsHandle, ...]) -> None:
        self._owners = owners

    async def take(self, submission: Submission, staged: StagedBlob) -> Job:
        document = submission.namespace, submission.document_id
        return await self._taken(*document, lambda owner: call(owner.take.remote(submission, staged)))

    async def submit(
        self, content: bytes, options: dict[str, Any] | None = None, *, file_name: str = "document"
    ) -> Job:
        named = Options.model_validate(options or {}).document_id
        document_id = named or await asyncio.to_thread(lambda: hashlib.sha256(content).hexdigest())
        return await self._taken(
            "default", document_id, lambda owner: call(owner.submit.remote(content, options, file_name=file_name))
        )

    async def extract(self, submission: ExtractionSubmission) -> ExtractionJob:
        return await call(self._owners[shard_of(submission.job_id)].extract.remote(submission))

    async def check_room(self, namespace: str = "default", max_unfinished: int | None = None) -> None:
        """As soon as one has room: which document will come is not known yet. Raises what the last one raises."""
        calls = [
            asyncio.ensure_future(call(owner.check_room.remote(namespace, max_unfinished))) for owner in self._owners
        ]
        refusal: Exception | None = None
        try:
            for answer in asyncio.as_completed(calls):
                try:
                    return await answer
                except QuotaExceeded:  # it counts in all
                    raise
                except Exception as error:
                    refusal = error
        finally:
            for one in calls:
                one.cancel()
            await asyncio.gather(*calls, return_exceptions=True)
        assert refusal is not None
        raise refusal

    async def subscribe(self, subscription: Subscription) -> None:
        group = subscription.group
        assert group is not None
        shards = dict.fromkeys(map(shard_of, group.job_ids))
        await together(call(self._owners[shard].subscribe.remote(subscription)) for shard in shards)

    async def forget(self, document_id: str, namespace: str = "default") -> None:
        """In every shard that may have it. Raises UnknownDocument where none has."""
        shards = possible_shards(namespace, document_id, len(self._owners))
        calls = [call(self._owners[shard].forget.remote(document_id, namespace)) for shard in shards]
        results = await asyncio.gather(*calls, return_exceptions=True)
        errors = [result for result in results if isinstance(result, BaseException)]
        known = [error for error in errors if not isinstance(error, UnknownDocument)]
        if known or len(errors) == len(calls):
            raise (known or errors)[0]

    async def job_of_document(self, document_id: str, namespace: str = "default", revision: int | None = None) -> str:
        """Of the first shard that has the document. Raises UnknownDocument."""
        unknown: UnknownDocument | None = None
        for shard in possible_shards(namespace, document_id, len(self._owners)):
            try:
                return await call(self._owners[shard].job_of_document.remote(document_id, namespace, revision))
            except UnknownDocument as error:
                unknown = error
        assert unknown is not None
        raise unknown

    async def jobs(self, namespace: str, limit: int = 100, status: JobStatus | None = None) -> list[Job]:
        parts = await together(call(owner.jobs.remote(namespace, limit, status)) for owner in self._owners)
        return sorted((job for part in parts for job in part), key=lambda job: job.created_at, reverse=True)[:limit]

    async def dead_letters(self, namespace: str, limit: int = 100) -> list[DeadLetter]:
        parts = await together(call(owner.dead_letters.remote(namespace, limit)) for owner in self._owners)
        letters = [letter for part in parts for letter in part]
        return sorted(letters, key=lambda letter: letter.created_at, reverse=True)[:limit]

    async def documents_older_than(self, moment: datetime, namespace: str) -> list[str]:
        parts = await together(call(owner.documents_older_than.remote(moment, namespace)) for owner in self._owners)
        return [document_id for part in parts for document_id in part]

    async def about(self) -> dict[str, Any]:
        """What each says, by its deployment."""
        answers = await together(call(owner.about.remote()) for owner in self._owners)
        return {deployment_of(shard).lower(): answer for shard, answer in enumerate(answers)}

    async def _taken(self, namespace: str, document_id: str, take: Callable[[JobsHandle], Awaitable[Job]]) -> Job:
        """The job from the owner of the document; one that is not it names the other, as it is at that moment.

        Raises InOtherShard: that owner is not among these, as shards are being added, or the document moves again
        and again.
        """
        shard = possible_shards(namespace, document_id, len(self._owners))[0]
        for _ in range(MAX_OWNER_CALLS - 1):
            try:
                return await take(self._owners[shard])
            except InOtherShard as error:
                if error.shard >= len(self._owners):
                    raise
                shard = error.shard
        return await take(self._owners[shard])
