"""The tables of the job database (SQLite or PostgreSQL)."""

from __future__ import annotations

import functools

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Engine,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    create_engine,
    event,
)

from deployments.values.shards import SINGLE_SHARD, Shard

metadata = MetaData()
LOCK_TIMEOUT_S = 10  # how long a change waits for another one, in SQLite and PostgreSQL alike

PRAGMAS = ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON")

jobs = Table(
    "jobs",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("namespace", String(200), nullable=False),
    Column("document_id", String(200), nullable=False),
    Column("revision", Integer, nullable=False),
    Column("attempt", Integer, nullable=False),  # counts the lives of the server that took the job up
    Column("request_key", String(64), nullable=False),  # equal for the same bytes and options
    Column("reading_key", String(64)),  # equal for jobs that read pages alike; null: their pages are not compared
    Column("sha256", String(64), nullable=False),
    Column("media_type", String(100), nullable=False),
    Column("file_name", Text, nullable=False),
    Column("options", JSON, nullable=False),
    Column("status", String(20), nullable=False),
    Column("num_pages", Integer),
    Column("opened", JSON),
    Column("warnings", JSON, nullable=False),
    Column("error", JSON),
    Column("timings", JSON, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("finished_at", DateTime(timezone=True)),
    Index("jobs_by_request", "namespace", "request_key"),
    Index("jobs_by_document", "namespace", "document_id", "revision"),
    Index("jobs_by_status", "status"),
    Index("jobs_by_blob", "sha256"),
)

quotas = Table(  # of mails whose attachments become jobs: how many unfinished ones the caller's key allows
    "quotas",
    metadata,
    Column("job_id", ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True),
    Column("max_unfinished", Integer, nullable=False),
)

submissions = Table(  # what was asked for, by Idempotency-Key and by content: which job it is, and when it last came
    "submissions",
    metadata,
    Column("namespace", String(200), primary_key=True),
    Column("name", String(300), primary_key=True),
    Column("job_id", ForeignKey("jobs.id", ondelete="CASCADE"), nullable=False),
    Column("request_key", String(64), nullable=False),
    Column("at", DateTime(timezone=True), nullable=False),
    Index("submissions_by_job", "job_id"),
)

pages = Table(
    "pages",
    metadata,
    Column("job_id", ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("status", String(20), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("result", Text),  # a documents.values.Page as JSON
    Column("text_source", String(20)),
    Column("warnings", JSON, nullable=False),
    Column("error", JSON),
    Column("timings", JSON, nullable=False),
    Column("fingerprint", String(64)),  # of what the page draws and says; null: it was not compared
    Column("reused_from", Integer),  # the revision that the page was taken over from
)

events = Table(
    "events",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("job_id", ForeignKey("jobs.id", ondelete="CASCADE"), nullable=False),
    Column("extraction_id", String(40)),  # of an event of an extraction from the job's document; null: of the job
    Column("kind", String(40), nullable=False),
    Column("body", JSON, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Index("events_by_job", "job_id", "id"),
    Index("events_by_extraction", "extraction_id", "id"),
)

webhooks = Table(  # who receives a job's events, as long as the job is there
    "webhooks",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("job_id", ForeignKey("jobs.id", ondelete="CASCADE"), nullable=False),
    Column("subscription", JSON, nullable=False),  # a deployments.values.webhooks.Subscription
    Index("webhooks_by_job", "job_id"),
)

deliveries = Table(  # events on their way; written with the event itself, and whole, so that neither needs the job
    "deliveries",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("message_id", String(40), nullable=False),  # the same at every attempt
    Column("webhook_id", String(40), nullable=False),
    Column("namespace", String(200), nullable=False),
    Column("job_id", String(40), nullable=False),
    Column("kind", String(40), nullable=False),
    Column("url", Text, nullable=False),
    Column("secret", Text),
    Column("headers", JSON, nullable=False),
    Column("body", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("next_at", Float, nullable=False),  # seconds since 1970
    Column("error", Text),  # of the last attempt
    Column("dead", Boolean, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Index("deliveries_by_time", "dead", "next_at"),
    Index("deliveries_by_namespace", "namespace", "dead"),
)

extractions = Table(  # of documents that were read; they go with their document
    "extractions",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("namespace", String(200), nullable=False),
    Column("document_id", String(200), nullable=False),
    Column("job_id", ForeignKey("jobs.id", ondelete="CASCADE"), nullable=False),
    Column("revision", Integer, nullable=False),
    Column("schema", JSON, nullable=False),
    Column("pages", Text),
    Column("status", String(20), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("calls_done", Integer, nullable=False),
    Column("calls_total", Integer),
    Column("result", Text),  # JSON
    Column("error", JSON),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("finished_at", DateTime(timezone=True)),
    Index("extractions_by_document", "namespace", "document_id"),
    Index("extractions_by_job", "job_id"),
    Index("extractions_by_status", "status"),
)

blobs = Table(
    "blobs",
    metadata,
    Column("sha256", String(64), primary_key=True),
    Column("size", BigInteger, nullable=False),
    Column("media_type", String(100), nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
)

lease = Table(
    "lease",
    metadata,
    Column("name", String(20), primary_key=True),
    Column("owner", String(40), nullable=False),
    Column("until", Float, nullable=False),  # seconds since 1970
    Column("num_shards", Integer),  # that the owner knows of; null: one, in an earlier version
)


def connect(url: str, shard: Shard = SINGLE_SHARD) -> Engine:
    """An engine, which has no connection yet; SQLite keeps a write-ahead log and syncs every commit.

    PostgreSQL limits waits for locks and ends transactions whose owner has vanished: they would hold the lease.
    """
    engine = create_engine(url, pool_pre_ping=not url.startswith("sqlite"), connect_args=_limits(url))
    if engine.dialect.name == "sqlite":

        @event.listens_for(engine, "connect")
        def _configure(connection: object, _record: object) -> None:
            cursor = connection.cursor()  # pyright: ignore[reportAttributeAccessIssue]
            for pragma in (*PRAGMAS, f"busy_timeout={1000 * LOCK_TIMEOUT_S}"):
                cursor.execute(f"PRAGMA {pragma}")
            cursor.close()

    return engine if shard.count == 1 else as_shard(engine, shard)


def as_shard(engine: Engine, shard: Shard) -> Engine:
    """The same engine, to which the tables of this file are those of a shard; those of others are `table_of`."""
    names: dict[str | None, str | None] = {_key(number): schema_of(number) for number in range(shard.count)}
    return engine.execution_options(schema_translate_map=names | {None: schema_of(shard.number)})


def schema_of(shard: int) -> str | None:
    """The PostgreSQL schema of a shard; None: the one that the URL's user has."""
    return f"pagemill_{shard}" if shard else None


@functools.cache
def table_of(shard: int, name: str) -> Table:
    """A table of one shard, for a connection of another."""
    return metadata.tables[name].to_metadata(MetaData(), schema=_key(shard))


def _key(shard: int) -> str:
    return f"shard_{shard}"


def truncate_wal(engine: Engine) -> None:
    """Remove deleted rows from SQLite's log: it holds them until they are in the database file and it is truncated."""
    if engine.dialect.name == "sqlite":
        with engine.connect() as db:
            db.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")


def _limits(url: str) -> dict[str, str]:
    if not url.startswith("postgresql"):
        return {}
    timeout_ms = 1000 * LOCK_TIMEOUT_S
    return {"options": f"-c lock_timeout={timeout_ms} -c idle_in_transaction_session_timeout={timeout_ms}"}
