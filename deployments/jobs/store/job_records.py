"""Reads jobs, pages, events and results from the database, without changing anything."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal, NamedTuple

from sqlalchemy import func, select

from deployments.errors import RevisionGone, UnknownDocument, UnknownJob
from deployments.jobs.extractions import extraction_rows
from deployments.jobs.results.stored_pages import StoredPages
from deployments.jobs.store.database_schema import blobs, connect, events, extractions, jobs, pages, quotas
from deployments.jobs.store.job_queries import (
    check_quota,
    events_after,
    finished_before,
    is_current,
    job_row,
    jobs_with_size,
    newer_for_index,
    shard_of_document,
    superseded_before,
    unwanted,
    where_status,
)
from deployments.jobs.store.row_conversion import job_of, plan_of, progress_of
from deployments.jobs.webhooks.webhook_rows import dead_letters
from deployments.values.jobs import (
    FINAL_STATUSES,
    LOSS_WARNINGS,
    READ_STATUSES,
    UNFINISHED_STATUSES,
    Event,
    ExtractionJob,
    ExtractionPlan,
    Job,
    JobError,
    JobStatus,
    PageRecord,
    Plan,
)
from deployments.values.shards import SINGLE_SHARD, Shard
from deployments.values.webhooks import DeadLetter
from documents.values import Opened, Page


class EarlierReading(NamedTuple):
    """A job that has ended, and its pages of which no part is missing: by number the fingerprints that were made."""

    plan: Plan
    fingerprints: Mapping[int, str | None]


class JobRecords:
    """The rows of the job database, as values. Its methods block."""

    def __init__(self, url: str, shard: Shard = SINGLE_SHARD) -> None:
        self.engine = connect(url, shard)
        self.shard = shard

    def unwanted(self) -> list[str]:
        """The SHA-256 of the blobs that no job holds on to any more."""
        with self.engine.connect() as db:
            holders = select(jobs.c.id).where(jobs.c.sha256 == blobs.c.sha256).exists()
            return list(db.execute(select(blobs.c.sha256).where(~holders)).scalars())

    def unwanted_of(self, hashes: Sequence[str]) -> list[str]:
        """Those of these that no job holds on to, whether or not the database knew of them."""
        with self.engine.connect() as db:
            return unwanted(db, set(hashes))

    def check(self) -> None:
        """Raises what the database raises when its newest job is read."""
        with self.engine.connect() as db:
            db.execute(select(jobs).order_by(jobs.c.created_at.desc()).limit(1)).first()

    def num_jobs(self) -> int:
        """All jobs of all namespaces, ended or not."""
        with self.engine.connect() as db:
            return db.execute(select(func.count()).select_from(jobs)).scalar_one()

    def shard_of_document(self, namespace: str, document_id: str) -> int:
        """The one that takes its next revision."""
        with self.engine.connect() as db:
            return shard_of_document(db, self.shard, namespace, document_id)

    def check_quota(self, namespace: str, max_unfinished: int) -> None:
        """Raises QuotaExceeded where all shards have as many unfinished jobs of a namespace."""
        with self.engine.connect() as db:
            check_quota(db, jobs, namespace, max_unfinished, self.shard.others)

    def standing(self, plan: Plan) -> Literal["latest", "superseded", "ended"]:
        """Whether the job may still change the index: an ended one may not, nor one of which the index has, or will
        have, a later revision.
        """
        with self.engine.connect() as db:
            if not is_current(db, plan):
                return "ended"
            return "latest" if db.execute(newer_for_index(plan).limit(1)).first() is None else "superseded"

    def tasks_of(self, namespace: str, document_id: str) -> tuple[int, list[str], list[str]]:
        """The number of jobs of a document, and the ids of its jobs and of its extractions that have not ended."""
        mine = (jobs.c.namespace == namespace, jobs.c.document_id == document_id)
        theirs = (extractions.c.namespace == namespace, extractions.c.document_id == document_id)
        with self.engine.connect() as db:
            rows = db.execute(select(jobs.c.id, jobs.c.status).where(*mine)).all()
            unfinished = select(extractions.c.id).where(*theirs, extractions.c.status.in_(UNFINISHED_STATUSES))
            extraction_ids = list(db.execute(unfinished).scalars())
        return len(rows), [row.id for row in rows if row.status not in FINAL_STATUSES], extraction_ids

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
        attached = (row.document_id for row in rows if row.options["metadata"].get("attached_to") == document_id)
        return list(dict.fromkeys(attached))

    def older_than(self, moment: datetime, namespace: str | None = None) -> list[tuple[str, str]]:
        """Namespace and id of the documents (of one namespace, or of all) all of whose jobs ended before `moment`."""
        with self.engine.connect() as db:
            return finished_before(db, moment, namespace)

    def superseded(self, moment: datetime) -> list[tuple[str, str]]:
        """Namespace and id of the documents that have revisions whose place another one took before `moment`."""
        query = select(jobs.c.namespace, jobs.c.document_id).where(superseded_before(moment)).distinct()
        with self.engine.connect() as db:
            return [(row.namespace, row.document_id) for row in db.execute(query)]

    def events(self, job_id: str, after: int, namespace: str | None) -> tuple[list[Event], bool]:
        """What happened to the job since the event `after`, in order, and whether nothing more will come.

        Raises:
            UnknownJob: there is none of this id in the namespace.
        """
        with self.engine.connect() as db:
            status = job_row(db, job_id, namespace)["status"]
            return events_after(db, (events.c.job_id == job_id) & events.c.extraction_id.is_(None), after, status)

    def extraction(self, extraction_id: str, namespace: str | None) -> ExtractionJob:
        """How it stands. Raises UnknownExtraction."""
        with self.engine.connect() as db:
            return extraction_rows.extraction_of(extraction_rows.extraction_row(db, extraction_id, namespace))

    def extraction_plan(self, extraction_id: str, namespace: str | None) -> ExtractionPlan:
        with self.engine.connect() as db:
            return extraction_rows.plan_of(extraction_rows.extraction_row(db, extraction_id, namespace))

    def extraction_result(self, extraction_id: str, namespace: str | None) -> str | None:
        """JSON of the values; None: there is none (yet). Raises UnknownExtraction."""
        with self.engine.connect() as db:
            return extraction_rows.extraction_row(db, extraction_id, namespace)["result"]

    def extraction_events(self, extraction_id: str, after: int, namespace: str | None) -> tuple[list[Event], bool]:
        """As `events`, of an extraction; each has the whole of it as it stood. Raises UnknownExtraction."""
        with self.engine.connect() as db:
            status = extraction_rows.extraction_row(db, extraction_id, namespace)["status"]
            return events_after(db, events.c.extraction_id == extraction_id, after, status)

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

    def position(self, job_id: str, namespace: str) -> int:
        """Of a waiting job among those of its namespace that wait, counted from 1."""
        mine = select(jobs.c.created_at).where(jobs.c.id == job_id, jobs.c.namespace == namespace).scalar_subquery()
        query = select(func.count()).where(
            jobs.c.namespace == namespace, jobs.c.status == "queued", jobs.c.created_at < mine
        )
        with self.engine.connect() as db:
            return 1 + db.execute(query).scalar_one()

    def facts(self, job_id: str) -> tuple[Opened, StoredPages, list[int]]:
        """What opening told, the pages that succeeded, and the numbers of those that failed."""
        query = select(pages.c.number, pages.c.status).where(pages.c.job_id == job_id).order_by(pages.c.number)
        with self.engine.connect() as db:
            row = job_row(db, job_id, None)
            statuses = {page.number: page.status for page in db.execute(query)}
        succeeded, failed = ([n for n, status in statuses.items() if status == one] for one in ("succeeded", "failed"))
        stored_pages = StoredPages(functools.partial(self.page_texts, job_id), succeeded)
        return Opened.model_validate(row["opened"] or {"num_pages": 0}), stored_pages, failed

    def page_texts(self, job_id: str, numbers: Sequence[int]) -> list[str]:
        """The JSON of pages that succeeded, in the order of their numbers. Raises UnknownJob: it was forgotten."""
        chosen = (pages.c.job_id == job_id, pages.c.number.in_(numbers))
        with self.engine.connect() as db:
            texts = list(db.execute(select(pages.c.result).where(*chosen).order_by(pages.c.number)).scalars())
        if len(texts) < len(numbers):
            raise UnknownJob(job_id)
        return texts

    def earlier_reading(self, plan: Plan, reading_key: str) -> EarlierReading | None:
        """The document's last revision before this one that was read alike; it is opened by this one's password."""
        same = (jobs.c.namespace == plan.namespace, jobs.c.document_id == plan.document_id)
        alike = (
            jobs.c.revision < plan.revision,
            jobs.c.reading_key == reading_key,
            jobs.c.status.in_(READ_STATUSES),
        )
        query = select(jobs).where(*same, *alike).order_by(jobs.c.revision.desc()).limit(1)
        with self.engine.connect() as db:
            if (row := db.execute(query).mappings().first()) is None:
                return None
            succeeded = (pages.c.job_id == row["id"], pages.c.status == "succeeded")
            rows = db.execute(select(pages.c.number, pages.c.fingerprint, pages.c.warnings).where(*succeeded)).all()
        lossy = LOSS_WARNINGS | {"rule_failed"}  # perhaps for want of time
        whole = [page for page in rows if lossy.isdisjoint(warning["code"] for warning in page.warnings)]
        earlier = plan_of(row)
        options = earlier.options.model_copy(update={"password": plan.options.password})
        return EarlierReading(
            earlier.model_copy(update={"options": options}), {page.number: page.fingerprint for page in whole}
        )

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

    def job_of_document(self, document_id: str, namespace: str, revision: int | None = None) -> str:
        """The id of the job that read a revision of a document; None: the newest.

        Raises:
            UnknownDocument: there is no such document.
            RevisionGone: the revision was deleted.
        """
        mine = (jobs.c.namespace == namespace, jobs.c.document_id == document_id)
        query = select(jobs.c.id, jobs.c.revision).where(*mine).order_by(jobs.c.revision.desc())
        with self.engine.connect() as db:
            job_ids = {row.revision: row.id for row in db.execute(query)}
        newest = next(iter(job_ids), None)
        if newest is None or (revision is not None and revision > newest):
            raise UnknownDocument(document_id if newest is None else f"{document_id} of revision {revision}")
        if revision is not None and revision not in job_ids:
            raise RevisionGone(f"revision {revision} of document {document_id} was deleted; the newest is {newest}")
        return job_ids[newest if revision is None else revision]
