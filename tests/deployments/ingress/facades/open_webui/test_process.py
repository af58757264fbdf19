"""PUT /process over the real routes and jobs: what Open WebUI's engine External sends, and what it reads."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import httpx
import pymupdf
import pytest

from configs.api_keys import KeyEntry, new_key
from deployments.ingress.facades.open_webui.process import router
from deployments.ingress.operations.callers import KeyRing
from deployments.storage.staged_upload import StagedUpload
from documents.errors import PageFailed
from tests.deployments.ingress.facades.taken_jobs import TakenJobs, client_of, services_of
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


def test_the_same_bytes_again_are_a_revision_whose_pages_are_not_read_again(
    client: httpx.Client, served: House, monkeypatch: pytest.MonkeyPatch
):
    """Guards against a file that is read again whenever Open WebUI fills its index again; names may differ."""
    first = put(client, pdf(2, title="Again")).json()

    async def page(task: Any) -> Any:
        raise AssertionError("read again")

    monkeypatch.setattr(served.parts, "page", page)
    second = put(client, pdf(2, title="Again"), name="copy.pdf").json()
    assert [entry["page_content"] for entry in second] == [entry["page_content"] for entry in first]
    one, other = first[0]["metadata"], second[0]["metadata"]
    assert one["document_id"] == other["document_id"]
    assert (one["revision"], other["revision"], one["job_id"] != other["job_id"]) == (1, 2, True)
    assert (one["source"], other["source"]) == (NAME, "copy.pdf")
    for about in (one, other):  # links of both go on
        path = urlsplit(about["link"]).fragment
        assert client.get(f"/v1{path}").json()["page"]["number"] == 1


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


def leaving_client(request: asyncio.Future[httpx.Response]) -> Any:
    """For `with`: the client goes away."""
    request.cancel()
    return pytest.raises(asyncio.CancelledError)


def test_a_client_that_leaves_ends_its_own_job_and_not_that_of_another_replicas_client(tmp_path: Path):
    """Guards against a replica that cancels the job for which the client of another replica waits: the same bytes."""

    async def scenario() -> tuple[int, list[str], int, list[str]]:
        jobs = TakenJobs()
        replicas = [await asyncio.to_thread(services_of, jobs, tmp_path / name) for name in ("one", "other")]
        async with client_of(replicas[0], router) as one, client_of(replicas[1], router) as other:
            requests = [asyncio.ensure_future(client.put("/process", content=pdf())) for client in (one, other)]
            await jobs.until_waits(2)
            with leaving_client(requests[0]):
                await requests[0]
            await replicas[0].background_tasks.wait()
            left = [*jobs.cancelled]
            jobs.let.set()
            answer = await requests[1]
        return len(jobs.jobs), left, answer.status_code, jobs.cancelled

    num_jobs, left, status, cancelled = asyncio.run(scenario())
    assert (num_jobs, len(left), status) == (2, 1, 422)
    assert cancelled == left


def test_a_client_that_leaves_before_anybody_waits_for_its_job_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Guards against a job that was taken, whose file is just being closed, and which nobody cancels."""
    closing, closed = threading.Event(), threading.Event()
    close = StagedUpload.close

    def slow_close(upload: StagedUpload) -> None:
        closing.set()
        assert closed.wait(30)
        close(upload)

    async def scenario() -> list[str]:
        jobs = TakenJobs()
        services = await asyncio.to_thread(services_of, jobs, tmp_path)
        async with client_of(services, router) as client:
            request = asyncio.ensure_future(client.put("/process", content=pdf()))
            assert await asyncio.to_thread(closing.wait, 30)
            assert len(jobs.jobs) == 1
            with leaving_client(request):
                await request
            closed.set()
        return jobs.cancelled

    monkeypatch.setattr(StagedUpload, "close", slow_close)
    assert asyncio.run(scenario()) == ["job_0"]
