"""docling-serve's calls over the real routes and jobs: what its clients send, and what they read."""

from __future__ import annotations

import base64
import io
import json
import zipfile
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from docling_core.types.doc.document import DoclingDocument
from websockets.sync.client import ClientConnection, connect

from configs.api_keys import KeyEntry, new_key
from deployments.ingress.operations.callers import KeyRing
from tests.serve.files import pdf, png
from tests.serve.paged_files import blank_pdf
from tests.web.house import House, house

KEYS = {name: new_key() for name in ("one", "other", "reader")}
ENTRIES = [
    KeyEntry(name="one", sha256=KEYS["one"][1], namespace="a", roles=frozenset({"ingest", "query"})),
    KeyEntry(name="other", sha256=KEYS["other"][1], namespace="b", roles=frozenset({"ingest"})),
    KeyEntry(name="reader", sha256=KEYS["reader"][1], namespace="a", roles=frozenset({"query"})),
]
FILE = {"files": ("/uploads/8f_Tide tables.pdf", pdf(2), "application/pdf")}


@pytest.fixture(scope="module")
def blocking_calls_fail() -> None:
    """The server of these tests runs in a thread of its own, with everything that blocks in others."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house(tmp_path_factory.mktemp("data"), KeyRing(ENTRIES)) as served:
        served.let_pages(1000)
        yield served


@pytest.fixture(scope="module")
def client(served: House) -> Iterator[httpx.Client]:
    headers = {"X-Api-Key": KEYS["one"][0]}
    with httpx.Client(base_url=served.url, headers=headers, timeout=60, trust_env=False) as client:
        yield client


def test_the_request_of_open_webui_is_answered_with_the_markdown_that_it_reads(client: httpx.Client):
    """The very form of its loader: a whole path as the file's name, its own parameters as fields, one key."""
    data = {"image_export_mode": "placeholder", "do_ocr": "true", "pdf_backend": "dlparse_v4", "table_mode": "accurate"}
    answer = client.post("/v1/convert/file", files=FILE, data=data)
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert "Harbour Rules, part 2" in body["document"]["md_content"]
    assert body["document"]["filename"] == "8f_Tide tables.pdf"
    assert (body["status"], body["errors"]) == ("success", [])
    assert body["processing_time"] > 0
    assert body["ignored_options"] == ["pdf_backend", "table_mode"]
    assert [body["document"][f"{name}_content"] for name in ("json", "html", "text", "doctags")] == [None] * 4


def test_open_webui_reads_why_a_file_was_refused(client: httpx.Client):
    """It shows `detail`, and nothing else, to its user."""
    for content, status in ((b"\x00 no document", 415), (pdf(password="secret"), 422), (b"%PDF-1.4 x", 422)):
        answer = client.post("/v1/convert/file", files={"files": ("a.pdf", content)})
        assert answer.status_code == status
        assert isinstance(answer.json()["detail"], str)


def test_a_conversion_that_was_waited_for_leaves_nothing_behind(client: httpx.Client):
    """Guards against a store that fills with what nobody asks for again, and cannot name."""
    assert client.post("/v1/convert/file", files=FILE).status_code == 200
    jobs = client.get("/v1/jobs").json()["jobs"]
    for job in jobs:  # the last one may still be on its way out
        client.get(f"/v1/jobs/{job['id']}", params={"wait": 5})
    left = [job for job in client.get("/v1/jobs").json()["jobs"] if job["status"] == "succeeded"]
    assert len(left) < 2


def test_every_format_that_is_asked_for_is_filled(client: httpx.Client):
    answer = client.post("/v1/convert/file", files=FILE, data={"to_formats": ["md", "json", "html", "text"]})
    document = answer.json()["document"]
    read = DoclingDocument.model_validate(document["json_content"])
    assert read.name == "8f_Tide tables"
    assert "Harbour Rules, part 1" in read.export_to_markdown()
    assert "Harbour Rules, part 1" in document["text_content"]
    assert document["html_content"].startswith("<!DOCTYPE html>")
    assert "<title>8f_Tide tables</title>" in document["html_content"]


def test_only_the_pages_that_are_asked_for_are_converted(client: httpx.Client):
    answer = client.post("/v1/convert/file", files=FILE, data={"page_range": ["2", "2"]})
    assert "part 2" in answer.json()["document"]["md_content"]
    assert "part 1" not in answer.json()["document"]["md_content"]


