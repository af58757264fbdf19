"""Small SQL queries that the job store shares: find a job, write an event, list expired documents and unused files."""

from __future__ import annotations

import collections
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Table,
    Text,
    and_,
    bindparam,
    cast,
    delete,
    func,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.engine import RowMapping

from deployments.errors import InOtherShard, QueueFull, QuotaExceeded, UnknownJob
from deployments.jobs.store.database_schema import blobs, events, jobs, pages, submissions, table_of
from deployments.jobs.store.idempotency import next_revision
from deployments.jobs.store.row_conversion import event_of
from deployments.jobs.webhooks.webhook_rows import Writers, enqueue
from deployments.values.attachment_ids import mail_of
from deployments.values.jobs import (
    FINAL_STATUSES,
    READ_STATUSES,
    UNFINISHED_STATUSES,
    Event,
    ExtractionSubmission,
    JobStatus,
    Plan,
    Row,
    Submission,
)
from deployments.values.shards import Shard, possible_shards, shard_of
from documents.errors import IngestError
from documents.values import Opened, Page

MAX_EVENTS = 500  # that are read at once


def where_status(query: Select[tuple[object, ...]], status: JobStatus | None) -> Select[tuple[object, ...]]:
    return query if status is None else query.where(jobs.c.status == status)


def text_source(page: Page) -> str | None:
    sources = {region.text_source for region in page.regions if region.text}
    return next(iter(sources)) if len(sources) == 1 else "mixed" if sources else None


def check_room(
    db: Connection, table: Table, most: int, task: Submission | ExtractionSubmission, others: Iterable[int]
) -> None:
    """Raises QueueFull, QuotaExceeded where as many tasks as allowed are unfinished, in all or of a namespace.

    Those of the namespace are counted in the shards `others`, too; two that take one at once may both take the last.
    """
    unfinished = select(func.count()).select_from(table).where(table.c.status.in_(UNFINISHED_STATUSES))
    if db.execute(unfinished).scalar_one() >= most:
        raise QueueFull(f"{most} {table.name} are unfinished")
    if task.max_unfinished is not None:
        check_quota(db, table, task.namespace, task.max_unfinished, others)


def check_quota(db: Connection, table: Table, namespace: str, most: int, others: Iterable[int]) -> None:
    """Raises QuotaExceeded where as many tasks of a namespace are unfinished."""
    count = 0
    for one in {table, *(table_of(shard, table.name) for shard in others)}:
        mine = (one.c.status.in_(UNFINISHED_STATUSES), one.c.namespace == namespace)
        count += db.execute(select(func.count()).select_from(one).where(*mine)).scalar_one()
    if count >= most:
        raise QuotaExceeded(f"{count} {table.name} of this namespace are unfinished, as many as this key allows")


def remember_blob(db: Connection, submission: Submission, now: datetime) -> None:
    if db.execute(select(blobs.c.sha256).where(blobs.c.sha256 == submission.sha256)).first() is None:
        db.execute(
            insert(blobs).values(
                sha256=submission.sha256, size=submission.size, media_type=submission.media_type, created_at=now
            )
        )


def forget_blob(db: Connection, sha256: str) -> None:
    """Of a blob whose bytes are gone."""
    db.execute(delete(blobs).where(blobs.c.sha256 == sha256))


def check_place(db: Connection, shard: Shard, submission: Submission, mail: Plan | None) -> None:
    """Look once more, in the transaction of the new job, at what may have changed while its bytes were stored.

    Raises:
        UnknownJob: the job that it repeats was deleted, or the `mail` that it is attached to is not read any more.
        IngestError: another shard has a document of the id of what is attached, which must be where the mail is.
        InOtherShard: its document is of that one.
    """
    document = submission.namespace, submission.document_id
    if mail is not None:
        if not is_current(db, mail):
            raise UnknownJob(mail.job_id)
        if is_elsewhere(db, shard, *document):
            raise IngestError("a document of its id is in another shard")
    elif (number := shard_of_document(db, shard, *document)) != shard.number:
        raise InOtherShard(number)
    if (repeated := submission.repeats) is not None:
        table = jobs if shard_of(repeated) == shard.number else table_of(shard_of(repeated), "jobs")
        if db.execute(select(table.c.id).where(table.c.id == repeated)).first() is None:
            raise UnknownJob(repeated)


def insert_job(db: Connection, job_id: str, submission: Submission, key: str, now: datetime) -> None:
    """A new job, of the next revision of its document."""
    document_id = submission.document_id
    db.execute(
        insert(jobs).values(
            id=job_id,
            namespace=submission.namespace,
            document_id=document_id,
            revision=next_revision(db, submission.namespace, document_id),
            attempt=1,
            request_key=key,
            sha256=submission.sha256,
            media_type=submission.media_type,
            file_name=submission.file_name,
            options=submission.options.model_dump(mode="json", exclude={"webhook"}),
            status="queued",
            warnings=[],
            timings={},
            created_at=now,
        )
    )


def keep_fingerprints(db: Connection, job_id: str, fingerprints: Mapping[int, str | None]) -> None:
    """Keep what pages that were read before draw and say, for later revisions."""
    page = (pages.c.job_id == bindparam("job"), pages.c.number == bindparam("page"))
    rows = [{"job": job_id, "page": number, "digest": digest} for number, digest in fingerprints.items()]
    db.execute(update(pages).where(*page).values(fingerprint=bindparam("digest")), rows)


def is_current(db: Connection, plan: Plan) -> bool:
    """Whether the job is unfinished and this attempt is the latest."""
    row = db.execute(select(jobs.c.attempt, jobs.c.status).where(jobs.c.id == plan.job_id)).first()
    return row is not None and row.attempt == plan.attempt and row.status not in FINAL_STATUSES


