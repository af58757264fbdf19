"""Reads jobs, pages, events and results from the database, without changing anything."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from sqlalchemy import func, select

from deployments.errors import UnknownDocument
from deployments.jobs.store.database_schema import blobs, connect, events, jobs, pages, quotas
from deployments.jobs.store.idempotency import next_revision
from deployments.jobs.store.job_queries import finished_before, is_current, job_row, jobs_with_size, where_status
from deployments.jobs.store.row_conversion import event_of, job_of, plan_of, progress_of
from deployments.jobs.webhooks.webhook_rows import dead_letters
from deployments.values.jobs import FINAL_STATUSES, DeadLetter, Event, Job, JobError, JobStatus, PageRecord, Plan
from deployments.values.stored_pages import Pages
from documents.values import Opened, Page


class JobRecords:
    """The rows of the job database, as values. Its methods block."""

    def __init__(self, url: str) -> None:
        self.engine = connect(url)

    def wants(self, sha256: str) -> bool:
        """Whether a job holds on to this blob."""
        with self.engine.connect() as db:
            return db.execute(select(jobs.c.id).where(jobs.c.sha256 == sha256).limit(1)).first() is not None

    def unwanted(self) -> list[str]:
        """The SHA-256 of the blobs that no job holds on to any more."""
        with self.engine.connect() as db:
            holders = select(jobs.c.id).where(jobs.c.sha256 == blobs.c.sha256).exists()
            return list(db.execute(select(blobs.c.sha256).where(~holders)).scalars())

    def check(self) -> None:
        """Raises what the database raises when its newest job is read."""
        with self.engine.connect() as db:
            db.execute(select(jobs).order_by(jobs.c.created_at.desc()).limit(1)).first()

    def num_jobs(self) -> int:
        """All jobs of all namespaces, ended or not."""
        with self.engine.connect() as db:
            return db.execute(select(func.count()).select_from(jobs)).scalar_one()

    def standing(self, plan: Plan) -> Literal["latest", "superseded", "ended"]:
        """Whether the job may still change the index: an ended one may not, nor one with a newer revision beside it."""
        with self.engine.connect() as db:
            if not is_current(db, plan):
                return "ended"
            newest = next_revision(db, plan.namespace, plan.document_id) - 1
        return "latest" if plan.revision == newest else "superseded"

    def unfinished_of(self, namespace: str, document_id: str) -> tuple[int, list[str]]:
        """The number of jobs of a document, and which of them have not ended."""
        mine = (jobs.c.namespace == namespace, jobs.c.document_id == document_id)
        with self.engine.connect() as db:
            rows = db.execute(select(jobs.c.id, jobs.c.status).where(*mine)).all()
        return len(rows), [row.id for row in rows if row.status not in FINAL_STATUSES]

    def max_unfinished(self, job_id: str) -> int | None:
        """What the key that sent a mail allows of unfinished jobs; None: as many as the server takes."""
        with self.engine.connect() as db:
            return db.execute(select(quotas.c.max_unfinished).where(quotas.c.job_id == job_id)).scalar_one_or_none()

    def attached_to(self, namespace: str, document_id: str, prefix: str) -> list[str]:
        """The documents of a namespace whose ids begin so and whose metadata say that they were attached to this one.

        A caller may give any document an id that begins so.
        """
        begins_so = func.substr(jobs.c.document_id, 1, len(prefix)) == prefix  # LIKE of SQLite takes `a` for `A`
        mine = (jobs.c.namespace == namespace, begins_so)
        with self.engine.connect() as db:
            rows = db.execute(select(jobs.c.document_id, jobs.c.options).where(*mine)).all()
        attached = [row.document_id for row in rows if row.options["metadata"].get("attached_to") == document_id]
        return list(dict.fromkeys(attached))

    def older_than(self, moment: datetime, namespace: str | None = None) -> list[tuple[str, str]]:
        """Namespace and id of the documents (of one namespace, or of all) all of whose jobs ended before `moment`."""
        with self.engine.connect() as db:
            return finished_before(db, moment, namespace)

    def events(self, job_id: str, after: int, namespace: str | None, limit: int = 500) -> tuple[list[Event], bool]:
        """What happened to the job since the event `after`, in order, and whether nothing more will come.

        Raises:
            UnknownJob: there is none of this id in the namespace.
        """
        query = select(events).where(events.c.job_id == job_id, events.c.id > after).order_by(events.c.id).limit(limit)
        with self.engine.connect() as db:
            ended = job_row(db, job_id, namespace)["status"] in FINAL_STATUSES
            job_events = [event_of(row) for row in db.execute(query).mappings()]
        return job_events, ended and len(job_events) < limit

    def plan(self, job_id: str, namespace: str | None = None) -> Plan:
        with self.engine.connect() as db:
            return plan_of(job_row(db, job_id, namespace))

    def unfinished(self, job_id: str) -> Plan | None:
        """The plan of a job that has not ended; None: it has."""
        with self.engine.connect() as db:
            row = job_row(db, job_id, None)
        return None if row["status"] in FINAL_STATUSES else plan_of(row)

    def job(self, job_id: str, namespace: str | None = None) -> Job:
        """The job with the progress of every page.

        Raises:
            UnknownJob: there is none of this id in the namespace.
        """
        with self.engine.connect() as db:
            row = job_row(db, job_id, namespace)
            rows = db.execute(select(pages).where(pages.c.job_id == job_id).order_by(pages.c.number)).mappings().all()
        return job_of(row, tuple(progress_of(page) for page in rows))

    def jobs(self, namespace: str, *, limit: int = 100, status: JobStatus | None = None) -> list[Job]:
        """The newest jobs first, without their pages."""
        query = jobs_with_size().where(jobs.c.namespace == namespace).order_by(jobs.c.created_at.desc()).limit(limit)
        with self.engine.connect() as db:
            return [job_of(row, ()) for row in db.execute(where_status(query, status)).mappings()]

    def facts(self, job_id: str) -> tuple[Opened, Pages, list[int]]:
        """What opening told, the pages that succeeded, and the numbers of those that failed."""
        with self.engine.connect() as db:
            row = job_row(db, job_id, None)
            rows = db.execute(select(pages).where(pages.c.job_id == job_id).order_by(pages.c.number)).mappings().all()
        finished_pages = Pages({page["number"]: page["result"] for page in rows if page["status"] == "succeeded"})
        failed = [page["number"] for page in rows if page["status"] == "failed"]
        return Opened.model_validate(row["opened"] or {"num_pages": 0}), finished_pages, failed

    def page(self, job_id: str, number: int, namespace: str | None) -> PageRecord | None:
        """One page of a job, however many it has; None: the job has no such page (yet).

        Raises:
            UnknownJob: there is none of this id in the namespace.
        """
        with self.engine.connect() as db:
            job = job_row(db, job_id, namespace)
            row = db.execute(select(pages).where(pages.c.job_id == job_id, pages.c.number == number)).mappings().first()
        if row is None:
            return None
        return PageRecord(
            plan=plan_of(job),
            opened=Opened.model_validate(job["opened"]),
            page=Page.model_validate_json(row["result"]) if row["status"] == "succeeded" else None,
            error=JobError.model_validate(row["error"]) if row["error"] else None,
            ended=job["status"] in FINAL_STATUSES,
        )

    def dead_letters(self, namespace: str, limit: int) -> list[DeadLetter]:
        """Events that could not be delivered, the newest first."""
        with self.engine.connect() as db:
            return dead_letters(db, namespace, limit)

    def newest(self, document_id: str, namespace: str) -> str:
        """The id of a document's newest job. Raises UnknownDocument."""
        mine = (jobs.c.namespace == namespace, jobs.c.document_id == document_id)
        query = select(jobs.c.id).where(*mine).order_by(jobs.c.revision.desc()).limit(1)
        with self.engine.connect() as db:
            job_id = db.execute(query).scalar_one_or_none()
        if job_id is None:
            raise UnknownDocument(document_id)
        return job_id
