"""Task: jobs, and in which form they are answered. Its id says all of it, so that nothing is kept beside the jobs."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Sequence
from http import HTTPStatus
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from deployments.ingress.docling.options import MOST_TOKENS, OutputFormat
from deployments.ingress.refusals import Problem
from deployments.ingress.uploads import MAX_FILES
from deployments.jobs.values import FINAL, Job, JobError

TaskStatus = Literal["pending", "started", "success", "failure"]  # clients wait on for ever after any other
JobsStatus = Literal[TaskStatus, "partial_success"]
MAX_ID = 2000  # characters
_ID = re.compile(r"((?:job_[0-9a-f]{32})(?:\.job_[0-9a-f]{32})*)~([A-Za-z0-9_-]+)")


class NoSuchTask(Problem):
    """No such task, or not one of the caller's; its clients look at these words."""

    status = HTTPStatus.NOT_FOUND
    code = "not_found"

    def __init__(self) -> None:
        super().__init__("Task not found.")


class NoResult(Problem):
    """A task has no result, or not yet; its clients look at the first words, and ask the task's status why."""

    status = HTTPStatus.NOT_FOUND
    code = "no_result"

    def __init__(self, why: str = "Please wait for a completion status.") -> None:
        super().__init__(f"Task result not found. {why}")


class Form(BaseModel):
    """How the jobs of a task are answered."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["convert", "hybrid", "hierarchical"] = "convert"
    formats: Annotated[tuple[OutputFormat, ...], Field(max_length=4)] = ()
    zipped: bool = False
    pictures: bool = True
    scale: Annotated[float, Field(gt=0, le=4)] = 2.0
    max_tokens: Annotated[int | None, Field(ge=16, le=MOST_TOKENS)] = None
    merge: bool = True
    raw_text: bool = False
    heading_level: Annotated[int, Field(ge=1, le=6)] = 2  # of Markdown's first
    whole: bool = False  # chunks: with the document beside them


class Task(BaseModel):
    """One or more jobs that were submitted together."""

    model_config = ConfigDict(frozen=True)

    job_ids: tuple[str, ...]
    form: Form

    @property
    def id(self) -> str:
        """Characters that stand in a path as they are."""
        payload = self.form.model_dump_json(exclude_defaults=True).encode()
        return f"{'.'.join(self.job_ids)}~{base64.urlsafe_b64encode(payload).decode().rstrip('=')}"

    @classmethod
    def of(cls, task_id: str) -> Task:
        """The task of an id that `id` gave. Raises NoSuchTask for any other."""
        match = _ID.fullmatch(task_id) if len(task_id) <= MAX_ID else None
        if match is None:
            raise NoSuchTask
        try:
            payload = base64.urlsafe_b64decode(match[2] + "=" * (-len(match[2]) % 4))
            form = Form.model_validate_json(payload)
        except (ValidationError, binascii.Error):
            raise NoSuchTask from None
        job_ids = tuple(match[1].split("."))
        if len(job_ids) > MAX_FILES:
            raise NoSuchTask
        return cls(job_ids=job_ids, form=form)


class TaskMeta(BaseModel):
    """How many documents a task has, and what became of them."""

    num_docs: int
    num_processed: int
    num_succeeded: int
    num_partially_succeeded: int
    num_failed: int


class Failure(BaseModel):
    """Why a task failed, in docling-serve's words."""

    category: str
    message: str
    retryable: bool
    phase: str = "execution"
    details: dict[str, str] = {}


class TaskTold(BaseModel):
    """The status of a task."""

    task_id: str
    task_type: Literal["convert", "chunk"]
    task_status: TaskStatus
    task_position: int | None = None
    task_meta: TaskMeta
    error_message: str | None = None
    failure: Failure | None = None
    ignored_options: list[str] | None = None


def status_of(jobs: Sequence[Job]) -> JobsStatus:
    """Of all jobs together; one that was cancelled counts as failed."""
    if not all(job.status in FINAL for job in jobs):
        return "pending" if all(job.status == "queued" for job in jobs) else "started"
    if all(job.status == "succeeded" for job in jobs):
        return "success"
    return "partial_success" if any(job.status in ("succeeded", "partial") for job in jobs) else "failure"


def task_status_of(task: Task, jobs: Sequence[Job], position: int | None, ignored: list[str] | None = None) -> TaskTold:
    """The task as its jobs are now; `position` counts from 1 among those that wait.

    One that is done in part is a success here: its answer says what is missing, and `task_meta` how many.
    """
    status = status_of(jobs)
    statuses = [job.status for job in jobs]
    error = next((error_of(job) for job in jobs if job.status in ("failed", "cancelled")), None)
    failed = error if status == "failure" else None
    return TaskTold(
        task_id=task.id,
        task_type="convert" if task.form.kind == "convert" else "chunk",
        task_status="success" if status == "partial_success" else status,
        task_position=position if status == "pending" else None,
        task_meta=TaskMeta(
            num_docs=len(jobs),
            num_processed=sum(status in FINAL for status in statuses),
            num_succeeded=statuses.count("succeeded"),
            num_partially_succeeded=statuses.count("partial"),
            num_failed=statuses.count("failed") + statuses.count("cancelled"),
        ),
        error_message=failed and failed.message,
        failure=failed and Failure(category=category_of(failed), message=failed.message, retryable=failed.retryable),
        ignored_options=ignored,
    )


def error_of(job: Job) -> JobError:
    """Why a job has no result."""
    cancelled = JobError(code="cancelled", status=409, message="the task was cancelled")
    return job.error or cancelled


def category_of(error: JobError) -> str:
    """In docling-serve's words."""
    if error.status == HTTPStatus.GATEWAY_TIMEOUT:
        return "timeout"
    if error.status in (HTTPStatus.REQUEST_ENTITY_TOO_LARGE, HTTPStatus.CONFLICT):
        return "policy"
    return "internal" if error.status == HTTPStatus.INTERNAL_SERVER_ERROR else "backend_failure"
