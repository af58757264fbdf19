"""Tasks: their ids say all of them, and their status is that of their jobs."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deployments.ingress.facades.docling.task import NoSuchTask, ResponseFormat, Task
from deployments.ingress.facades.docling.task_status import status_of, task_status_of
from deployments.values.jobs import Job, JobError

ONE = "job_" + "0" * 32


def job(status, **more):
    about = {"id": ONE, "document_id": "d", "revision": 1, "file_name": "a.pdf", "num_pages": 1}
    return Job.model_validate(about | {"status": status, "created_at": datetime.now(UTC)} | more)


@given(
    st.lists(st.uuids(), min_size=1, max_size=20),
    st.builds(
        ResponseFormat,
        kind=st.sampled_from(["convert", "hybrid", "hierarchical"]),
        formats=st.lists(st.sampled_from(["md", "json", "html", "text"]), unique=True).map(tuple),
        zipped=st.booleans(),
        scale=st.floats(0.1, 4),
        max_tokens=st.none() | st.integers(16, 1000),
    ),
)
def test_an_id_says_the_whole_task_in_signs_that_stand_in_a_path(ids, form):
    """Guards against a second place where the state of a task would have to be kept."""
    task = Task(job_ids=tuple(f"job_{job_id.hex}" for job_id in ids), form=form)
    assert Task.of(task.id) == task
    assert len(task.id) < 2000
    assert all(sign.isalnum() or sign in "_-.~" for sign in task.id)


@pytest.mark.parametrize(
    "odd", ["", "x", ONE, f"{ONE}~", f"{ONE}~!", f"{ONE}~e30x", f"../{ONE}~e30", f"{ONE}~eyJrIjoxfQ"]
)
def test_an_id_that_was_not_given_out_is_no_task(odd):
    with pytest.raises(NoSuchTask) as refused:
        Task.of(odd)
    assert refused.value.message == "Task not found."


@given(st.text(max_size=100))
def test_no_id_is_a_fault(odd):
    """Guards against a traceback where a client makes up ids."""
    with contextlib.suppress(NoSuchTask):
        Task.of(f"{ONE}~{odd}")


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        (["queued", "queued"], "pending"),
        (["queued", "running"], "started"),
        (["succeeded", "running"], "started"),
        (["succeeded", "succeeded"], "success"),
        (["succeeded", "failed"], "partial_success"),
        (["partial"], "partial_success"),
        (["failed", "cancelled"], "failure"),
    ],
)
def test_the_status_of_a_task_is_that_of_all_its_jobs(statuses, expected):
    """Guards against a task that is called done when half of it runs."""
    assert status_of([job(status) for status in statuses]) == expected


def test_a_task_that_is_done_in_part_has_ended_for_its_clients():
    """docling's client knows two ends, success and failure, and waits on after anything else."""
    status = task_status_of(Task(job_ids=(ONE,), form=ResponseFormat()), [job("partial")], None)
    assert (status.task_status, status.task_meta.num_partially_succeeded) == ("success", 1)


def test_a_failed_task_says_why_in_the_words_that_clients_read():
    error = JobError(code="encrypted_document", status=422, message="needs a password")
    status = task_status_of(Task(job_ids=(ONE,), form=ResponseFormat()), [job("failed", error=error)], 3)
    assert (status.task_status, status.error_message, status.task_position) == ("failure", "needs a password", None)
    assert status.failure is not None
    assert status.failure.category == "backend_failure"
    assert status.task_meta.num_failed == 1
