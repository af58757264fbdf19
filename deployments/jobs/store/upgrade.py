"""Brings the job database of an earlier version up to date; each part does nothing where it has been done."""

from __future__ import annotations

from typing import Any

from sqlalchemy import DDL, Connection, Engine, Text, cast, inspect, select, update

from deployments.jobs.extractions.extraction_rows import tell_of
from deployments.jobs.store.database_schema import events, extractions, metadata, webhooks

TASK_KEY = "docling_task"  # of a subscription: the task's id, which begins with the ids of its jobs


def create_tables(engine: Engine) -> None:
    """Create what is missing of the tables; an earlier version that still works on them is not disturbed."""
    with engine.begin() as db:
        metadata.create_all(db)
        if "extraction_id" not in {column["name"] for column in inspect(db).get_columns("events")}:
            db.execute(DDL("ALTER TABLE events ADD COLUMN extraction_id VARCHAR(40)"))
            next(index for index in events.indexes if index.name == "events_by_extraction").create(db)


def upgrade_rows(db: Connection) -> None:
    """Rewrite the rows of an earlier version; only the owner of the lease may."""
    with_events = select(events.c.extraction_id).where(events.c.extraction_id.is_not(None))
    for row in db.execute(select(extractions).where(extractions.c.id.not_in(with_events))).mappings().all():
        tell_of(db, row)
    is_earlier = cast(webhooks.c.subscription, Text).like(f"%{TASK_KEY}%")
    for row in db.execute(select(webhooks.c.id, webhooks.c.subscription).where(is_earlier)).all():
        values = {"subscription": _with_group(row.subscription)}
        db.execute(update(webhooks).where(webhooks.c.id == row.id).values(**values))


def _with_group(subscription: dict[str, Any]) -> dict[str, Any]:
    task_id, order = subscription.pop(TASK_KEY), subscription.pop("order")
    group = None
    if task_id is not None:
        job_ids = task_id.partition("~")[0].split(".")
        group = {"form": "docling", "id": task_id, "job_ids": job_ids, "order": order}
    return {**subscription, "group": group}
