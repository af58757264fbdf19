"""JobStore: every change of job state is one transaction, and a finished page is never changed again.

Its methods block; one thread at a time calls them. The statements are the same for SQLite and PostgreSQL.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Literal

from sqlalchemy import Connection, Select, and_, func, insert, select, update
from sqlalchemy.engine import RowMapping

from deployments.jobs.rows import job_of, plan_of, progress_of
from deployments.jobs.tables import blobs, connect, events, jobs, pages
from deployments.jobs.values import (
    FINAL,
    Job,
    JobError,
    JobStatus,
    Plan,
    Row,
    Submission,
    Timings,
)
from documents.values import Opened, Page, PageWarning


class UnknownJob(LookupError):
    """No job of this id in this namespace."""


class QueueFull(Exception):
    """As many jobs are unfinished as the settings allow."""


class IdempotencyConflict(Exception):
    """An Idempotency-Key came again with another upload."""


class JobStore:
    """The rows of the job database."""

    def __init__(self, url: str, *, max_unfinished: int) -> None:
        self._engine = connect(url)
        self._max_unfinished = max_unfinished

    def close(self) -> None:
        self._engine.dispose()

    # -- what changes state ------------------------------------------------------------------------------------------

    def submit(self, given: Submission) -> tuple[str, bool]:
        """The job of this upload, and whether it is new: the same bytes and options again are the same job.

        Raises:
            QueueFull: a new job is needed, and there is no room for it.
            IdempotencyConflict: the key came with another upload before.
        """
        key = _request_key(given)
        with self._engine.begin() as db:
            if (known := _known(db, given, key)) is not None:
                return known, False
            if self._num_unfinished(db) >= self._max_unfinished:
                raise QueueFull(f"{self._max_unfinished} jobs are unfinished")
            job_id, now = f"job_{uuid.uuid4().hex}", datetime.now(UTC)
            document_id = given.options.document_id or given.sha256
            _remember_blob(db, given, now)
            db.execute(
                insert(jobs).values(
                    id=job_id,
                    namespace=given.namespace,
                    document_id=document_id,
                    revision=_next_revision(db, given.namespace, document_id),
                    attempt=1,
                    request_key=key,
                    idempotency_key=given.idempotency_key,
                    sha256=given.sha256,
                    media_type=given.media_type,
                    file_name=given.file_name,
                    options=given.options.model_dump(mode="json"),
                    status="queued",
                    warnings=[],
                    timings={},
                    created_at=now,
                )
            )
            _tell(db, job_id, "queued", {})
        return job_id, True

    def resume(self) -> list[Plan]:
        """Take up what an earlier life of the server left unfinished; results of that life are refused from now on."""
        with self._engine.begin() as db:
            unfinished = jobs.c.status.in_(("queued", "running"))
            db.execute(update(jobs).where(unfinished).values(attempt=jobs.c.attempt + 1))
            rows = db.execute(select(jobs).where(unfinished).order_by(jobs.c.created_at)).mappings().all()
        return [plan_of(row) for row in rows]

    def begin(self, plan: Plan, opened: Opened, numbers: Sequence[int]) -> list[int]:
        """Note what opening told; the numbers of the pages that are still to do."""
        with self._engine.begin() as db:
            if not _still(db, plan):
                return []
            there = set(db.execute(select(pages.c.number).where(pages.c.job_id == plan.job_id)).scalars())
            rows: list[Row] = [
                {
                    "job_id": plan.job_id,
                    "number": n,
                    "status": "queued",
                    "attempt": plan.attempt,
                    "timings": {},
                    "warnings": [],
                }
                for n in numbers
                if n not in there
            ]
            if rows:
                db.execute(insert(pages), rows)
            values: Row = {"status": "running", "num_pages": opened.num_pages, "opened": opened.model_dump(mode="json")}
            db.execute(update(jobs).where(jobs.c.id == plan.job_id).values(**values))
            _tell(db, plan.job_id, "running", {"num_pages": opened.num_pages, "pages": len(numbers)})
            return list(
                db.execute(
                    select(pages.c.number)
                    .where(pages.c.job_id == plan.job_id, pages.c.status == "queued")
                    .order_by(pages.c.number)
                ).scalars()
            )

    def finish_page(self, plan: Plan, number: int, outcome: Page | JobError, timings: Timings) -> bool:
        """Commit one page with its event; False if it is finished already or belongs to an older attempt."""
        values: Row = {"attempt": plan.attempt, "timings": timings}
        if isinstance(outcome, Page):
            values |= {"status": "succeeded", "result": outcome.model_dump_json(), "text_source": _text_source(outcome)}
            values |= {"warnings": [warning.model_dump(mode="json") for warning in outcome.warnings]}
        else:
            values |= {"status": "failed", "error": outcome.model_dump(mode="json")}
        with self._engine.begin() as db:
            if not _still(db, plan):
                return False
            changed = db.execute(
                update(pages)
                .where(pages.c.job_id == plan.job_id, pages.c.number == number, pages.c.status == "queued")
                .values(**values)
            )
            if changed.rowcount:
                _tell(db, plan.job_id, "page", {"number": number, "status": values["status"]})
            return bool(changed.rowcount)

    def finish(
        self,
        plan: Plan,
        status: JobStatus,
        *,
        error: JobError | None = None,
        warnings: Sequence[PageWarning] = (),
        timings: Timings | None = None,
    ) -> bool:
        """End a job for good and forget its password; False if it ended before or belongs to an older attempt."""
        with self._engine.begin() as db:
            if not _still(db, plan):
                return False
            db.execute(
                update(jobs)
                .where(jobs.c.id == plan.job_id)
                .values(
                    status=status,
                    error=error and error.model_dump(mode="json"),
                    warnings=[warning.model_dump(mode="json") for warning in warnings],
                    timings=timings or {},
                    options=plan.options.model_copy(update={"password": None}).model_dump(mode="json"),
                    finished_at=datetime.now(UTC),
                )
            )
            _tell(db, plan.job_id, status, {})
        return True

    # -- what is asked between ---------------------------------------------------------------------------------------

    def wants(self, sha256: str) -> bool:
        """Whether a job holds on to this blob."""
        with self._engine.connect() as db:
            return db.execute(select(blobs.c.sha256).where(blobs.c.sha256 == sha256)).first() is not None

    def standing(self, plan: Plan) -> Literal["latest", "superseded", "ended"]:
        """Whether the job may still change the index: an ended one may not, nor one with a newer revision beside it."""
        with self._engine.connect() as db:
            if not _still(db, plan):
                return "ended"
            newest = _next_revision(db, plan.namespace, plan.document_id) - 1
        return "latest" if plan.revision == newest else "superseded"

    # -- what is known -----------------------------------------------------------------------------------------------

    def plan(self, job_id: str, namespace: str | None = None) -> Plan:
        with self._engine.connect() as db:
            return plan_of(_row(db, job_id, namespace))

    def job(self, job_id: str, namespace: str | None = None) -> Job:
        """The job with the progress of every page.

        Raises:
            UnknownJob: there is none of this id in the namespace.
        """
        with self._engine.connect() as db:
            row = _row(db, job_id, namespace)
            found = db.execute(select(pages).where(pages.c.job_id == job_id).order_by(pages.c.number)).mappings().all()
        return job_of(row, tuple(progress_of(page) for page in found))

    def jobs(self, namespace: str, *, limit: int = 100, status: JobStatus | None = None) -> list[Job]:
        """The newest jobs first, without their pages."""
        query = select(jobs).where(jobs.c.namespace == namespace).order_by(jobs.c.created_at.desc()).limit(limit)
        with self._engine.connect() as db:
            return [job_of(row, ()) for row in db.execute(_where_status(query, status)).mappings()]

    def facts(self, job_id: str) -> tuple[Opened, list[Page], list[int]]:
        """What opening told, the pages that succeeded, and the numbers of those that failed."""
        with self._engine.connect() as db:
            row = _row(db, job_id, None)
            found = db.execute(select(pages).where(pages.c.job_id == job_id).order_by(pages.c.number)).mappings().all()
        done = [Page.model_validate_json(page["result"]) for page in found if page["status"] == "succeeded"]
        failed = [page["number"] for page in found if page["status"] == "failed"]
        return Opened.model_validate(row["opened"] or {"num_pages": 0}), done, failed

    def _num_unfinished(self, db: Connection) -> int:
        return db.execute(select(func.count()).where(jobs.c.status.not_in(FINAL))).scalar_one()


def _where_status(query: Select[tuple[object, ...]], status: JobStatus | None) -> Select[tuple[object, ...]]:
    return query if status is None else query.where(jobs.c.status == status)


def _request_key(given: Submission) -> str:
    options = given.options.model_dump(mode="json", exclude={"password"})  # no trace of it outlives the job
    canonical = json.dumps([given.sha256, options], sort_keys=True)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _text_source(page: Page) -> str | None:
    sources = {region.text_source for region in page.regions if region.text}
    return next(iter(sources)) if len(sources) == 1 else "mixed" if sources else None


def _known(db: Connection, given: Submission, key: str) -> str | None:
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


def _next_revision(db: Connection, namespace: str, document_id: str) -> int:
    same = and_(jobs.c.namespace == namespace, jobs.c.document_id == document_id)
    return (db.execute(select(func.max(jobs.c.revision)).where(same)).scalar_one() or 0) + 1


def _remember_blob(db: Connection, given: Submission, now: datetime) -> None:
    if db.execute(select(blobs.c.sha256).where(blobs.c.sha256 == given.sha256)).first() is None:
        db.execute(
            insert(blobs).values(sha256=given.sha256, size=given.size, media_type=given.media_type, created_at=now)
        )


def _still(db: Connection, plan: Plan) -> bool:
    """Whether the job is unfinished and this attempt is the latest."""
    row = db.execute(select(jobs.c.attempt, jobs.c.status).where(jobs.c.id == plan.job_id)).first()
    return row is not None and row.attempt == plan.attempt and row.status not in FINAL


def _tell(db: Connection, job_id: str, kind: str, body: Row) -> None:
    db.execute(insert(events).values(job_id=job_id, kind=kind, body=body, created_at=datetime.now(UTC)))


def _row(db: Connection, job_id: str, namespace: str | None) -> RowMapping:
    query = select(jobs).where(jobs.c.id == job_id)
    if namespace is not None:
        query = query.where(jobs.c.namespace == namespace)
    row = db.execute(query).mappings().first()
    if row is None:
        raise UnknownJob(job_id)
    return row
