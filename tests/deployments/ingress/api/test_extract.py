"""POST /v1/extract over real jobs and pages: by our own model of random weights, and by a scripted one over HTTP."""

import json

import httpx
import jsonschema
import pymupdf
import pytest

from configs.api_keys import KeyEntry, hash_of
from deployments.ingress.operations.callers import KeyRing
from tests.deployments.ingress.scripted_model import Script, scripted_model
from tests.deployments.lm_making import save_lm
from tests.web.house import house

SCHEMA = {
    "type": "object",
    "properties": {
        "seller": {"type": "string", "maxLength": 40},
        "date": {"type": "string", "format": "date"},
        "total": {"type": "number"},
    },
    "required": ["seller", "total"],
}
LINES = ("Harbour Supplies Ltd", "Invoice date: 3 March 2024", "2 lamps 620.25", "Total: 1,240.50 EUR")
SAID = {"seller": "Harbour Supplies Ltd", "date": "2024-03-03", "total": 1240.5}
KEYS = [
    KeyEntry(name=name, namespace=name, roles=frozenset({"ingest", "query"}), sha256=hash_of(name))
    for name in ("mine", "theirs")
] + [KeyEntry(name="feeder", namespace="mine", roles=frozenset({"ingest"}), sha256=hash_of("feeder"))]


def invoice(num_pages=1):
    document = pymupdf.open()
    for _ in range(num_pages):
        page = document.new_page(width=595, height=842)
        for at, text in enumerate(LINES):
            page.insert_text((72, 100 + 60 * at), text, fontsize=11)
    return document.tobytes(no_new_id=True)


class Server:
    def __init__(self, house, script=None):
        self.house, self.script = house, script
        self.client = httpx.Client(base_url=house.url, headers={"X-API-Key": "mine"}, timeout=60, trust_env=False)

    def ingest(self, content, num_pages=1):
        self.house.let_pages(num_pages)
        job = self.client.post("/v1/documents?wait=60", files={"file": ("a.pdf", content)}).json()
        assert job["status"] == "succeeded"
        return job

    def extract(self, key="mine", **options):
        return self.client.post("/v1/extract", json={"schema": SCHEMA} | options, headers={"X-API-Key": key})


@pytest.fixture(scope="module")
def scripted(tmp_path_factory):
    """A server that asks a model elsewhere, with a folder of schemas."""
    folder = tmp_path_factory.mktemp("data")
    schemas = tmp_path_factory.mktemp("schemas")
    (schemas / "invoice.json").write_text(json.dumps(SCHEMA))
    (schemas / "broken.json").write_text("{")
    with scripted_model(Script(lambda _: json.dumps(SAID))) as script:
        answers = {"url": script.url, "model": "tester"}
        with house(folder, KeyRing(KEYS), answers=answers, extract={"schemas": str(schemas)}) as served:
            server = Server(served, script)
            server.job = server.ingest(invoice())
            yield server
            server.client.close()


@pytest.fixture
def server(scripted):
    """Its model says the right values again."""
    scripted.script.say, scripted.script.finish_reason = lambda _: json.dumps(SAID), "stop"
    scripted.script.asked.clear()
    return scripted


def test_each_value_comes_with_the_place_where_it_is_printed(server):
    reply = server.extract(job_id=server.job["id"])
    body = reply.json()
    assert (reply.status_code, body["data"], body["num_unplaced"], body["model"]) == (200, SAID, 0, "tester")
    assert (body["document_id"], body["job_id"], body["pages"]) == (server.job["document_id"], server.job["id"], [1])
    total = body["fields"]["total"]
    assert (total["value"], total["match"], total["page"], total["source_text"]) == (
        1240.5,
        "normalised",
        1,
        "1,240.50",
    )
    (box,) = total["boxes"]
    assert 260 < (box["y0"] + box["y1"]) / 2 < 285
    assert box["x0"] > 90, "the label before it is no part of the value"
    assert body["fields"]["date"]["source_text"] == "3 March 2024"
    assert body["fields"]["seller"]["match"] == "exact"
    (request,) = server.script.asked
    assert request["response_format"]["json_schema"]["schema"]["required"] == ["seller", "date", "total"]
    assert LINES[3] in request["messages"][-1]["content"]


def test_what_the_model_made_up_is_marked_and_has_no_box(server):
    server.script.say = lambda _: json.dumps(SAID | {"total": 99.0, "date": None})
    body = server.extract(document_id=server.job["document_id"]).json()
    assert body["data"] == {"seller": "Harbour Supplies Ltd", "total": 99.0}
    assert (body["fields"]["total"]["match"], body["fields"]["total"]["boxes"]) == ("none", [])
    assert body["num_unplaced"] == 1


def test_a_schema_may_be_named_in_the_settings(server):
    assert server.extract(job_id=server.job["id"], schema="invoice").json()["data"] == SAID


def test_only_the_chosen_pages_are_looked_at(server):
    job = server.ingest(invoice(3), 3)
    body = server.extract(job_id=job["id"], pages="2-3").json()
    assert (body["pages"], body["fields"]["total"]["page"], body["fields"]["total"]["num_places"]) == ([2, 3], 2, 2)


def test_a_stream_tells_of_each_call_and_ends_with_the_result(server):
    reply = server.extract(job_id=server.job["id"], stream=True)
    kinds = [line.removeprefix("event: ") for line in reply.text.splitlines() if line.startswith("event: ")]
    bodies = [json.loads(line[6:]) for line in reply.text.splitlines() if line.startswith("data: ")]
    assert kinds == ["progress", "result"]
    assert bodies[0] == {"done": 1, "total": 1}
    assert bodies[1]["data"] == SAID


