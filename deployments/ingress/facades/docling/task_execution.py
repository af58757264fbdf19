"""Runs docling tasks: submits the jobs, waits for them, builds the response, and deletes what was converted."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus

from starlette.responses import JSONResponse, Response

from deployments.calls.cancellable_calls import call
from deployments.errors import UnknownJob
from deployments.ingress.errors import JobFailed
from deployments.ingress.facades.docling.answers.chunk_items import chunk_items
from deployments.ingress.facades.docling.answers.export import errors_of, exported, result_item, zipped
from deployments.ingress.facades.docling.callbacks import FORM
from deployments.ingress.facades.docling.convert_options import ConvertOptions
from deployments.ingress.facades.docling.json_sources import CallbackSpec
from deployments.ingress.facades.docling.response_models import ChunkAnswer, ConvertAnswer, ExportResult
from deployments.ingress.facades.docling.task import NoResult, NoSuchTask, ResponseFormat, Task
from deployments.ingress.facades.docling.task_status import TaskStatusResponse, status_of, task_status_of
from deployments.ingress.form_options import ignored_header
from deployments.ingress.operations.callers import Caller
from deployments.ingress.operations.conversions import MAX_PICTURE_BYTES, Conversions, Converted, error_of
from deployments.ingress.operations.services import Services
from deployments.ingress.operations.submission import SubmittedFile, WebhookRefused, check_webhook
from deployments.outbound.outbound_requests import FORBIDDEN_HEADERS, are_sendable
from deployments.values.jobs import (
    FINAL_STATUSES,
    Job,
)
from deployments.values.webhooks import (
    Subscription,
    SubscriptionGroup,
    Webhook,
)
from documents.errors import Refusal
from retrieval.chunking.chunk_size import TokenCounter


class TooSlow(Refusal):
    """A conversion that was waited for and did not end in time; it is given up."""

    status = HTTPStatus.GATEWAY_TIMEOUT
    code = "wait_exceeded"
    retryable = True


@dataclass(frozen=True, slots=True)
class TaskOptions:
    """What one request asks for: options of the jobs, the form of the answer, and what was sent for nothing."""

    options: ConvertOptions
    form: ResponseFormat
    ignored: tuple[str, ...] = ()
    callbacks: tuple[CallbackSpec, ...] = ()


class TaskExecution:
    """Does what the routes ask; keeps nothing between two of them."""

    def __init__(self, services: Services, counter: TokenCounter) -> None:
        self._services = services
        self._counter = counter
        self._conversions = Conversions(services)

    async def submitted(self, uploads: Sequence[SubmittedFile], task_options: TaskOptions, caller: Caller) -> Task:
        """A task with a job for each upload. If one of them is refused, none is left."""
        for callback in task_options.callbacks:
            await self._check(callback)
        jobs = await self._conversions.submitted(uploads, task_options.options.for_job, caller)
        try:
            task = Task(job_ids=tuple(job.id for job in jobs), form=task_options.form)
            for callback in task_options.callbacks:
                headers = {
                    name: value for name, value in callback.headers.items() if name.lower() not in FORBIDDEN_HEADERS
                }
                group = SubscriptionGroup(form=FORM, id=task.id, job_ids=task.job_ids, order=uuid.uuid4().hex)
                subscription = Subscription(webhook=Webhook(url=callback.url), headers=headers, group=group)
                await call(self._services.jobs.subscribe.remote(subscription))
        except BaseException:
            self._conversions.forget(jobs, caller.namespace)
            raise
        return task

    async def _check(self, callback: CallbackSpec) -> None:
        """Raises WebhookRefused. Docling's callbacks are not signed: a header authorises them."""
        if callback.ca_cert:
            raise WebhookRefused("callbacks.ca_cert is not supported: certificates are checked against the system's")
        if not are_sendable(callback.headers):
            raise WebhookRefused("callbacks.headers: invalid characters")
        await check_webhook(Webhook(url=callback.url), self._services.settings.webhooks, signed=False)

    async def waited(self, task: Task, task_options: TaskOptions, caller: Caller) -> Response:
        """The answer of a task when it has ended; nothing of it is left then, nor when its client goes away.

        Raises:
            JobFailed: no document of it could be converted.
            TooSlow: it did not end in time.
        """
        limit_s = self._services.settings.limits.wait_s
        try:
            jobs = await self._jobs(task, caller.namespace, limit_s)
            if any(job.status not in FINAL_STATUSES for job in jobs):
                raise TooSlow(f"not done after {limit_s:g} s, and was cancelled; send it to the same path with /async")
            if status_of(jobs) == "failure":
                raise JobFailed(jobs[0].id, error_of(jobs[0]))
            return await self._answer(task, jobs, caller, task_options.ignored)
        finally:
            self._conversions.forget(task.job_ids, caller.namespace)

    async def status(
        self, task: Task, caller: Caller, wait_s: float = 0, ignored: Sequence[str] = ()
    ) -> TaskStatusResponse:
        """The task's status, when it has ended or the seconds are over. Raises NoSuchTask."""
        jobs = await self._jobs(task, caller.namespace, min(wait_s, self._services.settings.limits.wait_s))
        position = None
        if status_of(jobs) == "pending":  # that of the task's first job
            position = await call(self._services.jobs.position.remote(jobs[0].id, caller.namespace))
        return task_status_of(task, jobs, position, list(ignored) or None)

    async def result(self, task: Task, caller: Caller) -> Response:
        """The answer of a task that has ended.

        Raises:
            NoSuchTask: there is none, or it is another caller's.
            NoResult: it has not ended, or has failed.
        """
        jobs = await self._jobs(task, caller.namespace, 0)
        if any(job.status not in FINAL_STATUSES for job in jobs):
            raise NoResult
        if status_of(jobs) == "failure":
            raise NoResult(error_of(jobs[0]).message)
        return await self._answer(task, jobs, caller, ())

    async def _jobs(self, task: Task, namespace: str, wait_s: float) -> list[Job]:
        try:
            return await self._conversions.jobs(task.job_ids, namespace, wait_s)
        except UnknownJob:
            raise NoSuchTask from None

    async def _answer(self, task: Task, jobs: Sequence[Job], caller: Caller, ignored: Sequence[str]) -> Response:
        """Answered as what it is: 200, or 207 if some of several documents failed."""
        form = task.form
        if form.chunked and len(jobs) > 1:  # a zip holds no chunks
            ignored = [*ignored, "do_chunking"]
        headers = ignored_header(ignored)
        documents = self._services.documents
        async with documents.slot(caller.namespace):
            dpi = 72 * form.scale if form.pictures and (form.whole or form.kind == "convert") else None
            max_bytes = MAX_PICTURE_BYTES // len(jobs)
            converted = [
                await self._conversions.converted(job, caller.namespace, dpi=dpi, max_bytes=max_bytes) for job in jobs
            ]
            status = 207 if any(one.document is None for one in converted) else 200
            if form.kind == "convert" and (form.zipped or len(converted) > 1):
                headers["Content-Disposition"] = 'attachment; filename="converted_docs.zip"'
                content = await documents.run(zipped, converted, form)
                return Response(content, status, headers, "application/zip")
            seconds = sum(job.timings.get("total_s", 0.0) for job in jobs)
            body = await documents.run(self._body, converted, form, seconds, list(ignored) or None)
        return Response(body, status, headers, "application/json")

    def _body(
        self, converted: Sequence[Converted], form: ResponseFormat, seconds: float, ignored: list[str] | None
    ) -> bytes:
        if form.kind == "convert":
            (one,) = converted
            status = status_of([one.job])
            assert status not in ("pending", "started")
            chunks = list(chunk_items(one, form, self._counter)) if form.chunked else []
            reply: ConvertAnswer | ChunkAnswer = ConvertAnswer(
                document=exported(one, form),
                status=status,
                errors=errors_of(one.job),
                processing_time=seconds,
                results=chunks or None,
                ignored_options=ignored,
            )
        else:
            chunks = [item for one in converted for item in chunk_items(one, form, self._counter)]
            documents: list[ExportResult] = [result_item(one, form) for one in converted]
            reply = ChunkAnswer(chunks=chunks, documents=documents, processing_time=seconds, ignored_options=ignored)
        absent = {name for name in ("results", "ignored_options") if getattr(reply, name, None) is None}
        return reply.model_dump_json(exclude=absent).encode()


def json_of(task_status: TaskStatusResponse) -> JSONResponse:
    """The status of a task, over HTTP."""
    return JSONResponse(
        task_status.model_dump(mode="json", exclude=None if task_status.ignored_options else {"ignored_options"})
    )
