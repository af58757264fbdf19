"""Database rows of stored extractions: schema, options, progress and result."""

from __future__ import annotations

import json
import uuid
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, func, insert, select, update
from sqlalchemy.engine import RowMapping

from deployments.errors import QueueFull, QuotaExceeded, UnknownExtraction, UnknownJob
from deployments.jobs.store.database_schema import extractions, jobs
from deployments.values.jobs import (
    UNFINISHED_STATUSES,
    ExtractionJob,
    ExtractionPlan,
    ExtractionSubmission,
    JobError,
    JobStatus,
    Row,
)


def add(db: Connection, submission: ExtractionSubmission, max_unfinished: int) -> str:
    """Its id. Raises QueueFull, QuotaExceeded; UnknownJob where the reading was forgotten meanwhile."""
    if db.execute(select(jobs.c.id).where(jobs.c.id == submission.job_id)).first() is None:
        raise UnknownJob(submission.job_id)
    if _num_unfinished(db) >= max_unfinished:
        raise QueueFull(f"{max_unfinished} extractions are unfinished")
    mine = submission.max_unfinished
    if mine is not None and _num_unfinished(db, submission.namespace) >= mine:
        raise QuotaExceeded(f"{mine} extractions of this namespace are unfinished, as many as this key allows")
    extraction_id = f"ext_{uuid.uuid4().hex}"
    values: Row = submission.model_dump(mode="json", exclude={"max_unfinished", "schema_"})
    values |= {"id": extraction_id, "schema": submission.schema_, "status": "queued", "attempt": 0, "calls_done": 0}
    db.execute(insert(extractions).values(**values, created_at=datetime.now(UTC)))
    return extraction_id


def begin(db: Connection, extraction_id: str) -> ExtractionPlan | None:
    """Take it up; None where it has ended or is gone."""
    unfinished = (extractions.c.id == extraction_id, extractions.c.status.in_(UNFINISHED_STATUSES))
    attempt = extractions.c.attempt + 1
    if not db.execute(update(extractions).where(*unfinished).values(status="running", attempt=attempt)).rowcount:
        return None
    row = _row(db, extraction_id, None)
    names = ("id", "namespace", "document_id", "job_id", "pages", "attempt")
    return ExtractionPlan(schema=row["schema"], **{name: row[name] for name in names})


def put_back(db: Connection, extraction_ids: Collection[str]) -> None:
    """Their attempts do not count: the server is stopped in good order. One that has ended is left as it is."""
    stopped = (extractions.c.id.in_(extraction_ids), extractions.c.status == "running")
    db.execute(update(extractions).where(*stopped).values(status="queued", attempt=extractions.c.attempt - 1))


def unfinished(db: Connection) -> list[str]:
    """Ids, the oldest first."""
    query = (
        select(extractions.c.id).where(extractions.c.status.in_(UNFINISHED_STATUSES)).order_by(extractions.c.created_at)
    )
    return list(db.execute(query).scalars())


def unfinished_of(db: Connection, namespace: str, document_id: str) -> list[str]:
    """Ids of those of one document."""
    mine = (extractions.c.namespace == namespace, extractions.c.document_id == document_id)
    return list(
        db.execute(select(extractions.c.id).where(*mine, extractions.c.status.in_(UNFINISHED_STATUSES))).scalars()
    )


def progress(db: Connection, extraction_id: str, num_done: int, total: int) -> None:
    db.execute(
        update(extractions).where(extractions.c.id == extraction_id).values(calls_done=num_done, calls_total=total)
    )


def end(
    db: Connection,
    extraction_id: str,
    status: JobStatus,
    *,
    result: Mapping[str, Any] | None = None,
    error: JobError | None = None,
) -> bool:
    """End it for good; False where it had ended before, or is gone."""
    values: Row = {"status": status, "finished_at": datetime.now(UTC)}
    values |= {"result": None if result is None else json.dumps(result, ensure_ascii=False)}
    values |= {"error": error and error.model_dump(mode="json")}
    unfinished = (extractions.c.id == extraction_id, extractions.c.status.in_(UNFINISHED_STATUSES))
    return bool(db.execute(update(extractions).where(*unfinished).values(**values)).rowcount)


def extraction(db: Connection, extraction_id: str, namespace: str | None) -> ExtractionJob:
    """How it stands. Raises UnknownExtraction."""
    row = _row(db, extraction_id, namespace)
    names = ("id", "document_id", "job_id", "revision", "status", "calls_done", "calls_total", "error")
    path = f"/v1/extractions/{extraction_id}"
    return ExtractionJob.model_validate(
        {name: row[name] for name in names}
        | {"created_at": _aware(row["created_at"]), "finished_at": row["finished_at"] and _aware(row["finished_at"])}
        | {"links": {"self": path, "result": f"{path}/result", "events": f"{path}/events"}}
    )


def result_of(db: Connection, extraction_id: str, namespace: str | None) -> str | None:
    """JSON; None where there is none (yet). Raises UnknownExtraction."""
    return _row(db, extraction_id, namespace)["result"]


def _row(db: Connection, extraction_id: str, namespace: str | None) -> RowMapping:
    query = select(extractions).where(extractions.c.id == extraction_id)
    row = db.execute(query if namespace is None else query.where(extractions.c.namespace == namespace)).mappings()
    entry = row.first()
    if entry is None:
        raise UnknownExtraction(extraction_id)
    return entry


def _num_unfinished(db: Connection, namespace: str | None = None) -> int:
    query = select(func.count()).where(extractions.c.status.in_(UNFINISHED_STATUSES))
    return db.execute(query if namespace is None else query.where(extractions.c.namespace == namespace)).scalar_one()


def _aware(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
