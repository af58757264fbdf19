"""Turns a docling request (a form with files, or JSON sources) into a task whose jobs are submitted."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from fastapi import Request
from starlette.responses import JSONResponse, Response

from deployments.calls.cancellable_calls import call
from deployments.ingress.facades.docling.json_sources import SourcesBody, source_uploads, sources_body
from deployments.ingress.facades.docling.task import Task
from deployments.ingress.facades.docling.task_execution import TaskExecution, TaskOptions, json_of
from deployments.ingress.middleware.authorization import caller_of
from deployments.ingress.operations.callers import Caller
from deployments.ingress.operations.services import Services
from deployments.ingress.uploads import body_slot, read_form
from documents.media_types import SUPPORTED_TYPES

FILES = ("files", "file")
OfForm = Callable[[Mapping[str, Sequence[str]]], TaskOptions]
OfBody = Callable[[SourcesBody], TaskOptions]


@dataclass(frozen=True, slots=True)
class AcceptedTask:
    """A task whose jobs are taken, and its two answers."""

    work: TaskExecution
    task: Task
    task_options: TaskOptions
    caller: Caller

    async def result_answer(self) -> Response:
        """Its result, when it has ended."""
        return await self.work.waited(self.task, self.task_options, self.caller)

    async def status_answer(self) -> JSONResponse:
        """Its status now."""
        return json_of(await self.work.status(self.task, self.caller, ignored=self.task_options.ignored))


class TaskSubmission:
    """Takes no upload of a caller for whose jobs there is no room."""

    def __init__(self, services: Services, work: TaskExecution) -> None:
        self._services = services
        self._work = work

    async def of_form(self, request: Request, task_options_of: OfForm) -> AcceptedTask:
        """Of a form with files; `task_options_of` reads its fields."""
        caller = await self._admitted(request)
        async with read_form(self._services, request, files=FILES, fields=None, allowed=SUPPORTED_TYPES) as form:
            task_options = task_options_of(form.repeated)
            task = await self._work.submitted(form.uploads, task_options, caller)
        return AcceptedTask(self._work, task, task_options, caller)

    async def of_sources(self, request: Request, task_options_of: OfBody) -> AcceptedTask:
        """Of JSON with sources; `task_options_of` reads the rest of it."""
        caller = await self._admitted(request)
        async with body_slot(self._services, request):  # the decoded files live until all jobs are taken
            body = await sources_body(request)
            task_options = dataclasses.replace(task_options_of(body), callbacks=tuple(body.callbacks))
            async with source_uploads(self._services, body, caller.name) as uploads:
                task = await self._work.submitted(uploads, task_options, caller)
        return AcceptedTask(self._work, task, task_options, caller)

    async def _admitted(self, request: Request) -> Caller:
        caller = caller_of(request)
        await call(self._services.jobs.check_room.remote(caller.namespace, caller.max_unfinished_jobs))
        return caller
