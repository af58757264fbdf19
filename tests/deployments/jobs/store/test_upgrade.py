"""`upgrade`: a database that the version of 27 November 2026 wrote goes on under this one, whole."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import Connection, insert, select, text

from deployments.errors import IdempotencyConflict
from deployments.ingress.facades.docling.callbacks import FORM, CallbackMessages
from deployments.jobs.store.database_schema import connect, deliveries, events, jobs, metadata
from deployments.jobs.store.store import JobStore
from deployments.jobs.store.upgrade import create_tables, upgrade_rows
from deployments.values.jobs import Ending, Options, Submission
from documents.values import Opened, Page

STORES = Path(__file__).parent / "earlier_stores"


@pytest.fixture
def store(url: str) -> Iterator[JobStore]:
    engine = connect(url)
    script = (STORES / f"2026_11_27_{engine.dialect.name}.sql").read_text()
    with engine.connect() as db:
        driver = db.connection.driver_connection
        assert driver is not None
        if engine.dialect.name == "sqlite":
            driver.executescript(script)
        else:
            driver.execute(script)
            driver.commit()
    engine.dispose()
    store = JobStore(url, max_unfinished=100, writers={FORM: CallbackMessages()})
    assert store.acquire(10) == 0
    yield store
    store.close()


def ids_of(store: JobStore) -> dict[str, str]:
    """Ids of the jobs by the name of their file."""
    with store._engine.connect() as db:
        return {row.file_name: row.id for row in db.execute(select(jobs.c.file_name, jobs.c.id))}


def extractions_of(store: JobStore) -> list[tuple[str, str]]:
    with store._engine.connect() as db:
        rows = db.execute(text("SELECT id, status FROM extractions ORDER BY created_at"))
        return [(row.id, row.status) for row in rows]


def test_jobs_pages_and_events_are_there(store: JobStore) -> None:
    done = ids_of(store)["a.pdf"]
    assert [page.status for page in store.records.job(done).pages] == ["succeeded", "succeeded"]
    assert [page.regions[0].text for page in store.records.facts(done)[1]] == ["word 1", "word 2"]
    stored_events, over = store.records.events(done, 0, None)
    assert over
    kinds = ["queued", "running", "page_started", "page", "page_started", "page", "succeeded"]
    assert [event.kind for event in stored_events] == kinds


def test_an_idempotency_key_still_names_its_job(store: JobStore) -> None:
    def again(sha256: str) -> Submission:
        options = Options.model_validate({"webhook": {"url": "https://example.com/hook", "secret": "0123456789abcdef"}})
        facts = {"namespace": "tenant", "size": 3, "media_type": "application/pdf", "file_name": "a.pdf"}
        return Submission(sha256=sha256, options=options, idempotency_key="k", **facts)

    assert store.submit(again("a" * 64)) == (ids_of(store)["a.pdf"], False)
    with store._engine.connect() as db:  # the webhook was known, too: it is not stored twice
        assert (
            db.execute(
                text("SELECT COUNT(*) FROM webhooks WHERE job_id = :id"), {"id": ids_of(store)["a.pdf"]}
            ).scalar()
            == 1
        )
    with pytest.raises(IdempotencyConflict):
        store.submit(again("b" * 64))


def test_what_was_unfinished_is_taken_up(store: JobStore) -> None:
    plans, extraction_plans = store.resume()
    assert [plan.file_name for plan in plans] == ["b.pdf", "e.pdf"]
    assert store.begin(plans[0], Opened(num_pages=3), [1, 2, 3]) == {2: 1, 3: 0}
    unfinished = [extraction_id for extraction_id, status in extractions_of(store) if status in ("queued", "running")]
    assert [plan.id for plan in extraction_plans] == unfinished
    assert extraction_plans[0].schema_["properties"] == {"total": {"type": "number"}}


def test_extractions_have_an_event_with_how_they_stand(store: JobStore) -> None:
    """Guards against followers of an extraction of the earlier version that learn nothing, or of its job that do."""
    for extraction_id, status in extractions_of(store):
        stored_events, over = store.records.extraction_events(extraction_id, 0, "tenant")
        assert [event.kind for event in stored_events] == [status]
        assert stored_events[0].body == store.records.extraction(extraction_id, "tenant").model_dump(mode="json")
        assert over == (status in ("succeeded", "failed"))
    done = extractions_of(store)[0][0]
    assert json.loads(store.records.extraction_result(done, None) or "") == {"values": {"total": 3}}


def test_a_task_of_callbacks_goes_on_where_it_was(store: JobStore) -> None:
    """Guards against callbacks that are sent again, in another order, or never."""
    with store._engine.connect() as db:
        pending = db.execute(select(deliveries).where(~deliveries.c.dead).order_by(deliveries.c.id)).all()
    kinds = [json.loads(row.body).get("progress", {}).get("kind") for row in pending]
    assert [kind for kind in kinds if kind] == ["set_num_docs", "document_completed"]
    order = next(row.webhook_id for row, kind in zip(pending, kinds, strict=True) if kind)
    last = store.records.plan(ids_of(store)["e.pdf"])
    store.begin(last, Opened(num_pages=1), [1])
    store.finish_page(last, 1, Page(number=1, size=(10, 10)), {})
    store.finish(last, Ending("succeeded"))
    with store._engine.connect() as db:
        added = db.execute(select(deliveries).where(deliveries.c.id > pending[-1].id).order_by(deliveries.c.id)).all()
    assert {(row.webhook_id, row.url, row.headers["authorization"]) for row in added} == {
        (order, "https://example.com/docling", "Bearer x")
    }
    progress = [json.loads(row.body)["progress"] for row in added]
    assert [entry["kind"] for entry in progress] == ["document_completed", "update_processed"]
    assert progress[-1]["num_succeeded"] == 2


def test_a_webhook_whose_address_holds_the_earlier_word_is_left_as_it_is(url: str, store: JobStore) -> None:
    """Guards against a server that does not start again since a caller chose such an address."""
    address = "https://example.com/?docling_task=1"
    options = Options.model_validate({"webhook": {"url": address, "secret": "0123456789abcdef"}})
    facts = {"namespace": "tenant", "size": 3, "media_type": "application/pdf", "file_name": "w.pdf"}
    job_id, _ = store.submit(Submission(sha256="f" * 64, options=options, **facts))
    store.change(upgrade_rows)
    store.finish(store.records.plan(job_id), Ending("succeeded"))
    with store._engine.connect() as db:
        assert db.execute(select(deliveries.c.id).where(deliveries.c.url == address)).all()


def test_two_servers_may_begin_on_one_database_at_once(url: str) -> None:
    """Guards against a start that fails since another one creates the same tables."""
    engines = [connect(url) for _ in range(4)]
    with ThreadPoolExecutor() as pool:
        for _ in range(3):
            if url.startswith("postgresql"):
                metadata.drop_all(engines[0])
                list(pool.map(create_tables, engines))
            else:  # one at a time: the folder is locked
                create_tables(engines[0])
    for engine in engines:
        engine.dispose()


def test_undelivered_and_dead_letters_are_there(store: JobStore) -> None:
    (letter,) = store.records.dead_letters("tenant", 10)
    assert letter.error == "it answered 410"


def test_a_second_start_changes_nothing(store: JobStore) -> None:
    def rows(db: Connection) -> list[list[object]]:
        names = ("webhooks", "events", "extractions", "deliveries")
        return [[tuple(row) for row in db.execute(text(f"SELECT * FROM {name} ORDER BY id"))] for name in names]

    with store._engine.begin() as db:
        before = rows(db)
        upgrade_rows(db)
        assert rows(db) == before
        db.execute(
            insert(events).values(
                job_id=ids_of(store)["a.pdf"], kind="x", body={}, created_at=text("CURRENT_TIMESTAMP")
            )
        )
