"""Computes the status of a docling task (pending, started, success, failure) from the states of its jobs."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus
from typing import Literal

from pydantic import BaseModel

from deployments.ingress.facades.docling.task import Task
from deployments.ingress.operations.conversions import error_of
from deployments.values.jobs import FINAL_STATUSES, Job, JobError

TaskStatus = Literal["pending", "started", "success", "failure"]  # clients wait on for ever after any other
JobsStatus = Literal[TaskStatus, "partial_success"]


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


class TaskStatusResponse(BaseModel):
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
    if not all(job.status in FINAL_STATUSES for job in jobs):
        return "pending" if all(job.status == "queued" for job in jobs) else "started"
    if all(job.status == "succeeded" for job in jobs):
        return "success"
    return "partial_success" if any(job.status in ("succeeded", "partial") for job in jobs) else "failure"


def task_status_of(
    task: Task, jobs: Sequence[Job], position: int | None, ignored: list[str] | None = None
) -> TaskStatusResponse:
    """The task as its jobs are now; `position` counts from 1 among those that wait.

    One that is done in part is a success here: its answer says what is missing, and `task_meta` how many.
    """
    status = status_of(jobs)
    statuses = [job.status for job in jobs]
    error = next((error_of(job) for job in jobs if job.status in ("failed", "cancelled")), None)
    failed = error if status == "failure" else None
    return TaskStatusResponse(
        task_id=task.id,
        task_type="convert" if task.form.kind == "convert" else "chunk",
        task_status="success" if status == "partial_success" else status,
        task_position=position if status == "pending" else None,
        task_meta=TaskMeta(
            num_docs=len(jobs),
            num_processed=sum(status in FINAL_STATUSES for status in statuses),
            num_succeeded=statuses.count("succeeded"),
            num_partially_succeeded=statuses.count("partial"),
            num_failed=statuses.count("failed") + statuses.count("cancelled"),
        ),
        error_message=failed and failed.message,
        failure=failed and Failure(category=category_of(failed), message=failed.message, retryable=failed.retryable),
        ignored_options=ignored,
    )


def category_of(error: JobError) -> str:
    """In docling-serve's words."""
    if error.status == HTTPStatus.GATEWAY_TIMEOUT:
        return "timeout"
    if error.status in (HTTPStatus.REQUEST_ENTITY_TOO_LARGE, HTTPStatus.CONFLICT):
        return "policy"
    return "internal" if error.status == HTTPStatus.INTERNAL_SERVER_ERROR else "backend_failure"
