"""Database rows of webhook deliveries: queued in the same transaction as their event, retried, dead-lettered."""

from __future__ import annotations

import json
import time
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update
from sqlalchemy.engine import RowMapping

from deployments.jobs.store.database_schema import deliveries, events, jobs, webhooks
from deployments.values.jobs import FINAL_STATUSES, DeadLetter, Delivery, Row, Subscription

DOCLING_STATUS = {"succeeded": "success", "partial": "partial_success"}
MAX_DEAD_LETTERS = 1000  # in all namespaces together; older ones are removed


def subscribe(db: Connection, job_id: str, subscription: Subscription) -> bool:
    """Tell this address of the job's events; of one that has ended, how it did. Whether something is on its way."""
    stored = subscription.model_dump(mode="json")
    rows = db.execute(select(webhooks.c.id, webhooks.c.subscription).where(webhooks.c.job_id == job_id)).all()
    webhook_id = next((row.id for row in rows if row.subscription == stored), None)
    if webhook_id is None:  # else the same upload was sent again
        webhook_id = uuid.uuid4().hex
        db.execute(insert(webhooks).values(id=webhook_id, job_id=job_id, subscription=stored))
    last = _last_event(db, job_id)
    if last is None:
        return False
    return _put(db, job_id, [(webhook_id, subscription)], last.kind, last.body)


def enqueue(db: Connection, job_id: str, kind: str, body: Row) -> bool:
    """Queue an event for every webhook of its job; whether there is one."""
    rows = db.execute(select(webhooks.c.id, webhooks.c.subscription).where(webhooks.c.job_id == job_id)).all()
    return _put(db, job_id, [(row.id, Subscription.model_validate(row.subscription)) for row in rows], kind, body)


def subscribe_task(db: Connection, job_ids: Sequence[str], subscription: Subscription) -> None:
    """Tell this address of a task of docling-serve's: how many documents it has, each that ends, and its end once.

    The messages of the task arrive in their order, whichever job they come from.
    """
    subscription = subscription.model_copy(update={"order": uuid.uuid4().hex})
    job = _job(db, job_ids[0])
    progress: list[Row] = [{"kind": "set_num_docs", "num_docs": len(job_ids)}]
    for job_id in job_ids:
        stored = subscription.model_dump(mode="json")
        db.execute(insert(webhooks).values(id=uuid.uuid4().hex, job_id=job_id, subscription=stored))
        last = _last_event(db, job_id)
        if last is not None:
            progress.append(_document_progress(db, job_ids, _job(db, job_id), last.kind, last.body))
    progress += _task_end(db, job_ids)  # where all had ended before
    messages = [{"task_id": subscription.docling_task, "progress": entry} for entry in progress]
    assert subscription.order is not None
    rows = [_delivery(subscription.order, subscription, job, "task", message) for message in messages]
    db.execute(insert(deliveries), rows)


def due(
    db: Connection, limit: int, limit_per_namespace: int, busy: Mapping[str, str]
) -> tuple[list[Delivery], float | None]:
    """Deliveries whose time has come, the oldest of each webhook, and when the next one's comes.

    Namespaces take turns. `busy`: webhooks with a delivery under way and their namespaces, which the limits count, too;
    the events of one webhook arrive in their order.
    """
    now = time.time()
    waiting = (~deliveries.c.dead, deliveries.c.webhook_id.not_in(list(busy)))
    first = select(func.min(deliveries.c.id)).where(*waiting).group_by(deliveries.c.webhook_id)
    turn = func.row_number().over(partition_by=deliveries.c.namespace, order_by=deliveries.c.next_at).label("turn")
    ranked = select(deliveries, turn).where(deliveries.c.id.in_(first)).subquery()
    rows = db.execute(
        select(ranked).where(ranked.c.turn <= limit_per_namespace).order_by(ranked.c.turn, ranked.c.next_at)
    ).mappings()
    num_busy = Counter(busy.values())
    ready: list[Delivery] = []
    later: list[float] = []
    for row in rows:
        if row["next_at"] > now:
            later.append(row["next_at"])
        elif row["turn"] + num_busy[row["namespace"]] <= limit_per_namespace and len(ready) + len(busy) < limit:
            ready.append(_as_delivery(row))
    return ready, min(later, default=None)


def delivered(db: Connection, delivery: Delivery) -> None:
    db.execute(delete(deliveries).where(deliveries.c.id == delivery.id))


def postponed(db: Connection, delivery: Delivery, error: str, next_at: float) -> None:
    """The next attempt is at `next_at`, in seconds since 1970."""
    values: Row = {"attempts": delivery.attempts + 1, "error": error, "next_at": next_at}
    db.execute(update(deliveries).where(deliveries.c.id == delivery.id).values(**values))


def given_up(db: Connection, delivery: Delivery, error: str) -> None:
    """A dead letter; what signs it and authorises it is forgotten."""
    values: Row = {"attempts": delivery.attempts + 1, "error": error, "next_at": time.time()}
    values |= {"dead": True, "secret": None, "headers": {}}
    db.execute(update(deliveries).where(deliveries.c.id == delivery.id).values(**values))
    newest = (
        select(deliveries.c.id).where(deliveries.c.dead).order_by(deliveries.c.next_at.desc()).limit(MAX_DEAD_LETTERS)
    )
    db.execute(delete(deliveries).where(deliveries.c.dead, deliveries.c.id.not_in(newest)))


def purge_dead(db: Connection, keep_s: float) -> None:
    """Remove the dead letters that were given up so many seconds ago."""
    db.execute(delete(deliveries).where(deliveries.c.dead, deliveries.c.next_at < time.time() - keep_s))