def test_several_files_are_answered_as_a_zip_that_says_what_is_missing(client: httpx.Client):
    """Guards against names that leave the folder they are unpacked in, and against a file that is lost silently."""
    names = ("../../etc/passwd.pdf", "a\\b\\passwd.pdf", "bad.pdf")
    contents = (pdf(1), pdf(1, title="Other"), pdf(password="secret"))
    files = [("files", (name, content)) for name, content in zip(names, contents, strict=True)]
    answer = client.post("/v1/convert/file", files=files, data={"to_formats": ["md", "json"]})
    assert answer.status_code == 207
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert sorted(archive.namelist()) == [
            *("errors.json", "passwd-2.json", "passwd-2.md", "passwd.json", "passwd.md")
        ]
        assert list(json.loads(archive.read("errors.json"))) == ["bad"]
        DoclingDocument.model_validate_json(archive.read("passwd.json"))


def source(content: bytes, name: str = "a.pdf") -> dict:
    return {"kind": "file", "base64_string": base64.b64encode(content).decode(), "filename": name}


def test_a_file_in_base64_is_converted(client: httpx.Client):
    body = {"sources": [source(png())], "options": {"to_formats": ["text"]}, "target": {"kind": "inbody"}}
    answer = client.post("/v1/convert/source", json=body)
    assert answer.status_code == 200, answer.text
    assert answer.json()["document"]["md_content"] is None


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"sources": []}, 422),
        ({"sources": [{"kind": "file", "base64_string": "A"}]}, 422),
        ({"sources": [{"kind": "s3"}]}, 422),
        ({"sources": [{"kind": "http", "url": "http://127.0.0.1/"}]}, 422),
        ({"sources": [source(b"")]}, 400),
        ({"sources": [source(b"\x00 no document")]}, 415),
        ({"sources": [source(pdf())], "target": {"kind": "put", "url": "http://127.0.0.1/"}}, 422),
        (b"{", 400),
    ],
)
def test_sources_that_cannot_be_read_are_refused(client: httpx.Client, body: dict | bytes, status: int):
    """Guards against a traceback, and against a server that fetches or sends what nobody allowed."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    answer = client.post("/v1/convert/source", content=content, headers={"content-type": "application/json"})
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"


def submitted(client: httpx.Client, path: str = "/v1/convert/file/async", **data: object) -> str:
    answer = client.post(path, files=FILE, data=data)
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert body["task_status"] in ("pending", "started", "success")
    return body["task_id"]


def test_a_task_is_polled_and_its_result_fetched_more_than_once(client: httpx.Client):
    task = submitted(client, to_formats=["md", "json"])
    body = client.get(f"/v1/status/poll/{task}", params={"wait": 60}).json()
    assert (body["task_status"], body["task_type"]) == ("success", "convert")
    assert body["task_meta"]["num_succeeded"] == 1
    for _ in range(2):
        document = client.get(f"/v1/result/{task}").json()["document"]
        assert "part 1" in document["md_content"]
        DoclingDocument.model_validate(document["json_content"])


def test_a_task_is_followed_by_a_websocket_to_its_end(client: httpx.Client, served: House):
    """Guards against a socket that says nothing, or that anybody may open."""
    task = submitted(client)
    url = f"{served.url.replace('http', 'ws', 1)}/v1/status/ws/{task}"
    with connect(f"{url}?api_key={KEYS['one'][0]}", proxy=None) as socket:
        messages = list(updates(socket))
    assert messages[0]["message"] == "connection"
    assert (messages[-1]["message"], messages[-1]["task"]["task_status"]) == ("update", "success")
    with pytest.raises(Exception, match="403"), connect(url, proxy=None):
        pass
    with connect(url, additional_headers={"X-Api-Key": KEYS["other"][0]}, proxy=None) as socket:
        assert json.loads(socket.recv())["error"] == "Task not found."


def test_a_follower_that_is_behind_still_reads_the_end(client: httpx.Client, served: House):
    """docling's client answers each update; under a line that is closed it forgets what it has not read yet."""
    task = client.post("/v1/convert/file/async", files=FILE, data={"force_ocr": "true"}).json()["task_id"]
    with connect(
        f"{served.url.replace('http', 'ws', 1)}/v1/status/ws/{task}?api_key={KEYS['one'][0]}", proxy=None
    ) as socket:
        assert json.loads(socket.recv())["message"] == "connection"
        client.get(f"/v1/status/poll/{task}", params={"wait": 60})  # over by now, and told to nobody yet
        socket.send("next")
        assert [update["task"]["task_status"] for update in updates(socket)][-1] == "success"


