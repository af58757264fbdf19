"""Database rows of stored extractions: schema, options, progress and result; each change with its event."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime

from sqlalchemy import Connection, insert, select, update
from sqlalchemy.engine import RowMapping

from deployments.errors import UnknownExtraction, UnknownJob
from deployments.jobs.store.database_schema import events, extractions, jobs
from deployments.jobs.store.job_queries import check_room
from deployments.jobs.store.row_conversion import aware
from deployments.values.jobs import (
    UNFINISHED_STATUSES,
    Ending,
    ExtractionJob,
    ExtractionPlan,
    ExtractionSubmission,
    Row,
)
from deployments.values.shards import new_id, shard_of


def add(
    db: Connection, submission: ExtractionSubmission, max_unfinished: int, others: Iterable[int] = ()
) -> ExtractionPlan:
    """A new one; `others` as in `check_room`.

    Raises QueueFull, QuotaExceeded; UnknownJob where the reading was forgotten meanwhile.
    """
    if db.execute(select(jobs.c.id).where(jobs.c.id == submission.job_id)).first() is None:
        raise UnknownJob(submission.job_id)
    check_room(db, extractions, max_unfinished, submission, others)
    values: Row = submission.model_dump(mode="json", exclude={"max_unfinished", "schema_"})
    extraction_id = new_id("ext", shard_of(submission.job_id))
    values |= {"id": extraction_id, "schema": submission.schema_, "status": "queued", "attempt": 0}
    db.execute(insert(extractions).values(**values, calls_done=0, created_at=datetime.now(UTC)))
    row = extraction_row(db, extraction_id, None)
    tell_of(db, row)
    return plan_of(row)


def begin(db: Connection, extraction_id: str) -> int | None:
    """Take it up: how often that was done by now; None where it has ended or is gone."""
    values: Row = {"status": "running", "attempt": extractions.c.attempt + 1, "calls_done": 0}
    if not _changed(db, extraction_id, values):
        return None
    return extraction_row(db, extraction_id, None)["attempt"]


def progress(db: Connection, extraction_id: str, num_done: int, total: int) -> None:
    _changed(db, extraction_id, {"calls_done": num_done, "calls_total": total})


def end(db: Connection, extraction_id: str, ending: Ending) -> bool:
    """End it for good; False where it had ended before, or is gone."""
    values: Row = {"status": ending.status, "finished_at": datetime.now(UTC)}
    values |= {"result": None if ending.result is None else json.dumps(ending.result, ensure_ascii=False)}
    return _changed(db, extraction_id, values | {"error": ending.error and ending.error.model_dump(mode="json")})


def unfinished_extractions(db: Connection) -> list[ExtractionPlan]:
    """The oldest first."""
    query = select(extractions).where(extractions.c.status.in_(UNFINISHED_STATUSES)).order_by(extractions.c.created_at)
    return [plan_of(row) for row in db.execute(query).mappings()]


def extraction_row(db: Connection, extraction_id: str, namespace: str | None) -> RowMapping:
    """Raises UnknownExtraction."""
    query = select(extractions).where(extractions.c.id == extraction_id)
    row = db.execute(query if namespace is None else query.where(extractions.c.namespace == namespace)).mappings()
    entry = row.first()
    if entry is None:
        raise UnknownExtraction(extraction_id)
    return entry


def plan_of(row: RowMapping) -> ExtractionPlan:
    """What must be known to do the extraction of this row."""
    names = ("id", "namespace", "document_id", "job_id", "pages")
    return ExtractionPlan(schema=row["schema"], **{name: row[name] for name in names})


def extraction_of(row: RowMapping) -> ExtractionJob:
    """How the extraction of this row stands."""
    names = ("id", "document_id", "job_id", "revision", "status", "calls_done", "calls_total", "error")
    path = f"/v1/extractions/{row['id']}"
    return ExtractionJob.model_validate(
        {name: row[name] for name in names}
        | {"created_at": aware(row["created_at"]), "finished_at": row["finished_at"] and aware(row["finished_at"])}
        | {"links": {"self": path, "result": f"{path}/result", "events": f"{path}/events"}}
    )


def _changed(db: Connection, extraction_id: str, values: Row) -> bool:
    """Change one that has not ended, and tell of it; False where it has, or is gone."""
    unfinished = (extractions.c.id == extraction_id, extractions.c.status.in_(UNFINISHED_STATUSES))
    changed = bool(db.execute(update(extractions).where(*unfinished).values(**values)).rowcount)
    if changed:
        tell_of(db, extraction_row(db, extraction_id, None))
    return changed


def tell_of(db: Connection, row: RowMapping) -> None:
    """Write an event with how the extraction of this row stands."""
    body = extraction_of(row).model_dump(mode="json")
    values: Row = {"job_id": row["job_id"], "extraction_id": row["id"], "kind": row["status"], "body": body}
    db.execute(insert(events).values(**values, created_at=datetime.now(UTC)))
