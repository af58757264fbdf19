"""Decides whether a repeated upload gets its earlier job (Idempotency-Key, same bytes), and counts a document's
revisions.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import Connection, and_, delete, func, insert, select

from deployments.errors import IdempotencyConflict
from deployments.jobs.store.database_schema import jobs, submissions, table_of
from deployments.values.jobs import Options, Submission

KEY_CONFLICT = "this Idempotency-Key was used with a different file or other options"
KEY_HOLDING_STATUSES = ("queued", "running", "succeeded")


def request_key(submission: Submission) -> str:
    options = submission.options.model_dump(
        mode="json", exclude={"password", "webhook"}
    )  # no trace of it outlives the job
    for name in ("attachments", "reuse_pages"):  # keys of before these options were there stay equal
        if options[name] == Options.model_fields[name].default:
            del options[name]
    canonical = json.dumps([submission.sha256, options], sort_keys=True)
    return hashlib.sha256(canonical.encode()).hexdigest()


def known_job(db: Connection, submission: Submission, key: str, others: Iterable[int] = ()) -> str | None:
    """A job of the same idempotency key; or of the same bytes and options, if it is what the document is now.

    A key goes with a job that failed, too, unless that may be tried again. A job is what the document is now if nothing
    of it failed, and no other bytes or options came after it. A job that ends with its client is that
    client's alone.
    """
    if submission.idempotency_key is not None:
        same_key = (
            submissions.c.namespace == submission.namespace,
            submissions.c.name == _by_key(submission.idempotency_key),
        )
        row = db.execute(select(submissions.c.job_id, submissions.c.request_key).where(*same_key)).first()
        if row is not None:
            if row.request_key != key:
                raise IdempotencyConflict(KEY_CONFLICT)
            if not _may_be_repeated(db, row.job_id):
                return row.job_id
        _check_key(db, submission, key, others)
    if submission.options.cancel_on_disconnect:
        return None
    same = (
        jobs.c.namespace == submission.namespace,
        jobs.c.request_key == key,
        jobs.c.status.in_(KEY_HOLDING_STATUSES),
    )
    query = (
        select(jobs.c.id, jobs.c.document_id, jobs.c.revision).where(*same).order_by(jobs.c.revision.desc()).limit(1)
    )
    if (job := db.execute(query).first()) is None:
        return None
    return job.id if job.revision == next_revision(db, submission.namespace, job.document_id) - 1 else None


def _check_key(db: Connection, submission: Submission, key: str, others: Iterable[int]) -> None:
    """Raises IdempotencyConflict where another shard knows the submission's key of another file."""
    assert submission.idempotency_key is not None
    for table in (table_of(shard, "submissions") for shard in others):
        same = (table.c.namespace == submission.namespace, table.c.name == _by_key(submission.idempotency_key))
        row = db.execute(select(table.c.request_key).where(*same)).first()
        if row is not None and row.request_key != key:
            raise IdempotencyConflict(KEY_CONFLICT)


def _may_be_repeated(db: Connection, job_id: str) -> bool:
    """Whether the job failed by what another one may be spared."""
    job = db.execute(select(jobs.c.status, jobs.c.error).where(jobs.c.id == job_id)).one()
    return job.status == "failed" and bool((job.error or {}).get("retryable"))


def remember(db: Connection, submission: Submission, key: str, job_id: str, now: datetime) -> None:
    """Record that the job was requested now: under its content and, if it came with one, its Idempotency-Key."""
    names = (
        [f"same:{key}"] if submission.idempotency_key is None else [f"same:{key}", _by_key(submission.idempotency_key)]
    )
    same_names = (submissions.c.namespace == submission.namespace, submissions.c.name.in_(names))
    db.execute(delete(submissions).where(*same_names))
    row = {"namespace": submission.namespace, "job_id": job_id, "request_key": key, "at": now}
    db.execute(insert(submissions), [{**row, "name": name} for name in names])


def _by_key(idempotency_key: str) -> str:
    return f"key:{idempotency_key}"


def next_revision(db: Connection, namespace: str, document_id: str) -> int:
    same = and_(jobs.c.namespace == namespace, jobs.c.document_id == document_id)
    return (db.execute(select(func.max(jobs.c.revision)).where(same)).scalar_one() or 0) + 1