def updates(socket: ClientConnection) -> Iterator[dict[str, Any]]:
    """What is told until the task has ended, each update answered."""
    while True:
        update = json.loads(socket.recv(timeout=60))
        yield update
        if update["message"] == "update" and update["task"]["task_status"] in ("success", "failure"):
            return
        socket.send("next")


def test_a_task_of_another_caller_is_no_task(client: httpx.Client, served: House):
    """Guards against reading what somebody else converted."""
    task = submitted(client)
    for path in (f"/v1/status/poll/{task}", f"/v1/result/{task}"):
        answer = httpx.get(served.url + path, headers={"X-Api-Key": KEYS["other"][0]}, trust_env=False)
        assert (answer.status_code, answer.json()["detail"]) == (404, "Task not found.")
        assert httpx.get(served.url + path, trust_env=False).status_code == 401
    refused = httpx.post(
        f"{served.url}/v1/convert/file", files=FILE, headers={"X-Api-Key": KEYS["reader"][0]}, trust_env=False
    )
    assert refused.status_code == 403


def test_a_failed_task_has_no_result_and_says_why(client: httpx.Client):
    """Its clients look at the first words of `detail`, and then at the task's status."""
    files = {"files": ("a.pdf", pdf(password="secret"))}
    task = client.post("/v1/convert/file/async", files=files).json()["task_id"]
    body = client.get(f"/v1/status/poll/{task}", params={"wait": 60}).json()
    assert body["task_status"] == "failure"
    assert "password" in body["error_message"]
    answer = client.get(f"/v1/result/{task}")
    assert answer.status_code == 404
    assert answer.json()["detail"].startswith("Task result not found")


@pytest.mark.parametrize("chunker", ["hybrid", "hierarchical"])
def test_chunks_name_their_pages_headings_and_items(client: httpx.Client, chunker: str):
    """Guards against chunks whose items are in no document."""
    data = {"include_converted_doc": "true", "chunking_include_raw_text": "true", "chunking_tokenizer": "x"}
    answer = client.post(f"/v1/chunk/{chunker}/file", files=FILE, data=data)
    assert answer.status_code == 200, answer.text
    body = answer.json()
    (document,) = body["documents"]
    read = DoclingDocument.model_validate(document["content"]["json_content"])
    item_refs = {item.self_ref for item, _ in read.iterate_items()}
    assert {page for chunk in body["chunks"] for page in chunk["page_numbers"]} == {1, 2}
    for chunk in body["chunks"]:
        assert chunk["doc_items"]
        assert set(chunk["doc_items"]) <= item_refs
        assert chunk["raw_text"] in chunk["text"]
    assert body["ignored_options"] == ["chunking_tokenizer"]


def test_chunks_come_beside_the_document_where_that_is_asked_for(client: httpx.Client):
    """RAGFlow's request: it reads `results` if there are any, and else the document."""
    options = {"to_formats": ["md", "json"], "do_chunking": True, "chunking_options": {"max_tokens": 16, "overlap": 9}}
    body = {"sources": [source(pdf(2))], "options": options}
    answer = client.post("/v1/convert/source", json=body).json()
    read = DoclingDocument.model_validate(answer["document"]["json_content"])
    item_refs = {item.self_ref for item, _ in read.iterate_items()}
    assert {page for chunk in answer["results"] for page in chunk["page_numbers"]} == {1, 2}
    assert all(chunk["text"] for chunk in answer["results"])
    assert {item["self_ref"] for chunk in answer["results"] for item in chunk["meta"]["doc_items"]} <= item_refs
    assert answer["ignored_options"] == ["chunking_options.overlap"]
    few = client.post("/v1/convert/source", json=body | {"options": {"do_chunking": True}}).json()["results"]
    assert len(few) < len(answer["results"])


def test_a_document_without_text_has_no_list_of_chunks(client: httpx.Client):
    """RAGFlow takes any list that is not empty for chunks, and without one reads the document."""
    body = {"sources": [source(blank_pdf())], "options": {"do_chunking": True}}
    answer = client.post("/v1/convert/source", json=body)
    assert answer.status_code == 200, answer.text
    assert "results" not in answer.json()
    assert answer.json()["document"]["md_content"] == ""


