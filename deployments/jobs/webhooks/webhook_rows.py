"""Database rows of webhook deliveries: queued in the same transaction as their event, retried, dead-lettered."""

from __future__ import annotations

import json
import logging
import time
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update
from sqlalchemy.engine import RowMapping

from deployments.jobs.store.database_schema import deliveries, events, jobs, table_of, webhooks
from deployments.jobs.store.row_conversion import aware
from deployments.jobs.webhooks.messages import GroupJob, GroupWriter, own_message
from deployments.values.jobs import (
    FINAL_STATUSES,
    Row,
)
from deployments.values.shards import shard_of
from deployments.values.webhooks import (
    DeadLetter,
    Delivery,
    Subscription,
    SubscriptionGroup,
)

logger = logging.getLogger("ray.serve")
Writers = Mapping[str, GroupWriter]  # by form
MAX_DEAD_LETTERS = 1000  # in all namespaces together; older ones are removed


def subscribe(db: Connection, job_id: str, subscription: Subscription) -> bool:
    """Tell this address of the job's events; of one that has ended, how it did. Whether something is on its way."""
    stored = subscription.model_dump(mode="json")
    rows = db.execute(select(webhooks.c.id, webhooks.c.subscription).where(webhooks.c.job_id == job_id)).all()
    webhook_id = next((row.id for row in rows if row.subscription == stored), None)
    if webhook_id is None:  # else the same upload was sent again
        webhook_id = _add(db, job_id, subscription)
    last = _last_event(db, job_id)
    if last is None or last.kind not in subscription.webhook.events:
        return False
    job = _job(db, job_id)
    _put(db, webhook_id, subscription, job, last.kind, [own_message(job, last.kind, last.body)])
    return True


def subscribe_group(db: Connection, subscription: Subscription, writers: Writers, shard: int) -> None:
    """Tell this address of a group of jobs, and at once of those that have ended.

    The messages of the group arrive in their order, whichever job they come from; those of several shards may not.
    """
    group = subscription.group
    assert group is not None
    writer = writers[group.form]
    ended_jobs: list[GroupJob] = []
    mine = [job_id for job_id in group.job_ids if shard_of(job_id) == shard]
    messages = writer.begun(group) if mine[0] == group.job_ids[0] else []
    members = _members(db, group, shard)
    for job in (member for member in members if member.id in mine):
        _add(db, job.id, subscription)
        if (last := _last_event(db, job.id)) is not None:
            ended_jobs.append(job)
            waiting = {member.id for member in members if member.id in mine and member not in ended_jobs}
            current_jobs = [
                replace(one, status="running") if one.id in waiting else one for one in members
            ]  # as if one by one
            messages += writer.ended(group, job, last.body, current_jobs)
    _put(db, group.order, subscription, _job(db, mine[0]), "task", messages)


def enqueue(db: Connection, job_id: str, kind: str, body: Row, writers: Writers) -> bool:
    """Queue an event for every webhook of its job; whether there is one."""
    rows = db.execute(select(webhooks.c.id, webhooks.c.subscription).where(webhooks.c.job_id == job_id)).all()
    listeners = [(row.id, Subscription.model_validate(row.subscription)) for row in rows]
    listeners = [(webhook_id, one) for webhook_id, one in listeners if kind in one.webhook.events]
    listeners.sort(key=lambda listener: listener[1].group.id if listener[1].group else "")  # locks in one order
    job = _job(db, job_id) if listeners else None
    for webhook_id, subscription in listeners:
        assert job is not None
        group = subscription.group
        if group is None:
            _put(db, webhook_id, subscription, job, kind, [own_message(job, kind, body)])
        elif (writer := writers.get(group.form)) is not None:
            messages = writer.ended(group, _group_job(job), body, _members(db, group, shard_of(job_id)))
            _put(db, group.order, subscription, job, kind, messages)
        else:  # the job ends all the same
            logger.error("nobody writes messages in the form %r; those of %s are lost", group.form, group.id)
    return bool(listeners)


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
            created_at=aware(row["created_at"]),
            given_up_at=datetime.fromtimestamp(row["next_at"], UTC),
        )
        for row in rows
    ]


def num_pending(db: Connection) -> int:
    return db.execute(select(func.count()).where(~deliveries.c.dead)).scalar_one()


def _add(db: Connection, job_id: str, subscription: Subscription) -> str:
    webhook_id = uuid.uuid4().hex
    stored = subscription.model_dump(mode="json")
    db.execute(insert(webhooks).values(id=webhook_id, job_id=job_id, subscription=stored))
    return webhook_id


def _put(
    db: Connection, order: str, subscription: Subscription, job: RowMapping, kind: str, messages: Sequence[Row]
) -> None:
    """Put messages on their way; those of one `order` go out one after the other."""
    rows: list[Row] = [
        {
            "message_id": f"msg_{uuid.uuid4().hex}",
            "webhook_id": order,
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
        for message in messages
    ]
    if rows:
        db.execute(insert(deliveries), rows)


def _members(db: Connection, group: SubscriptionGroup, shard: int) -> list[GroupJob]:
    """The jobs of a group that are still there, in its order; one of another shard runs until that one tells its end.

    `shard` is ours.
    """
    shards = set(map(shard_of, group.job_ids))
    if shards == {shard}:
        return _in_order(
            group, map(_group_job, db.execute(select(jobs).where(jobs.c.id.in_(group.job_ids))).mappings())
        )
    # else two owners that end its last jobs at once would each see the other's as running
    db.execute(select(func.pg_advisory_xact_lock(func.hashtext(group.id))))
    members: list[GroupJob] = []
    for other in shards:
        table, followed = table_of(other, "jobs"), _followed(db, other, group)
        for row in db.execute(select(table).where(table.c.id.in_(group.job_ids))).mappings():
            job = _group_job(row)
            members.append(job if other == shard or job.id in followed else replace(job, status="running"))
    return _in_order(group, members)


def _followed(db: Connection, shard: int, group: SubscriptionGroup) -> set[str]:
    """The jobs of a shard whose events it tells the group's address."""
    table = table_of(shard, "webhooks")
    rows = db.execute(select(table.c.job_id, table.c.subscription).where(table.c.job_id.in_(group.job_ids)))
    return {row.job_id for row in rows if (row.subscription.get("group") or {}).get("order") == group.order}


def _in_order(group: SubscriptionGroup, members: Iterable[GroupJob]) -> list[GroupJob]:
    return sorted(members, key=lambda job: group.job_ids.index(job.id))


def _group_job(row: RowMapping) -> GroupJob:
    return GroupJob(**{name: row[name] for name in ("id", "file_name", "sha256", "num_pages", "status")})


def _last_event(db: Connection, job_id: str) -> Any:
    """How the job ended; None while it has not."""
    ends = (events.c.job_id == job_id, events.c.extraction_id.is_(None), events.c.kind.in_(FINAL_STATUSES))
    return db.execute(select(events).where(*ends).order_by(events.c.id.desc()).limit(1)).first()


def _job(db: Connection, job_id: str) -> RowMapping:
    return db.execute(select(jobs).where(jobs.c.id == job_id)).mappings().one()


def _as_delivery(row: RowMapping) -> Delivery:
    names = ("id", "message_id", "webhook_id", "namespace", "url", "secret", "headers", "body", "attempts")
    return Delivery(**{name: row[name] for name in names})
