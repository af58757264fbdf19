"""Extraction and OpenAI's calls through the whole server, by a language model of random weights."""

from __future__ import annotations

import asyncio
import json

import httpx
import jsonschema
import openai
import pytest
from mcp import Client

from benchmarks.harness.server import Running
from tests.serve.files import pdf
from tests.serve.fresh import fresh_parts
from tests.serve.gates import until

pytestmark = pytest.mark.serve
SCHEMA = {
    "type": "object",
    "properties": {
        "title": {"type": "string", "pattern": "^[A-Z][a-z]{3,8}$"},
        "pages": {"type": "integer", "minimum": 1, "maximum": 99},
    },
    "required": ["title"],
}


@pytest.fixture(scope="module")
def job(client: httpx.Client) -> dict:
    files = {"file": ("a.pdf", pdf(1, title="Rules of the harbour"))}
    return client.post("/v1/documents", params={"wait": 100}, files=files).json()


def test_values_of_a_schema_come_with_their_places(client: httpx.Client, job: dict) -> None:
    """Guards against parts that work alone: the guide crosses to the model's replica, its JSON and counts come back."""
    reply = client.post("/v1/extract", json={"job_id": job["id"], "schema": SCHEMA})
    assert reply.status_code == 200, reply.text
    body = reply.json()
    jsonschema.validate(body["data"], SCHEMA)
    assert set(body["fields"]) == set(body["data"])
    assert body["usage"]["completion_tokens"] > 5


def test_a_schema_that_no_model_can_follow_is_refused(client: httpx.Client, job: dict) -> None:
    reply = client.post("/v1/extract", json={"job_id": job["id"], "schema": {"properties": {"a": {"not": {}}}}})
    assert (reply.status_code, reply.json()["code"]) == (422, "invalid_schema")
    assert "/properties/a" in reply.json()["detail"]


def test_openais_client_talks_to_the_server(running: Running) -> None:
    """Errors of the model's replica keep their kind on the way: a prompt that is too long is the caller's."""
    form = {"type": "json_schema", "json_schema": {"name": "x", "schema": SCHEMA | {"additionalProperties": False}}}
    messages = [{"role": "user", "content": "Who keeps the log?"}]
    with openai.OpenAI(base_url=f"{running.url}/v1", api_key="none", max_retries=0, timeout=100) as client:
        name = client.models.list().data[0].id
        completion = client.chat.completions.create(model=name, messages=messages, response_format=form, max_tokens=200)
        jsonschema.validate(json.loads(completion.choices[0].message.content or ""), SCHEMA)
        stream = client.chat.completions.create(model=name, messages=messages, max_tokens=30, stream=True)
        assert len(list(stream)) > 5
        with pytest.raises(openai.UnprocessableEntityError, match="holds"):
            client.completions.create(model=name, prompt="x" * 40_000)


def test_a_client_that_leaves_a_stream_frees_its_decode_slot(running: Running, client: httpx.Client) -> None:
    """Guards against tokens for nobody."""
    with openai.OpenAI(base_url=f"{running.url}/v1", api_key="none", max_retries=0, timeout=100) as own:
        name = own.models.list().data[0].id
        stream = own.completions.create(model=name, prompt="Once", max_tokens=4000, stream=True)
        next(iter(stream))
        stream.close()
    until(lambda: fresh_parts(client)["lm"]["num_running"] == 0)


def test_an_assistant_talks_to_the_server(running: Running, job: dict) -> None:
    """The SDK's sessions live in the lifespan of the application, which Serve runs: without it every call is a 500."""

    async def scenario() -> tuple[set[str], str]:
        async with Client(f"{running.url}/mcp") as assistant:
            names = {tool.name for tool in (await assistant.list_tools()).tools}
            page = await assistant.call_tool("read_page", {"job_id": job["id"], "page": 1})
            return names, page.content[0].text

    names, text = asyncio.run(scenario())
    assert names == {"ingest", "job_status", "search", "read_page", "extract"}
    assert "Rules of the harbour" in text


def test_a_stored_extraction_is_done_by_jobs(client: httpx.Client, job: dict) -> None:
    """Jobs has a handle of its own on the model's deployment."""
    stored = client.post("/v1/extract?wait=100", json={"job_id": job["id"], "schema": SCHEMA})
    assert stored.status_code == 200, stored.text
    assert stored.json()["status"] == "succeeded"
    jsonschema.validate(client.get(stored.json()["links"]["result"]).json()["data"], SCHEMA)
