"""Every write to the job database, one transaction each; a finished page is never changed again.

Its methods block; one thread at a time calls them. The statements are the same for SQLite and PostgreSQL.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import TypeVar

from pydantic import ValidationError
from sqlalchemy import Connection, delete, insert, select, update

from deployments.jobs.extractions.extraction_rows import unfinished_extractions
from deployments.jobs.store.database_schema import (
    events,
    extractions,
    jobs,
    pages,
    quotas,
    submissions,
    truncate_wal,
    webhooks,
)
from deployments.jobs.store.idempotency import known_job, remember, request_key
from deployments.jobs.store.job_queries import (
    check_place,
    check_room,
    insert_job,
    is_current,
    remember_blob,
    starts,
    superseded_before,
    tell,
    text_source,
    unwanted,
)
from deployments.jobs.store.job_records import JobRecords
from deployments.jobs.store.lease import Lease
from deployments.jobs.store.row_conversion import plan_of
from deployments.jobs.store.upgrade import create_tables, upgrade_rows
from deployments.jobs.webhooks.webhook_rows import Writers, subscribe, subscribe_group
from deployments.values.jobs import (
    FINAL_STATUSES,
    UNFINISHED_STATUSES,
    Ending,
    ExtractionPlan,
    JobError,
    Options,
    Plan,
    Row,
    Submission,
    Timings,
)
from deployments.values.shards import SINGLE_SHARD, Shard, new_id
from deployments.values.webhooks import Subscription
from documents.values import Opened, Page

logger = logging.getLogger("ray.serve")
T = TypeVar("T")


class JobStore:
    """The rows of the job database; only who holds its lease changes them, any number may look."""

    def __init__(
        self, url: str, *, max_unfinished: int, writers: Writers | None = None, shard: Shard = SINGLE_SHARD
    ) -> None:
        """`writers`: of messages to the addresses that follow a group of jobs, by form."""
        self.records = JobRecords(url, shard)
        self._shard = shard
        self._engine = self.records.engine
        self._max_unfinished = max_unfinished
        self._lease = Lease(shard)
        self._writers = writers or {}
        self._has_news = False
        self.on_delivery: Callable[[], None] = lambda: None  # called when an event was put on its way

    def acquire(self, lease_s: float) -> float:
        """Take the lease for so many seconds, tables first; 0, or seconds until another owner's may have run out."""
        create_tables(self._engine, self._shard)
        with self._engine.begin() as db:
            left_s = self._lease.take(db, lease_s)
        if not left_s:
            self.change(upgrade_rows)
        return left_s

    def renew(self) -> None:
        """Keep the lease; every change does so, too. Raises LeaseLost."""
        with self._changes():
            pass

    def close(self) -> None:
        """Give the lease back, so that the next owner need not wait, and let go of the database."""
        with self._engine.begin() as db:
            self._lease.drop(db)
        self._engine.dispose()

    # -- what changes state ------------------------------------------------------------------------------------------

    def submit(self, submission: Submission, mail: Plan | None = None) -> tuple[str, bool]:
        """The job of this upload, and whether it is new: the same bytes and options again are the same job.

        Raises:
            UnknownJob, InOtherShard: as `check_place`, also of the `mail` that it is attached to.
            QueueFull: a new job is needed, and there is no room for it.
            QuotaExceeded: there is none for a further one of its namespace.
            IdempotencyConflict: the key came with another upload before.
        """
        key = request_key(submission)
        with self._changes() as db:
            now = datetime.now(UTC)
            check_place(db, self._shard, submission, mail)
            others = self._shard.others
            if (known_id := known_job(db, submission, key, others)) is not None:
                remember(db, submission, key, known_id, now)
                self._subscribe(db, known_id, submission)
                return known_id, False
            check_room(db, jobs, self._max_unfinished, submission, others)
            job_id = new_id("job", self._shard.number)
            remember_blob(db, submission, now)
            insert_job(db, job_id, submission, key, now)
            if submission.max_unfinished is not None and submission.options.attachments == "documents":
                db.execute(insert(quotas).values(job_id=job_id, max_unfinished=submission.max_unfinished))
            remember(db, submission, key, job_id, now)
            self._subscribe(db, job_id, submission)
            self._tell(db, job_id, "queued", {})
        return job_id, True

    def resume(self) -> tuple[list[Plan], list[ExtractionPlan]]:
        """Take up what an earlier life of the server left unfinished; results of that life are refused from now on.

        A job whose row cannot be read fails alone.
        """
        plans: list[Plan] = []
        with self._changes() as db:
            unfinished = jobs.c.status.in_(UNFINISHED_STATUSES)
            db.execute(update(jobs).where(unfinished).values(attempt=jobs.c.attempt + 1))
            rows = db.execute(select(jobs).where(unfinished).order_by(jobs.c.created_at)).mappings().all()
            for row in rows:
                try:
                    plans.append(plan_of(row))
                except ValidationError as error:
                    logger.exception("job %s cannot be read", row["id"])
                    self._fail_unreadable(db, row["id"], JobError.of(error))
            return plans, unfinished_extractions(db)

    def begin(
        self, plan: Plan, opened: Opened, numbers: Sequence[int], reading_key: str | None = None
    ) -> dict[int, int]:
        """Note what opening told; the pages that are still to do, and how often each was begun in earlier lives."""
        with self._changes() as db:
            if not is_current(db, plan):
                return {}
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
            if there:  # an earlier life of the server may have read some of them otherwise
                key = db.execute(select(jobs.c.reading_key).where(jobs.c.id == plan.job_id)).scalar_one()
                reading_key = reading_key if key == reading_key else None
            values["reading_key"] = reading_key
            db.execute(update(jobs).where(jobs.c.id == plan.job_id).values(**values))
            warnings = [warning.model_dump(mode="json") for warning in opened.warnings]
            self._tell(
                db, plan.job_id, "running", {"num_pages": opened.num_pages, "pages": len(numbers), "warnings": warnings}
            )
            queued = (pages.c.job_id == plan.job_id, pages.c.status == "queued")
            remaining = db.execute(select(pages.c.number).where(*queued).order_by(pages.c.number)).scalars()
            num_starts = starts(db, plan)
            return {number: num_starts[number] for number in remaining}

    def note(self, plan: Plan, kind: str, body: Row) -> bool:
        """Tell of a stage that begins; False if the job has ended or belongs to an older attempt."""
        with self._changes() as db:
            if current := is_current(db, plan):
                self._tell(db, plan.job_id, kind, body)
        return current

    def finish_page(
        self,
        plan: Plan,
        number: int,
        outcome: Page | JobError,
        timings: Timings,
        *,
        fingerprint: str | None = None,
        reused_from: int | None = None,
    ) -> bool:
        """Commit one page with its event; False if it is finished already or belongs to an older attempt."""
        values: Row = {"attempt": plan.attempt, "timings": timings}
        values |= {"fingerprint": fingerprint, "reused_from": reused_from}
        if isinstance(outcome, Page):
            values |= {"status": "succeeded", "result": outcome.model_dump_json(), "text_source": text_source(outcome)}
            values |= {"warnings": [warning.model_dump(mode="json") for warning in outcome.warnings]}
        else:
            values |= {"status": "failed", "error": outcome.model_dump(mode="json")}
        with self._changes() as db:
            if not is_current(db, plan):
                return False
            updated = db.execute(
                update(pages)
                .where(pages.c.job_id == plan.job_id, pages.c.number == number, pages.c.status == "queued")
                .values(**values)
            )
            if updated.rowcount:
                names = ("status", "timings", "warnings", "error", "reused_from")
                body = {name: values[name] for name in names if name in values}
                self._tell(db, plan.job_id, "page", {"number": number, **body})
            return bool(updated.rowcount)

    def finish(self, plan: Plan, ending: Ending, timings: Timings | None = None) -> bool:
        """End a job for good and forget its password; False if it ended before or belongs to an older attempt."""
        facts: Row = {"error": ending.error and ending.error.model_dump(mode="json"), "timings": timings or {}}
        facts["warnings"] = [warning.model_dump(mode="json") for warning in ending.warnings]
        options = plan.options.model_copy(update={"password": None}).model_dump(mode="json")
        values: Row = {"status": ending.status, "options": options, "finished_at": datetime.now(UTC)}
        with self._changes() as db:
            if not is_current(db, plan):
                return False
            db.execute(update(jobs).where(jobs.c.id == plan.job_id).values(**values, **facts))
            self._tell(db, plan.job_id, ending.status, facts)
        if plan.options.password is not None:
            truncate_wal(self._engine)
        return True

    def forget(self, namespace: str, document_id: str, only_superseded: datetime | None = None) -> list[str]:
        """Remove the ended jobs of a document with all that is theirs; the SHA-256 of blobs that no job wants any more.

        A job that came meanwhile stays: it was accepted. `only_superseded`: only revisions whose place another one took
        before that moment.
        """
        mine = (jobs.c.namespace == namespace, jobs.c.document_id == document_id, jobs.c.status.in_(FINAL_STATUSES))
        mine += () if only_superseded is None else (superseded_before(only_superseded),)
        with self._changes() as db:
            hashes = set(db.execute(select(jobs.c.sha256).where(*mine)).scalars())
            ids = select(jobs.c.id).where(*mine)
            for table in (pages, events, submissions, quotas, webhooks, extractions):
                db.execute(delete(table).where(table.c.job_id.in_(ids)))
            db.execute(delete(jobs).where(*mine))
            unused_hashes = unwanted(db, hashes)
        truncate_wal(self._engine)
        return unused_hashes

    def subscribe(self, subscription: Subscription) -> None:
        """Tell an address of the events of a group of jobs."""
        with self._changes() as db:
            subscribe_group(db, subscription, self._writers, self._shard.number)
            self._has_news = True

    def change(self, statement: Callable[[Connection], T]) -> T:
        """What a statement gives, as a change of its own."""
        with self._changes() as db:
            return statement(db)

    def is_unwanted(self, sha256: str) -> bool:
        """Whether no job holds on to this blob. Raises LeaseLost: another owner may be about to make one."""
        with self._engine.connect() as db:
            self._lease.check(db)
            return bool(unwanted(db, {sha256}))

    @contextlib.contextmanager
    def _changes(self) -> Iterator[Connection]:
        """A transaction of the owner; raises LeaseLost, with nothing changed, once another one has taken over."""
        with self._engine.begin() as db:
            self._lease.hold(db)
            yield db
        if self._has_news:
            self._has_news = False
            self.on_delivery()

    def _fail_unreadable(self, db: Connection, job_id: str, error: JobError) -> None:
        """End a job without a plan; its options go, for with them nobody could read how it ended."""
        values: Row = {"status": "failed", "error": error.model_dump(mode="json"), "finished_at": datetime.now(UTC)}
        values |= {"options": Options.model_validate({}).model_dump(mode="json", exclude={"webhook"})}
        db.execute(update(jobs).where(jobs.c.id == job_id).values(**values))
        self._tell(db, job_id, "failed", {"error": values["error"], "timings": {}, "warnings": []})

    def _tell(self, db: Connection, job_id: str, kind: str, body: Row) -> None:
        self._has_news |= tell(db, job_id, kind, body, self._writers)

    def _subscribe(self, db: Connection, job_id: str, submission: Submission) -> None:
        if submission.options.webhook is not None:
            self._has_news |= subscribe(db, job_id, Subscription(webhook=submission.options.webhook))
