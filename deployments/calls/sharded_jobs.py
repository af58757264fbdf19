"""The handle of Jobs where there are several: a call goes to the owner of its job or document, or to all of them."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
from collections.abc import Awaitable, Callable, Coroutine, Generator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar, cast

from ray import serve

from deployments.calls.cancellable_calls import call, together
from deployments.calls.handles import JobsHandle
from deployments.errors import InOtherShard, UnknownDocument
from deployments.values.jobs import ExtractionJob, ExtractionSubmission, Job, JobStatus, Options, Submission
from deployments.values.shards import deployment_of, homes, shard_of
from deployments.values.staged_blob import StagedBlob
from deployments.values.webhooks import DeadLetter, Subscription

T = TypeVar("T")


@dataclass(frozen=True)
class ShardedJobs:
    """Seen by callers as the handle of one Jobs: what has no method below takes a job's or an extraction's id first."""

    owners: tuple[JobsHandle, ...]  # by shard; in `deployments.app` the bound applications that Serve makes them of

    def __getattr__(self, method: str) -> Any:
        if method.startswith("_"):  # what pickling looks for
            raise AttributeError(method)
        return ShardedMethod(getattr(_Merged(self.owners), method, None) or _of_owner(self.owners, method))


@dataclass(frozen=True, slots=True)
class ShardedMethod:
    """One method of all."""

    begun: Callable[..., Any]

    def remote(self, *args: Any, **options: Any) -> Any:
        """The response of the owner, or that of several calls."""
        result = self.begun(*args, **options)
        return RunningCalls(result) if asyncio.iscoroutine(result) else result


class RunningCalls:
    """A response of several calls, which are cancelled together."""

    def __init__(self, calls: Coroutine[Any, Any, Any]) -> None:
        self._calls = calls
        try:
            self._task: asyncio.Task[Any] | None = asyncio.get_running_loop().create_task(calls)
        except RuntimeError:  # a driver without one
            self._task = None

    def __await__(self) -> Generator[Any, None, Any]:
        return (self._task or self._calls).__await__()

    def result(self, timeout_s: float | None = None) -> Any:
        """For a driver without an event loop, as of Serve's responses. Raises TimeoutError."""
        return asyncio.run(asyncio.wait_for(self._calls, timeout_s))

    def cancel(self) -> None:
        if self._task is None:
            self._calls.close()
        else:
            self._task.cancel()


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


def _of_owner(owners: tuple[JobsHandle, ...], method: str) -> Callable[..., Any]:
    def begun(id_: str, *args: Any, **options: Any) -> Any:
        shard = shard_of(id_)
        owner = owners[shard if shard < len(owners) else 0]  # which does not know it, either
        return getattr(owner, method).remote(id_, *args, **options)

    return begun


class _Merged:
    """The methods of Jobs that have no id of a job; see there."""

    def __init__(self, owners: tuple[JobsHandle, ...]) -> None:
        self._owners = owners

    async def take(self, submission: Submission, staged: StagedBlob) -> Job:
        return await self._placed(
            submission.namespace, submission.document_id, lambda owner: call(owner.take.remote(submission, staged))
        )

    async def submit(
        self, content: bytes, options: dict[str, Any] | None = None, *, file_name: str = "document"
    ) -> Job:
        named = Options.model_validate(options or {}).document_id
        document_id = named or await asyncio.to_thread(lambda: hashlib.sha256(content).hexdigest())
        return await self._placed(
            "default", document_id, lambda owner: call(owner.submit.remote(content, options, file_name=file_name))
        )

    async def extract(self, submission: ExtractionSubmission) -> ExtractionJob:
        return await call(self._owners[shard_of(submission.job_id)].extract.remote(submission))

    async def check_room(self, namespace: str = "default", max_unfinished: int | None = None) -> None:
        """As soon as one has room, for which document will come is not known yet. Raises what the last one raises."""
        requests = [
            asyncio.ensure_future(call(owner.check_room.remote(namespace, max_unfinished))) for owner in self._owners
        ]
        error: BaseException | None = None
        try:
            for answer in asyncio.as_completed(requests):
                try:
                    return await answer
                except Exception as refused:
                    error = refused
        finally:
            for one in requests:
                one.cancel()
            await asyncio.gather(*requests, return_exceptions=True)
        assert error is not None
        raise error

    async def subscribe(self, subscription: Subscription) -> None:
        group = subscription.group
        assert group is not None
        shards = dict.fromkeys(map(shard_of, group.job_ids))
        await together(call(self._owners[shard].subscribe.remote(subscription)) for shard in shards)

    async def forget(self, document_id: str, namespace: str = "default") -> None:
        await self._found(namespace, document_id, lambda owner: call(owner.forget.remote(document_id, namespace)))

    async def job_of_document(self, document_id: str, namespace: str = "default", revision: int | None = None) -> str:
        return await self._found(
            namespace, document_id, lambda owner: call(owner.job_of_document.remote(document_id, namespace, revision))
        )

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

    async def _placed(self, namespace: str, document_id: str, begin: Callable[[JobsHandle], Awaitable[T]]) -> T:
        """The answer of the owner that has the document, or of that which new ones come to."""
        try:
            return await begin(self._owners[homes(namespace, document_id, len(self._owners))[0]])
        except InOtherShard as error:
            return await begin(self._owners[error.shard])

    async def _found(self, namespace: str, document_id: str, begin: Callable[[JobsHandle], Awaitable[T]]) -> T:
        """The answer of the first of its homes that knows the document."""
        unknown: UnknownDocument | None = None
        for shard in homes(namespace, document_id, len(self._owners)):
            try:
                return await begin(self._owners[shard])
            except UnknownDocument as error:
                unknown = error
        assert unknown is not None
        raise unknown