def test_a_zip_of_several_files_says_that_it_holds_no_chunks(client: httpx.Client):
    body = {"sources": [source(pdf(1)), source(pdf(1), "b.pdf")], "options": {"do_chunking": True}}
    answer = client.post("/v1/convert/source", json=body)
    assert answer.headers["content-type"] == "application/zip"
    assert answer.headers["Pagemill-Ignored-Options"] == "do_chunking"


def test_pages_of_markdown_are_parted_by_the_text_that_is_sent(client: httpx.Client):
    """The very form of Open WebUI; a task keeps it in its id."""
    data = {"image_export_mode": "placeholder", "md_page_break_placeholder": "\f", "to_formats": ["md", "json"]}
    answer = client.post("/v1/convert/file", files=FILE, data=data).json()
    first, second = answer["document"]["md_content"].split("\f")
    assert "part 1" in first
    assert "part 2" in second
    assert not answer.get("ignored_options")
    task = submitted(client, **data)
    client.get(f"/v1/status/poll/{task}", params={"wait": 60})
    assert client.get(f"/v1/result/{task}").json()["document"]["md_content"].count("\f") == 1
    whole = client.post("/v1/convert/file", files=FILE).json()["document"]["md_content"]
    assert "\f" not in whole


def test_chunks_come_as_a_task_too(client: httpx.Client):
    task = submitted(client, "/v1/chunk/hybrid/file/async", chunking_max_tokens=16)
    assert client.get(f"/v1/status/poll/{task}", params={"wait": 60}).json()["task_type"] == "chunk"
    few = client.get(f"/v1/result/{submitted(client, '/v1/chunk/hybrid/file/async')}")
    client.get(f"/v1/status/poll/{task}", params={"wait": 60})
    assert few.status_code in (200, 404)
    assert len(client.get(f"/v1/result/{task}").json()["chunks"]) > 2


def test_health_needs_no_key(served: House):
    assert httpx.get(f"{served.url}/health", trust_env=False).json() == {"status": "ok"}


def test_the_first_version_of_docling_serve_is_answered(client: httpx.Client):
    """Its clients part the sources, ask for a zip by an option, and poll under /v1alpha."""
    source = {"base64_string": base64.b64encode(pdf(1)).decode(), "filename": "a.pdf"}
    body = {"options": {"to_formats": ["md"]}, "file_sources": [source]}
    answer = client.post("/v1alpha/convert/source", json=body)
    assert "Harbour Rules" in answer.json()["document"]["md_content"]
    task = client.post("/v1alpha/convert/source/async", json=body).json()["task_id"]
    assert client.get(f"/v1alpha/status/poll/{task}?wait=60").json()["task_status"] == "success"
    assert client.get(f"/v1alpha/result/{task}").status_code == 200
    zipped = client.post("/v1alpha/convert/source", json={**body, "options": {"return_as_file": True}})
    assert zipped.headers["content-type"] == "application/zip"
    fetched = client.post("/v1alpha/convert/source", json={"http_sources": [{"url": "http://127.0.0.1/a.pdf"}]})
    assert fetched.json()["code"] == "source_refused"


def test_results_are_cleared_and_ingested_documents_stay(client: httpx.Client):
    job = client.post("/v1/documents?wait=60", files={"file": ("a.pdf", pdf(1))}).json()
    named = {"options": '{"document_id": "converted-report"}'}
    alike = client.post("/v1/documents?wait=60", files={"file": ("a.pdf", pdf(1))}, data=named).json()
    task = client.post("/v1/convert/file/async", files=FILE).json()["task_id"]
    client.get(f"/v1/status/poll/{task}?wait=60")
    assert client.get("/v1/clear/results").json() == {"status": "ok"}  # older than an hour: none
    assert client.get(f"/v1/result/{task}").status_code == 200
    reader = {"X-Api-Key": KEYS["reader"][0]}
    assert client.get("/v1/clear/results?older_then=0", headers=reader).status_code == 403
    assert client.get("/v1/clear/results?older_then=0").json() == {"status": "ok"}
    assert client.get(f"/v1/result/{task}").status_code == 404
    assert client.get(f"/v1/jobs/{job['id']}").status_code == 200
    assert client.get(f"/v1/jobs/{alike['id']}").status_code == 200
    assert client.get("/v1/clear/converters").json() == {"status": "ok"}


def test_probes_are_answered_without_a_key_and_by_head_alone(served: House):
    for path in ("/ready", "/readyz", "/livez", "/health", "/version"):
        for method in ("GET", "HEAD"):
            answer = httpx.request(method, f"{served.url}{path}", trust_env=False)
            assert answer.status_code == 200, (method, path)
