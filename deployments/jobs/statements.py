"""Single statements of the job store, each inside a transaction that its caller has begun."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime

from sqlalchemy import Connection, Select, and_, func, insert, select
from sqlalchemy.engine import RowMapping

from deployments.jobs.tables import blobs, events, jobs
from deployments.jobs.values import FINAL, JobStatus, Plan, Row, Submission
from documents.values import Page


class UnknownJob(LookupError):
    """No job of this id in this namespace."""


class UnknownDocument(LookupError):
    """No document of this id in this namespace."""


class IdempotencyConflict(Exception):
    """An Idempotency-Key came again with another upload."""


def where_status(query: Select[tuple[object, ...]], status: JobStatus | None) -> Select[tuple[object, ...]]:
    return query if status is None else query.where(jobs.c.status == status)


def request_key(given: Submission) -> str:
    options = given.options.model_dump(mode="json", exclude={"password"})  # no trace of it outlives the job
    canonical = json.dumps([given.sha256, options], sort_keys=True)
    return hashlib.sha256(canonical.encode()).hexdigest()


def text_source(page: Page) -> str | None:
    sources = {region.text_source for region in page.regions if region.text}
    return next(iter(sources)) if len(sources) == 1 else "mixed" if sources else None


def known_job(db: Connection, given: Submission, key: str) -> str | None:
    """A job of the same idempotency key, or of the same bytes and options unless something of it failed."""
    mine = jobs.c.namespace == given.namespace
    if given.idempotency_key is not None:
        earlier = select(jobs.c.id, jobs.c.request_key).where(mine, jobs.c.idempotency_key == given.idempotency_key)
        if (row := db.execute(earlier).first()) is not None:
            if row.request_key != key:
                raise IdempotencyConflict("this Idempotency-Key came with other bytes or options before")
            return row.id
    same = and_(mine, jobs.c.request_key == key, jobs.c.status.in_(("queued", "running", "succeeded")))
    return db.execute(select(jobs.c.id).where(same).order_by(jobs.c.created_at.desc()).limit(1)).scalar_one_or_none()


def next_revision(db: Connection, namespace: str, document_id: str) -> int:
    same = and_(jobs.c.namespace == namespace, jobs.c.document_id == document_id)
    return (db.execute(select(func.max(jobs.c.revision)).where(same)).scalar_one() or 0) + 1


def remember_blob(db: Connection, given: Submission, now: datetime) -> None:
    if db.execute(select(blobs.c.sha256).where(blobs.c.sha256 == given.sha256)).first() is None:
        db.execute(
            insert(blobs).values(sha256=given.sha256, size=given.size, media_type=given.media_type, created_at=now)
        )


def is_current(db: Connection, plan: Plan) -> bool:
    """Whether the job is unfinished and this attempt is the latest."""
    row = db.execute(select(jobs.c.attempt, jobs.c.status).where(jobs.c.id == plan.job_id)).first()
    return row is not None and row.attempt == plan.attempt and row.status not in FINAL


def tell(db: Connection, job_id: str, kind: str, body: Row) -> None:
    db.execute(insert(events).values(job_id=job_id, kind=kind, body=body, created_at=datetime.now(UTC)))


def job_row(db: Connection, job_id: str, namespace: str | None) -> RowMapping:
    query = select(jobs).where(jobs.c.id == job_id)
    if namespace is not None:
        query = query.where(jobs.c.namespace == namespace)
    found = db.execute(query).mappings().first()
    if found is None:
        raise UnknownJob(job_id)
    return found


def unwanted(db: Connection, hashes: set[str]) -> list[str]:
    """Those of the blobs that no job holds on to."""
    wanted = set(db.execute(select(jobs.c.sha256).where(jobs.c.sha256.in_(hashes))).scalars())
    return sorted(hashes - wanted)


def finished_before(db: Connection, moment: datetime) -> list[tuple[str, str]]:
    """Namespace and id of the documents all of whose jobs ended before `moment`."""
    both = (jobs.c.namespace, jobs.c.document_id)
    latest, ended = func.max(jobs.c.finished_at), func.count(jobs.c.finished_at)
    query = select(*both).group_by(*both).having(and_(latest < moment, ended == func.count()))
    return [(row.namespace, row.document_id) for row in db.execute(query)]