def replace_opened(db: Connection, plan: Plan, opened: Opened) -> None:
    """Replace the facts of opening, unless the job has ended or belongs to an older attempt."""
    if is_current(db, plan):
        db.execute(update(jobs).where(jobs.c.id == plan.job_id).values(opened=opened.model_dump(mode="json")))


def tell(db: Connection, job_id: str, kind: str, body: Row, writers: Writers) -> bool:
    """Write an event; whether it is on its way to an address, too."""
    db.execute(insert(events).values(job_id=job_id, kind=kind, body=body, created_at=datetime.now(UTC)))
    return enqueue(db, job_id, kind, body, writers)


def events_after(
    db: Connection, of_task: ColumnElement[bool], after: int, status: JobStatus
) -> tuple[list[Event], bool]:
    """Events of the task since `after`, in order, and whether nothing more will come; `status` was read before."""
    query = select(events).where(of_task, events.c.id > after).order_by(events.c.id).limit(MAX_EVENTS)
    new_events = [event_of(row) for row in db.execute(query).mappings()]
    return new_events, status in FINAL_STATUSES and len(new_events) < MAX_EVENTS


def jobs_with_size() -> Select[tuple[object, ...]]:
    """Rows of jobs, each with the `size` of its file."""
    return select(jobs, blobs.c.size).outerjoin(blobs, jobs.c.sha256 == blobs.c.sha256)


def job_row(db: Connection, job_id: str, namespace: str | None) -> RowMapping:
    query = jobs_with_size().where(jobs.c.id == job_id)
    if namespace is not None:
        query = query.where(jobs.c.namespace == namespace)
    entry = db.execute(query).mappings().first()
    if entry is None:
        raise UnknownJob(job_id)
    return entry


def shard_of_document(db: Connection, shard: Shard, namespace: str, document_id: str) -> int:
    """The first of the shards that may have a document, or its mail, and do; else the first."""
    if shard.count == 1:
        return shard.number
    shards = possible_shards(namespace, document_id, shard.count)
    ids = document_id, mail_of(document_id)
    return next((number for number in shards if _holds(db, number, namespace, *ids)), shards[0])


def is_elsewhere(db: Connection, shard: Shard, namespace: str, document_id: str) -> bool:
    """Whether another shard has this document."""
    others = set(possible_shards(namespace, document_id, shard.count)) - {shard.number}
    return any(_holds(db, number, namespace, document_id) for number in others)


def _holds(db: Connection, shard: int, namespace: str, *document_ids: str) -> bool:
    table = table_of(shard, "jobs")
    mine = (table.c.namespace == namespace, table.c.document_id.in_(document_ids))
    return db.execute(select(table.c.id).where(*mine).limit(1)).first() is not None


def starts(db: Connection, plan: Plan) -> collections.Counter[int]:
    """How often each page of a job was begun, by the lives of the server before this one."""
    if plan.attempt == 1:
        return collections.Counter()
    starts_query = select(events.c.body).where(events.c.job_id == plan.job_id, events.c.kind == "page_started")
    return collections.Counter(body["number"] for body in db.execute(starts_query).scalars())


def unwanted(db: Connection, hashes: set[str]) -> list[str]:
    """Those of the blobs that no job holds on to."""
    held_hashes = set(db.execute(select(jobs.c.sha256).where(jobs.c.sha256.in_(hashes))).scalars())
    return sorted(hashes - held_hashes)


def newer_for_index(plan: Plan) -> Select[tuple[str]]:
    """Jobs of later revisions of the document that are in the index, or will be."""
    same = (jobs.c.namespace == plan.namespace, jobs.c.document_id == plan.document_id)
    later = (jobs.c.revision > plan.revision, jobs.c.status.not_in(("failed", "cancelled")))
    return select(jobs.c.id).where(*same, *later, jobs.c.options["index"].as_boolean())


def superseded_before(moment: datetime) -> ColumnElement[bool]:
    """Which jobs have a later revision of their document beside them that took their place before `moment`.

    It was read, and the index has it, or has none of theirs.
    """
    later = jobs.alias()
    same = (later.c.namespace == jobs.c.namespace, later.c.document_id == jobs.c.document_id)
    was_read = (later.c.revision > jobs.c.revision, later.c.status.in_(READ_STATUSES), later.c.finished_at < moment)
    is_indexed = later.c.options["index"].as_boolean() & cast(later.c.warnings, Text).not_like('%"not_indexed"%')
    takes_place = or_(is_indexed, ~jobs.c.options["index"].as_boolean())
    return select(later.c.id).where(*same, *was_read, takes_place).exists()


def finished_before(db: Connection, moment: datetime, namespace: str | None = None) -> list[tuple[str, str]]:
    """Namespace and id of documents whose jobs all ended before `moment` and were last submitted before it.

    Of one namespace; None: of all.
    """
    both = (jobs.c.namespace, jobs.c.document_id)
    last_submissions = (
        select(submissions.c.job_id, func.max(submissions.c.at).label("at")).group_by(submissions.c.job_id).subquery()
    )
    latest, ended = func.max(jobs.c.finished_at), func.count(jobs.c.finished_at)
    old = and_(latest < moment, ended == func.count(), func.coalesce(func.max(last_submissions.c.at), latest) < moment)
    query = (
        select(*both).outerjoin(last_submissions, last_submissions.c.job_id == jobs.c.id).group_by(*both).having(old)
    )
    if namespace is not None:
        query = query.where(jobs.c.namespace == namespace)
    return [(row.namespace, row.document_id) for row in db.execute(query)]
