"""`pagemill extract` and the clients' `extract`, against the real routes and a scripted model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pagemill import AsyncClient, Client, Refused
from tests.deployments.ingress.api.test_extract import SAID, SCHEMA, invoice
from tests.deployments.ingress.scripted_model import Script, scripted_model
from tests.pagemill.commands.test_ingest import pagemill
from tests.web.house import House, house


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """Its model makes the total up."""
    made_up = {**SAID, "total": 77.0}
    with (
        scripted_model(Script(lambda _: json.dumps(made_up))) as script,
        house(tmp_path_factory.mktemp("data"), answers={"url": script.url, "model": "tester"}) as served,
    ):
        served.let_pages(20)
        yield served


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    (folder / "invoice.pdf").write_bytes(invoice())
    (folder / "schema.json").write_text(json.dumps(SCHEMA))
    return folder


def test_a_file_is_ingested_and_its_values_are_shown_with_their_pages(served: House, files: Path) -> None:
    """Whoever reads the terminal sees at once which value nobody printed."""
    arguments = ("extract", files / "invoice.pdf", "--schema", files / "schema.json", "--url", served.url)
    shown = pagemill(*arguments).stdout
    assert 'seller: "Harbour Supplies Ltd"  page 1\n' in shown
    assert "date: \"2024-03-03\"  page 1 as '3 March 2024'\n" in shown
    assert "total: 77.0  not found on the pages\n" in shown
    assert "1 not found on the pages: check them" in shown
    body = json.loads(pagemill(*arguments, "--json").stdout)
    again = json.loads(pagemill(*arguments[:1], body["job_id"], *arguments[2:], "--pages", "1", "--json").stdout)
    assert again == body
    by_document = pagemill(*arguments[:1], body["document_id"], *arguments[2:], "--json").stdout
    assert json.loads(by_document)["data"] == body["data"]


def test_a_schema_that_is_not_there_is_said_before_anything_is_sent(served: House, files: Path) -> None:
    (files / "broken.json").write_text("{")
    for schema, message in (("nowhere.json", "there is no file"), (files / "broken.json", "is not JSON")):
        failed = pagemill("extract", files / "invoice.pdf", "--schema", schema, "--url", served.url)
        assert failed.exit_code == 2
        assert message in failed.stderr


def test_both_clients_give_the_same_values(served: House) -> None:
    async def awaited(job_id: str) -> object:
        async with AsyncClient(served.url) as client:
            return await client.extract(SCHEMA, job_id=job_id)

    with Client(served.url) as client:
        job = client.ingest(invoice(), wait_s=None)
        extraction = client.extract(SCHEMA, document_id=job.document_id)
        with pytest.raises(Refused) as refused:
            client.extract("nowhere", job_id=job.id)
    assert refused.value.problem.code == "invalid_schema"
    assert asyncio.run(awaited(job.id)) == extraction
    leaves = dict(extraction.leaves())
    assert list(leaves) == ["seller", "date", "total"]
    assert leaves["seller"].boxes[0].x0 < leaves["seller"].boxes[0].x1
    assert leaves["total"].page is None


def test_both_clients_store_an_extraction_and_fetch_its_values(served: House) -> None:
    async def awaited(job_id: str) -> tuple[str, object]:
        async with AsyncClient(served.url) as client:
            stored = await client.store_extraction(SCHEMA, job_id=job_id)
            stored = await client.wait_extraction(stored.id, 60)
            assert await client.extraction(stored.id) == stored
            assert await client.cancel_extraction(stored.id) == stored
            return stored.status, await client.extraction_result(stored.id)

    with Client(served.url) as client:
        job = client.ingest(invoice(), wait_s=None)
        stored = client.wait_extraction(client.store_extraction(SCHEMA, job_id=job.id).id, 60)
        assert (stored.status, stored.job_id, stored.calls_done) == ("succeeded", job.id, stored.calls_total)
        assert client.extraction(stored.id) == stored
        values = client.extraction_result(stored.id)
        assert values == client.extract(SCHEMA, job_id=job.id)
        assert client.cancel_extraction(stored.id).status == "succeeded"
        with pytest.raises(Refused) as refused:
            client.extraction_result("ext_nowhere")
    assert refused.value.problem.status == 404
    assert asyncio.run(awaited(job.id)) == ("succeeded", values)


def test_a_stored_extraction_is_shown_by_its_id(served: House, files: Path) -> None:
    """Guards against values that nobody finds again from the terminal."""
    arguments = ("extract", files / "invoice.pdf", "--schema", files / "schema.json", "--url", served.url, "--stored")
    extraction_id = pagemill(*arguments).stdout.split()[0]
    assert extraction_id.startswith("ext_")
    shown = pagemill("extraction", extraction_id, "--wait", "60", "--url", served.url).stdout
    assert 'seller: "Harbour Supplies Ltd"  page 1\n' in shown
    body = json.loads(pagemill("extraction", extraction_id, "--url", served.url, "--json").stdout)
    assert body["data"]["seller"] == "Harbour Supplies Ltd"
    assert pagemill("extraction", "ext_nowhere", "--url", served.url).exit_code == 1
