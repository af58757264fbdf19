"""Brings the job database of an earlier version up to date; each part does nothing where it has been done."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import DDL, Connection, Engine, Text, cast, func, inspect, select, text, update
from sqlalchemy.exc import ProgrammingError
from sqlalchemy.schema import CreateSchema

from deployments.errors import DatabaseAway, ShardsMissing
from deployments.jobs.extractions.extraction_rows import tell_of
from deployments.jobs.store.database_schema import (
    as_shard,
    events,
    extractions,
    jobs,
    lease,
    metadata,
    schema_of,
    webhooks,
)
from deployments.values.shards import MAX_SHARDS, SINGLE_SHARD, Shard

TABLE_LOCK = 0x70616765  # of no other program: "page"
ADDED_COLUMNS = (
    ("events", "extraction_id", "VARCHAR(40)"),
    ("jobs", "reading_key", "VARCHAR(64)"),
    ("lease", "num_shards", "INTEGER"),
    ("pages", "fingerprint", "VARCHAR(64)"),
    ("pages", "reused_from", "INTEGER"),
)
TASK_KEY = "docling_task"  # of a subscription: the task's id, which begins with the ids of its jobs


def create_tables(engine: Engine, shard: Shard = SINGLE_SHARD) -> None:
    """Create what is missing of the tables, those of other shards, too: a shard reads in them.

    An earlier version that still works on them is not disturbed. Raises ShardsMissing.
    """
    is_postgres = engine.dialect.name == "postgresql"
    with engine.connect() as db:
        schemas = _schemas_with_tables(db) if is_postgres else set[str]()
    _check_further_shards(engine, shard.count, schemas)
    for number in range(shard.count):
        if number != shard.number and schema_of(number) in schemas:
            continue  # its owner brings it up to date
        with (engine if shard.count == 1 else as_shard(engine, Shard(number, shard.count))).begin() as db:
            if is_postgres:
                db.execute(select(func.pg_advisory_xact_lock(TABLE_LOCK)))  # two servers may start at once
            _create_schema(db, schema_of(number))
            _create_tables(db, schema_of(number))


def _schemas_with_tables(db: Connection) -> set[str]:
    """The schemas of shards whose tables are up to date in what other shards read."""
    query = text(
        "SELECT table_schema FROM information_schema.columns WHERE table_name = 'lease' AND column_name = 'num_shards'"
    )
    return set(db.execute(query).scalars())


def _check_further_shards(engine: Engine, count: int, schemas: Collection[str]) -> None:
    """Raises ShardsMissing where there are jobs in shards that the settings do not name, DatabaseAway where one of
    these has an owner still.
    """
    owned = False
    for number in range(count, MAX_SHARDS):
        if schema_of(number) in schemas:
            with as_shard(engine, Shard(number, number + 1)).connect() as db:
                if db.execute(select(jobs.c.id).limit(1)).first() is not None:
                    raise ShardsMissing(f"the job database has more than {count} shards: set `shards` as it was")
                alive = select(lease.c.owner).where(lease.c.until > time.time())
                owned = owned or db.execute(alive).first() is not None
    if owned:
        raise DatabaseAway("another server with more shards owns the jobs")


def _create_schema(db: Connection, name: str | None) -> None:
    """Raises ShardsMissing where the database's user may not."""
    if name is None or inspect(db).has_schema(name):
        return
    try:
        with db.begin_nested():
            db.execute(CreateSchema(name))
    except ProgrammingError as error:
        user = db.execute(select(func.current_user())).scalar_one()
        raise ShardsMissing(
            f"the database's user may not create {name}: CREATE SCHEMA {name} AUTHORIZATION {user}"
        ) from error


def _create_tables(db: Connection, schema: str | None = None) -> None:
    (index,) = (index for index in events.indexes if index.name == "events_by_extraction")
    metadata.create_all(db)
    for table, column, kind in ADDED_COLUMNS:
        if column not in {existing["name"] for existing in inspect(db).get_columns(table, schema)}:
            name = table if schema is None else f"{schema}.{table}"
            db.execute(DDL(f"ALTER TABLE {name} ADD COLUMN {column} {kind}"))
    index.create(db, checkfirst=True)


def upgrade_rows(db: Connection) -> None:
    """Rewrite the rows of an earlier version; only the owner of the lease may."""
    with_events = select(events.c.extraction_id).where(events.c.extraction_id.is_not(None))
    for row in db.execute(select(extractions).where(extractions.c.id.not_in(with_events))).mappings().all():
        tell_of(db, row)
    may_be_earlier = cast(webhooks.c.subscription, Text).like(f"%{TASK_KEY}%")  # an address may hold the word, too
    for row in db.execute(select(webhooks.c.id, webhooks.c.subscription).where(may_be_earlier)).all():
        if TASK_KEY in row.subscription:
            values = {"subscription": _with_group(row.id, row.subscription)}
            db.execute(update(webhooks).where(webhooks.c.id == row.id).values(**values))


def _with_group(webhook_id: str, earlier: Mapping[str, Any]) -> dict[str, Any]:
    subscription = {name: value for name, value in earlier.items() if name not in (TASK_KEY, "order")}
    task_id, group = earlier[TASK_KEY], None
    if task_id is not None:
        job_ids = task_id.partition("~")[0].split(".")
        group = {"form": "docling", "id": task_id, "job_ids": job_ids, "order": earlier.get("order") or webhook_id}
    return subscription | {"group": group}
