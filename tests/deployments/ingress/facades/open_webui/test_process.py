"""PUT /process over the real routes and jobs: what Open WebUI's engine External sends, and what it reads."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import httpx
import pymupdf
import pytest

from configs import Settings
from configs.api_keys import KeyEntry, new_key
from deployments.ingress.facades.open_webui.process import WaitedJobs
from deployments.ingress.operations.callers import KeyRing
from deployments.ingress.operations.services import Services
from deployments.storage.blobs import BlobStore
from deployments.values.jobs import Job
from documents.errors import PageFailed
from tests.deployments.ingress.handles import Handle
from tests.serve.files import LINES, pdf
from tests.web.house import House, house

KEYS = {name: new_key() for name in ("one", "reader")}
ENTRIES = [
    KeyEntry(name="one", sha256=KEYS["one"][1], namespace="a", roles=frozenset({"ingest", "query"})),
    KeyEntry(name="reader", sha256=KEYS["reader"][1], namespace="a", roles=frozenset({"query"})),
]
FILE_ID = "2f6b1c9e-8d3a-4f0b-9a51-0c1d2e3f4a5b"
NAME = "Tide tables – März.pdf"


@pytest.fixture(scope="module")
def blocking_calls_fail() -> None:
    """The server of these tests runs in a thread of its own, with everything that blocks in others."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    limits = {"max_pages_in_flight": 2, "max_body_kb": 1, "max_file_mb": 0.1}
    settings: dict[str, Any] = {"limits": limits, "public_url": "https://pages.example/"}
    with house(tmp_path_factory.mktemp("data"), KeyRing(ENTRIES), **settings) as served:
        served.let_pages(1000)
        yield served


@pytest.fixture(scope="module")
def client(served: House) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Bearer {KEYS['one'][0]}"}
    with httpx.Client(base_url=served.url, headers=headers, timeout=60, trust_env=False) as client:
        yield client


def put(client: httpx.Client, content: Any, name: str = NAME, **headers: str) -> httpx.Response:
    """As its loader does."""
    sent = {"Content-Type": "application/pdf", "X-Filename": quote(f"{FILE_ID}_{name}")}
    return client.put("/process", content=content, headers=sent | headers)


def test_each_page_is_an_entry_with_its_markdown_and_plain_values(client: httpx.Client):
    """Guards against a page that Open WebUI shows as the one behind it, and values that a vector database refuses."""
    answer = put(client, pdf(2, title="Tides"))
    assert answer.status_code == 200, answer.text
    entries = answer.json()
    assert ["part 1" in entry["page_content"] for entry in entries] == [True, False]
    assert ["part 2" in entry["page_content"] for entry in entries] == [False, True]
    assert all(line in entry["page_content"] for entry in entries for line in LINES)
    assert [entry["metadata"]["page"] + 1 for entry in entries] == [1, 2]
    assert [entry["metadata"]["page_label"] for entry in entries] == ["1", "2"]
    for entry in entries:
        about = entry["metadata"]
        assert all(isinstance(value, str | int | float) for value in about.values()), about
        assert (about["source"], about["title"], about["total_pages"]) == (NAME, NAME, 2)
        assert "warning" not in about


def test_pages_are_written_as_in_the_export_of_the_document(client: httpx.Client):
    """Guards against two ways to write a page."""
    entries = put(client, pdf(2, title="Export")).json()
    exported = client.get(f"/v1/jobs/{entries[0]['metadata']['job_id']}/result", params={"format": "md"})
    assert "\n".join(entry["page_content"] for entry in entries) == exported.text


def test_the_document_is_stored_for_the_link_and_not_searched(client: httpx.Client):
    """Guards against a link to a document that is gone, and passages that are found twice: once here, once there."""
    about = put(client, pdf(2, title="Stored")).json()[1]["metadata"]
    link = urlsplit(about["link"])
    assert (link.scheme, link.netloc, link.path) == ("https", "pages.example", "/")
    assert link.fragment == f"/documents/{about['document_id']}/pages/2?revision={about['revision']}"
    page = client.get(f"/v1{link.fragment}")
    assert (page.status_code, page.json()["page"]["number"]) == (200, 2)
    assert client.post("/v1/query", json={"query": "Stored"}).json()["passages"] == []


def test_the_same_bytes_again_are_the_same_job(client: httpx.Client):
    """Guards against a file that is read again whenever Open WebUI fills its index again; names may differ."""
    first, second = put(client, pdf(title="Again")), put(client, pdf(title="Again"), name="copy.pdf")
    one, other = first.json()[0]["metadata"], second.json()[0]["metadata"]
    assert (one["job_id"], one["revision"]) == (other["job_id"], other["revision"])
    assert (one["source"], other["source"]) == (NAME, "copy.pdf")


def test_pages_are_called_as_the_file_calls_them(client: httpx.Client):
    """Guards against a citation of page 2 that prints `ii`; and pages without text have no entry."""
    with pymupdf.open(stream=pdf(3, title="Labels")) as document:
        document.set_page_labels([{"startpage": 0, "prefix": "", "style": "r", "firstpagenum": 1}])
        document.new_page(1)
        content = document.tobytes()
    entries = put(client, content).json()
    assert [(entry["metadata"]["page"], entry["metadata"]["page_label"]) for entry in entries] == [
        (0, "i"),
        (2, "iii"),
        (3, "iv"),
    ]