def test_an_error_in_a_stream_is_the_problem_that_it_would_be_without(server):
    server.script.say = lambda _: "Sure!"
    reply = server.extract(job_id=server.job["id"], stream=True)
    assert reply.text.splitlines()[0] == "event: error"
    assert json.loads(reply.text.splitlines()[1][6:])["code"] == "writer_invalid_json"


@pytest.mark.parametrize(
    ("options", "status", "code", "detail"),
    [
        (
            {"schema": {"type": "object", "properties": {"a": {"type": "strin"}}}},
            422,
            "invalid_schema",
            "/properties/a",
        ),
        ({"schema": {"type": "array", "uniqueItems": True}}, 422, "invalid_schema", "uniqueItems"),
        ({"schema": {"$ref": "http://127.0.0.1:1/x"}}, 422, "invalid_schema", "its root"),
        ({"schema": {"description": "x" * 200_001}}, 422, "invalid_schema", "200000"),
        ({"schema": "nowhere"}, 422, "invalid_schema", "extract.schemas"),
        ({"schema": "broken"}, 422, "invalid_schema", "not JSON"),
        ({"schema": "../etc"}, 422, "invalid_parameter", "schema"),
        ({"schema": 5}, 422, "invalid_parameter", "schema"),
        ({"document_id": "both"}, 422, "invalid_parameter", "exactly one"),
        ({"job_id": None, "document_id": "not-there"}, 404, "not_found", "not-there"),
        ({"job_id": "not-there"}, 404, "not_found", "not-there"),
        ({"pages": "x"}, 422, "invalid_option", "pages"),
        ({"pages": "7"}, 422, "invalid_option", "none of 7"),
        ({"model": "other"}, 404, "model_not_found", "tester"),
        ({"key": "theirs"}, 404, "not_found", "no job"),
        ({"key": "feeder"}, 403, "forbidden", "role"),
    ],
)
def test_what_is_asked_wrongly_is_refused_by_name_and_no_model_is_asked(options, status, code, detail, server):
    reply = server.extract(**{"job_id": server.job["id"]} | options)
    assert (reply.status_code, reply.json()["code"]) == (status, code), reply.text
    assert detail in reply.json()["detail"]
    assert server.script.asked == []


def test_a_document_that_is_not_read_yet_is_409(server):
    job = server.client.post("/v1/documents", files={"file": ("b.pdf", invoice(2))}).json()
    reply = server.extract(job_id=job["id"])
    assert (reply.status_code, reply.json()["code"]) == (409, "not_ready")
    server.house.let_pages(2)
    assert server.client.get(f"/v1/jobs/{job['id']}?wait=60").json()["status"] == "succeeded"


@pytest.mark.parametrize(
    ("output", "reason", "code"),
    [
        ("no json", "stop", "writer_invalid_json"),
        (json.dumps({"seller": "x"}), "stop", "writer_invalid_json"),
        (json.dumps(SAID)[:-9], "length", "writer_cut"),
    ],
)
def test_a_model_elsewhere_that_does_not_keep_to_the_schema_is_found_out(output, reason, code, server):
    """Not every compatible server honours `response_format`."""
    server.script.say, server.script.finish_reason = lambda _: output, reason
    reply = server.extract(job_id=server.job["id"])
    assert (reply.status_code, reply.json()["code"]) == (502, code)


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """A server without a model."""
    with house(tmp_path_factory.mktemp("bare")) as served:
        server = Server(served)
        yield server
        server.client.close()


def test_without_a_model_that_is_said(bare):
    reply = bare.extract(job_id="any")
    assert (reply.status_code, reply.json()["code"]) == (503, "no_model")
    assert "lm.model" in reply.json()["detail"]
    assert "retry-after" not in reply.headers


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A server with a model of its own, of random weights."""
    folder = save_lm(tmp_path_factory.mktemp("lm"), context=8192)
    lm = {"model": str(folder), "num_blocks": 500}
    with house(tmp_path_factory.mktemp("own"), lm=lm, extract={"max_tokens": 400}) as served:
        server = Server(served)
        server.job = server.ingest(invoice())
        yield server
        server.client.close()


def test_our_own_model_writes_what_the_schema_allows_whatever_its_weights(own):
    """Noise in the right form: every value is marked as standing nowhere."""
    schema = {
        "type": "object",
        "properties": {
            "seller": {"type": "string", "pattern": "^[a-z]{4,9}$"},
            "date": {"type": "string", "format": "date"},
            "kind": {"enum": ["invoice", "receipt"]},
            "total": {"type": "integer", "minimum": 100, "maximum": 99999},
        },
        "required": ["seller", "kind", "total"],
    }
    body = own.extract(job_id=own.job["id"], schema=schema).json()
    jsonschema.validate(body["data"], schema)
    assert body["usage"]["completion_tokens"] > 20
    assert body["usage"]["prompt_tokens"] > sum(map(len, LINES))
    assert body["num_unplaced"] == len([value for value in body["fields"].values() if value["match"] == "none"])


def test_what_the_model_has_no_tokens_for_is_said(own):
    reply = own.extract(
        job_id=own.job["id"],
        schema={"type": "object", "properties": {"a": {"type": "string", "minLength": 900}}, "required": ["a"]},
    )
    assert (reply.status_code, reply.json()["code"]) == (502, "writer_cut")
    assert "400 tokens" in reply.json()["detail"]


def test_a_prompt_over_the_context_is_422_with_both_numbers(own):
    reply = own.extract(job_id=own.job["id"], schema={"description": "long " * 1700, "type": "object"})
    assert (reply.status_code, reply.json()["code"]) == (422, "prompt_refused")
    assert "holds 8" in reply.json()["detail"]
