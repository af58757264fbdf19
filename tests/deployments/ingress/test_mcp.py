"""/mcp over a real server, by the client of the official SDK, in both generations of the protocol."""

import asyncio
import base64
import io
import json
import logging

import httpx
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from PIL import Image

from configs.api_keys import KeyEntry, hash_of
from deployments.ingress.operations.callers import KeyRing
from tests.deployments.ingress.api.test_extract import SAID, SCHEMA, invoice
from tests.deployments.ingress.scripted_model import Script, scripted_model
from tests.web.house import house

TOOLS = {"ingest", "job_status", "search", "read_page", "extract"}
KEYS = [
    KeyEntry(name="mine", namespace="mine", roles=frozenset({"ingest", "query"}), sha256=hash_of("mine")),
    KeyEntry(name="theirs", namespace="theirs", roles=frozenset({"ingest", "query"}), sha256=hash_of("theirs")),
    KeyEntry(name="feeder", namespace="mine", roles=frozenset({"ingest"}), sha256=hash_of("feeder")),
    KeyEntry(name="reader", namespace="mine", roles=frozenset({"query"}), sha256=hash_of("reader")),
    KeyEntry(name="slow", namespace="slow", roles=frozenset({"query"}), sha256=hash_of("slow"), requests_per_minute=3),
]


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    with scripted_model(Script(lambda _: json.dumps(SAID))) as script:
        answers = {"url": script.url, "model": "tester"}
        with house(tmp_path_factory.mktemp("data"), KeyRing(KEYS), answers=answers) as server:
            yield server


@pytest.fixture(scope="module")
def keyless(tmp_path_factory):
    with house(tmp_path_factory.mktemp("open")) as server:
        yield server


def with_client(served, work, key="mine", mode="auto"):
    """What `work` gives with the SDK's client."""

    async def scenario():
        headers = {"Authorization": f"Bearer {key}"}
        async with httpx2.AsyncClient(headers=headers, timeout=60, trust_env=False) as http:
            transport = streamable_http_client(f"{served.url}/mcp", http_client=http)
            async with Client(transport, mode=mode) as client:
                return await work(client)

    return asyncio.run(scenario())


def call(served, tool, key="mine", mode="auto", **arguments):
    return with_client(served, lambda client: client.call_tool(tool, arguments), key, mode)


@pytest.fixture(scope="module")
def job(served):
    """A document that `mine` has ingested."""
    served.let_pages(1)
    content = base64.b64encode(invoice()).decode()
    answer = call(served, "ingest", file_name="invoice.pdf", content_base64=content, options={"document_id": "inv/1"})
    assert not answer.is_error, answer.content
    return answer.structured_content


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_every_tool_is_listed_with_its_schema(served, mode):
    """Guards against a tool that clients of one generation of the protocol do not see."""
    listed = with_client(served, lambda client: client.list_tools(), mode=mode).tools
    assert {tool.name for tool in listed} == TOOLS
    assert all(tool.description and "ctx" not in tool.input_schema["properties"] for tool in listed)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_document_is_ingested_found_and_read(served, job, mode):
    assert (job["status"], job["document_id"], job["num_pages_done"]) == ("succeeded", "inv/1", 1)
    status = call(served, "job_status", mode=mode, job_id=job["job_id"]).structured_content
    assert status == job
    results = call(served, "search", mode=mode, query="lamps").structured_content
    (passage,) = results["passages"]
    assert passage["document_id"] == "inv/1"
    assert passage["page"] == 1
    assert "2 lamps 620.25" in passage["text"]
    assert passage["boxes"][0]["box"]["x0"] >= 72
    text = call(served, "read_page", mode=mode, document_id="inv/1", page=1).content[0].text
    assert "Harbour Supplies Ltd" in text


def test_a_page_is_a_picture_where_that_is_asked_for(served, job):
    (content,) = call(served, "read_page", job_id=job["job_id"], page=1, form="picture").content
    picture = Image.open(io.BytesIO(base64.b64decode(content.data)))
    assert (content.mime_type, picture.size) == ("image/png", (827, 1170))