def dead_letters(db: Connection, namespace: str, limit: int) -> list[DeadLetter]:
    """The newest first."""
    mine = (deliveries.c.namespace == namespace, deliveries.c.dead)
    rows = db.execute(select(deliveries).where(*mine).order_by(deliveries.c.id.desc()).limit(limit)).mappings()
    return [
        DeadLetter(
            id=row["message_id"],
            job_id=row["job_id"],
            event=row["kind"],
            url=row["url"],
            attempts=row["attempts"],
            error=row["error"] or "",
            body=json.loads(row["body"]),
            created_at=_aware(row["created_at"]),
            given_up_at=datetime.fromtimestamp(row["next_at"], UTC),
        )
        for row in rows
    ]


def num_pending(db: Connection) -> int:
    return db.execute(select(func.count()).where(~deliveries.c.dead)).scalar_one()


def _put(db: Connection, job_id: str, listeners: Sequence[tuple[str, Subscription]], kind: str, body: Row) -> bool:
    listeners = [entry for entry in listeners if kind in entry[1].webhook.events]
    if not listeners:
        return False
    job = _job(db, job_id)
    rows: list[Row] = []
    for webhook_id, subscription in listeners:
        for message in _messages(db, subscription, job, kind, body):
            rows.append(_delivery(webhook_id, subscription, job, kind, message))  # noqa: PERF401
    db.execute(insert(deliveries), rows)
    return True


def _delivery(webhook_id: str, subscription: Subscription, job: RowMapping, kind: str, message: Row) -> Row:
    return {
        "message_id": f"msg_{uuid.uuid4().hex}",
        "webhook_id": subscription.order or webhook_id,
        "namespace": job["namespace"],
        "job_id": job["id"],
        "kind": kind,
        "url": subscription.webhook.url,
        "secret": subscription.webhook.secret,
        "headers": subscription.headers,
        "body": json.dumps(message, ensure_ascii=False),
        "attempts": 0,
        "next_at": time.time(),
        "dead": False,
        "created_at": datetime.now(UTC),
    }


def _messages(db: Connection, subscription: Subscription, job: RowMapping, kind: str, body: Row) -> list[Row]:
    if subscription.docling_task is not None:
        return _docling_messages(db, subscription.docling_task, job, kind, body)
    names = ("document_id", "revision", "file_name")
    facts = {"job_id": job["id"]} | {name: job[name] for name in names} | body
    return [{"type": f"job.{kind}", "timestamp": datetime.now(UTC).isoformat(), "data": facts}]


def _docling_messages(db: Connection, task_id: str, job: RowMapping, kind: str, body: Row) -> list[Row]:
    """A document of the task has ended; after the last one, what became of all."""
    job_ids = task_id.partition("~")[0].split(".")
    progress = [_document_progress(db, job_ids, job, kind, body), *_task_end(db, job_ids)]
    return [{"task_id": task_id, "progress": entry} for entry in progress]


def _document_progress(db: Connection, job_ids: Sequence[str], job: RowMapping, kind: str, body: Row) -> Row:
    document: Row = {
        "source": job["file_name"],
        "status": DOCLING_STATUS.get(kind, "failure"),
        "num_pages": job["num_pages"],
        "processing_time": (body.get("timings") or {}).get("total_s"),
        "doc_hash": job["sha256"],
        "error": (body.get("error") or {}).get("message"),
    }
    num_unfinished = sum(row.status not in FINAL_STATUSES for row in _rows_of(db, job_ids))
    counts: Row = {"total_processed": len(job_ids) - num_unfinished, "total_docs": len(job_ids)}
    return {"kind": "document_completed", "document": document} | counts


def _task_end(db: Connection, job_ids: Sequence[str]) -> list[Row]:
    """What became of all documents; nothing while one has not ended. One that was removed meanwhile has failed."""
    rows = _rows_of(db, job_ids)
    if any(row.status not in FINAL_STATUSES for row in rows):
        return []
    statuses = [DOCLING_STATUS.get(row.status, "failure") for row in rows]
    num_removed = len(job_ids) - len(rows)
    return [
        {
            "kind": "update_processed",
            "num_processed": len(job_ids),
            "num_succeeded": statuses.count("success"),
            "num_partially_succeeded": statuses.count("partial_success"),
            "num_failed": statuses.count("failure") + num_removed,
            "docs": [{"source": row.file_name, "status": status} for row, status in zip(rows, statuses, strict=True)],
        }
    ]


def _rows_of(db: Connection, job_ids: Sequence[str]) -> Sequence[Any]:
    """In the order of the task."""
    rows = db.execute(select(jobs.c.id, jobs.c.status, jobs.c.file_name).where(jobs.c.id.in_(job_ids))).all()
    return sorted(rows, key=lambda row: job_ids.index(row.id))


def _last_event(db: Connection, job_id: str) -> Any:
    """How the job ended; None while it has not."""
    ends = (events.c.job_id == job_id, events.c.kind.in_(FINAL_STATUSES))
    return db.execute(select(events).where(*ends).order_by(events.c.id.desc()).limit(1)).first()


def _job(db: Connection, job_id: str) -> RowMapping:
    return db.execute(select(jobs).where(jobs.c.id == job_id)).mappings().one()


def _as_delivery(row: RowMapping) -> Delivery:
    names = ("id", "message_id", "webhook_id", "namespace", "url", "secret", "headers", "body", "attempts")
    return Delivery(**{name: row[name] for name in names})


def _aware(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