def test_a_file_that_says_its_text_itself_is_read_by_its_name(client: httpx.Client):
    """Guards against an engine for PDFs alone."""
    answer = put(client, b"# Harbour\n\nLamps burn.\n", name="log.md", **{"Content-Type": "text/markdown"})
    (entry,) = answer.json()
    assert entry["page_content"] == "# Harbour\n\nLamps burn.\n"


def test_a_page_that_failed_has_an_entry_that_says_so(
    client: httpx.Client, served: House, monkeypatch: pytest.MonkeyPatch
):
    """Guards against an answer from a document of which a page is silently missing."""
    read_page = served.parts.page

    async def page(task: Any) -> Any:
        if task.number == 2:
            raise PageFailed("its drawing is damaged")
        return await read_page(task)

    monkeypatch.setattr(served.parts, "page", page)
    entries = put(client, pdf(3, title="Damaged")).json()
    assert [entry["metadata"]["page"] for entry in entries] == [0, 1, 2]
    warnings = [entry["metadata"].get("warning") for entry in entries]
    assert (warnings[0], warnings[2]) == (None, None)
    assert warnings[1] == "page 2 could not be read: its drawing is damaged"
    assert entries[1]["page_content"].strip() == f"[{warnings[1]}]"


def test_a_document_without_text_is_refused_in_the_words_that_clients_look_for(client: httpx.Client):
    """Guards against an empty list, which Open WebUI reports as `No content returned`."""
    with pymupdf.open() as document:
        document.new_page()
        answer = put(client, document.tobytes())
    assert (answer.status_code, answer.json()["code"]) == (422, "no_extractable_text")
    assert "No extractable text" in answer.json()["detail"]


def test_a_file_that_is_refused_says_why(client: httpx.Client):
    """It shows the text of the answer to its user."""
    for content, status in ((b"\x7fELF no document", 415), (pdf(password="secret"), 422), (b"", 400)):
        answer = put(client, content)
        assert (answer.status_code, bool(answer.json()["detail"])) == (status, True), answer.text


def test_a_file_may_be_as_large_as_an_upload_and_no_larger(client: httpx.Client):
    """Guards against the limit of JSON bodies, which holds for every path that is not named."""
    assert len(pdf(2)) > 1000
    padded = pdf(1, title="Large") + b"\n%" + b"x" * 90_000
    assert put(client, padded).status_code == 200
    for content in (b"x" * 100_001, iter([b"x" * 60_000] * 2)):  # declared, and by chunks of unknown number
        answer = put(client, content)
        assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")
    form = client.put("/process", files={"file": ("a.pdf", b"x")})
    assert (form.status_code, form.json()["detail"]) == (415, "/process expects the file itself, not a form")


def test_a_key_must_be_allowed_to_ingest(client: httpx.Client):
    """Guards against an open door: the path begins with no version."""
    assert put(client, pdf(), Authorization=f"Bearer {KEYS['reader'][0]}").status_code == 403
    assert put(client, pdf(), Authorization="Bearer wrong").status_code == 401


class Jobs:
    """One job that never ends by itself."""

    def __init__(self) -> None:
        self.num_waiting, self.cancelled = 0, list[str]()
        self.begun = asyncio.Condition()

    async def wait(self, job_id: str, *_: Any) -> Job:
        async with self.begun:
            self.num_waiting += 1
            self.begun.notify_all()
        await asyncio.Event().wait()
        raise AssertionError

    async def cancel(self, job_id: str) -> None:
        self.cancelled.append(job_id)

    async def until_waiting(self, count: int) -> None:
        async with self.begun:
            await self.begun.wait_for(lambda: self.num_waiting == count)


def test_a_job_is_cancelled_when_the_last_client_that_waits_for_it_has_gone(tmp_path: Path):
    """Guards against pages that are read for nobody, and against a client whose job another one's leaving ends."""

    async def scenario() -> list[list[str]]:
        jobs = Jobs()
        rooms: dict[str, Any] = dict.fromkeys(("pipeline", "layout", "ocr", "search", "renderer"))
        blobs = await asyncio.to_thread(BlobStore, tmp_path)
        services = Services(settings=Settings(), blobs=blobs, jobs=Handle(jobs), **rooms)  # type: ignore[arg-type]
        waited_jobs = WaitedJobs(services)
        job = Job(
            id="job_1",
            document_id="d",
            revision=1,
            file_name="a.pdf",
            num_pages=1,
            status="running",
            created_at=datetime.now(UTC),
        )
        clients = [asyncio.ensure_future(waited_jobs.wait(job, "a")) for _ in range(2)]
        await jobs.until_waiting(2)
        cancelled: list[list[str]] = []
        for client in clients:
            client.cancel()
            with pytest.raises(asyncio.CancelledError):
                await client
            await services.background_tasks.wait()
            cancelled.append([*jobs.cancelled])
        return cancelled

    assert asyncio.run(scenario()) == [[], ["job_1"]]