def test_values_of_a_schema_come_with_their_places(served, job):
    values = call(served, "extract", job_id=job["job_id"], schema=SCHEMA).structured_content
    assert values["data"] == SAID
    assert values["fields"]["total"]["page"] == 1


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("read_page", {"document_id": "inv/1", "page": 1}),
        ("read_page", {"document_id": "inv/1", "page": 1, "form": "picture"}),
        ("extract", {"document_id": "inv/1", "schema": SCHEMA}),
    ],
)
def test_nothing_of_another_namespace_is_seen(served, job, tool, arguments):
    answer = call(served, tool, key="theirs", **arguments)
    assert answer.is_error
    assert "not_found" in answer.content[0].text


def test_a_search_finds_only_what_is_the_keys_own(served, job):
    """The search of the test's server knows no namespaces, so the job is asked for."""
    answer = call(served, "job_status", key="theirs", job_id=job["job_id"])
    assert answer.is_error


@pytest.mark.parametrize(
    ("key", "tool", "arguments"),
    [
        ("feeder", "search", {"query": "lamps"}),
        ("feeder", "extract", {"document_id": "inv/1", "schema": SCHEMA}),
        ("reader", "ingest", {"file_name": "a.txt", "content_base64": "YQ=="}),
    ],
)
def test_a_tool_needs_the_role_of_its_own_call(served, job, key, tool, arguments):
    answer = call(served, tool, key=key, **arguments)
    assert answer.is_error
    assert "forbidden" in answer.content[0].text


def test_calls_of_tools_count_once_against_the_keys_quota(served):
    """Guards against a tool that is charged for its request and for the call that it makes."""
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "search", "arguments": {"query": "x"}},
    }
    headers = {"X-API-Key": "slow", "Accept": "application/json, text/event-stream"}
    with httpx.Client(base_url=served.url, headers=headers, trust_env=False) as client:
        statuses = [client.post("/mcp", json=body).status_code for _ in range(4)]
    assert statuses == [200, 200, 200, 429]


def test_what_is_wrong_with_a_call_is_told_to_the_model(served):
    """Guards against "Error executing tool" alone, from which no model can learn what to send."""
    cases = [
        ("ingest", {}, "exactly one of content_base64 and url"),
        ("ingest", {"content_base64": "?"}, "not base64"),
        ("ingest", {"content_base64": "AAAA", "file_name": "a.bin"}, "unsupported_media_type"),
        ("ingest", {"content_base64": "YQ==", "options": {"nothing": 1}}, "unknown option 'nothing'"),
        ("ingest", {"url": "http://127.0.0.1/a.pdf"}, "sources.http"),
        ("search", {"query": "x", "filters": {"nothing": 1}}, "nothing"),
        ("read_page", {"page": 1}, "exactly one of document_id and job_id"),
        ("extract", {"job_id": "job_0", "schema": "nobody"}, "no schema 'nobody'"),
    ]
    for tool, arguments, words in cases:
        answer = call(served, tool, **arguments)
        assert answer.is_error
        assert words in answer.content[0].text, (tool, answer.content)


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_no_session_is_kept(served, method):
    """A client that asks for a stream of its own is told that there is none, and goes on without."""
    answer = httpx.request(method, f"{served.url}/mcp", headers={"X-API-Key": "mine"}, trust_env=False)
    assert answer.status_code == 405
    assert answer.json()["code"] == "method_not_allowed"


def test_without_a_key_nothing_is_told(served):
    answer = httpx.post(f"{served.url}/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, trust_env=False)
    assert answer.status_code == 401


def test_a_page_of_another_site_may_not_call_the_tools(keyless):
    """Where no key is set, the origin of a browser's call decides, as for every other path."""
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    headers = {"Origin": "http://evil.example", "Accept": "application/json, text/event-stream"}
    answer = httpx.post(f"{keyless.url}/mcp", json=body, headers=headers, trust_env=False)
    assert answer.status_code == 403


def test_the_logs_of_the_process_stay_as_they_are(served):
    """Guards against the SDK's handler at the root, which writes each of Ray's lines twice."""
    assert not any(type(handler).__module__.startswith("rich") for handler in logging.getLogger().handlers)
