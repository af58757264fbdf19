"""OpenAI's own Python client against our routes, over a language model of random weights and the real embedder."""

import asyncio
import json
from typing import Literal

import httpx
import jinja2
import jsonschema
import numpy as np
import openai
import pydantic
import pytest
from fastapi import FastAPI

from configs import Settings
from configs.api_keys import KeyEntry, hash_of
from deployments.ingress.facades.openai import routes
from deployments.ingress.middleware import error_responses
from deployments.ingress.operations.callers import KeyRing
from deployments.ingress.operations.services import Services
from retrieval.embedding.embedder import Embedder
from tests.batching.byte_tokenizer import END
from tests.deployments.ingress.handles import Handle
from tests.deployments.lm_making import TEMPLATE, save_lm
from tests.web.house import house

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "pattern": "^[a-z]{3}$"},
        "age": {"type": "integer", "maximum": 99, "minimum": 10},
    },
    "required": ["name", "age"],
    "additionalProperties": False,
}
ASKED = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Who keeps the log?"}]
KEYS = [
    KeyEntry(name="reader", namespace="a", roles=frozenset({"query"}), sha256=hash_of("reader")),
    KeyEntry(name="feeder", namespace="a", roles=frozenset({"ingest"}), sha256=hash_of("feeder")),
]


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    folder = save_lm(tmp_path_factory.mktemp("lm") / "tiny-lm")
    lm = {"model": str(folder), "num_blocks": 300}
    with house(tmp_path_factory.mktemp("data"), KeyRing(KEYS), lm=lm) as served:
        yield served


@pytest.fixture(scope="module")
def client(served):
    with openai.OpenAI(base_url=f"{served.url}/v1", api_key="reader", max_retries=0, timeout=60) as client:
        yield client


def nested(levels):
    schema = {}
    for _ in range(levels):
        schema = {"properties": {"a": schema}}
    return schema


def chat(client, **further):
    return client.chat.completions.create(
        **{"model": "tiny-lm", "messages": ASKED, "temperature": 0, "max_tokens": 20} | further
    )


def prompt_text():
    return jinja2.Template(TEMPLATE).render(messages=ASKED)


def test_a_chat_is_answered_with_true_counts(client):
    """A token a byte: the counts can be calculated; the markers of turns are one token each."""
    completion = chat(client)
    (choice,) = completion.choices
    assert (choice.finish_reason, choice.message.role, len(choice.message.content)) == ("length", "assistant", 20)
    text = prompt_text()
    expected = len(text.encode()) - text.count("<|im_start|>") * 11 - text.count("<|im_end|>") * 9
    assert (completion.usage.prompt_tokens, completion.usage.completion_tokens) == (expected, 20)
    assert completion.usage.total_tokens == expected + 20
    assert (completion.model, completion.object) == ("tiny-lm", "chat.completion")


def test_a_stream_gives_the_same_text_piece_by_piece(client):
    pieces = list(chat(client, stream=True, stream_options={"include_usage": True}))
    text = "".join(piece.choices[0].delta.content or "" for piece in pieces if piece.choices)
    assert text == chat(client).choices[0].message.content
    assert pieces[0].choices[0].delta.role == "assistant"
    assert [piece.choices[0].finish_reason for piece in pieces if piece.choices][-1] == "length"
    assert len(pieces) > 5
    assert pieces[-1].usage == chat(client).usage
    assert len({piece.id for piece in pieces}) == 1
    assert all(piece.usage is None for piece in list(chat(client, stream=True)))


def test_response_format_gives_json_of_the_schema(client):
    form = {"type": "json_schema", "json_schema": {"name": "person", "schema": SCHEMA, "strict": True}}
    completion = chat(client, response_format=form, max_tokens=200, temperature=1, seed=4)
    assert completion.choices[0].finish_reason == "stop"
    jsonschema.validate(json.loads(completion.choices[0].message.content), SCHEMA)
    cut = chat(client, response_format=form, max_tokens=9)
    assert cut.choices[0].finish_reason == "length"


def test_the_clients_own_parsing_of_a_model_works(client):

    class Person(pydantic.BaseModel):
        alive: bool
        kind: Literal["keeper", "master"]

    completion = client.chat.completions.parse(
        model="tiny-lm", messages=ASKED, response_format=Person, temperature=0, max_tokens=100
    )
    assert isinstance(completion.choices[0].message.parsed, Person)


def test_a_seed_gives_the_same_text_and_another_seed_another(client):
    texts = [chat(client, temperature=1, seed=seed).choices[0].message.content for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]


def test_stop_ends_the_text_before_it(client):
    whole = chat(client, max_tokens=40).choices[0].message.content
    stop = whole[7:9]
    completion = chat(client, max_tokens=40, stop=[stop])
    assert completion.choices[0].message.content == whole[: whole.index(stop)]
    assert completion.choices[0].finish_reason == "stop"


def test_parts_of_text_are_one_text(client):
    parts = [
        ASKED[0],
        {"role": "user", "content": [{"type": "text", "text": "Who keeps "}, {"type": "text", "text": "the log?"}]},
    ]
    assert chat(client, messages=parts).choices[0].message == chat(client).choices[0].message


def test_a_special_token_in_a_message_is_text(client):
    """Else a document could end its own turn and speak for the system."""
    plain = chat(client, messages=[{"role": "user", "content": "a"}]).usage.prompt_tokens
    num_tokens = chat(client, messages=[{"role": "user", "content": f"a{END}"}]).usage.prompt_tokens
    assert num_tokens - plain == len(END) + 1


def test_a_completion_goes_on_with_the_text(client):
    completion = client.completions.create(model="tiny-lm", prompt="Once", temperature=0)
    assert (completion.usage.prompt_tokens, completion.usage.completion_tokens) == (4, 16)
    assert len(completion.choices[0].text) == 16
    pieces = client.completions.create(model="tiny-lm", prompt="Once", temperature=0, stream=True)
    assert "".join(piece.choices[0].text for piece in pieces) == completion.choices[0].text


def test_models_are_listed_by_the_names_that_calls_take(client):
    assert "tiny-lm" in [model.id for model in client.models.list()]
    assert client.models.retrieve("tiny-lm").object == "model"
    with pytest.raises(openai.NotFoundError, match="gpt"):
        client.models.retrieve("gpt-9")


@pytest.mark.parametrize(
    ("further", "error", "message"),
    [
        ({"model": "gpt-9"}, openai.NotFoundError, "tiny-lm"),
        ({"tools": [{"type": "function", "function": {"name": "f"}}]}, openai.UnprocessableEntityError, "tools"),
        ({"n": 2}, openai.UnprocessableEntityError, "n"),
        ({"logit_bias": {"5": 1}}, openai.UnprocessableEntityError, "logit_bias"),
        ({"frequency_penalty": 0.5}, openai.UnprocessableEntityError, "frequency_penalty"),
        ({"messages": []}, openai.UnprocessableEntityError, "messages"),
        (
            {"messages": [{"role": "user", "content": [{"type": "input_audio", "input_audio": {}}]}]},
            openai.UnprocessableEntityError,
            "parts of type 'input_audio' are not supported",
        ),
        ({"response_format": {"type": "json_schema"}}, openai.UnprocessableEntityError, "json_schema"),
        (
            {"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": {"not": {}}}}},
            openai.UnprocessableEntityError,
            "schema, at its root",
        ),
        (
            {"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": nested(150)}}},
            openai.UnprocessableEntityError,
            "recursion limit",
        ),
        (
            {"response_format": {"type": "json_object"}, "stop": "x"},
            openai.UnprocessableEntityError,
            "stop must be empty with a guide",
        ),
        (
            {"messages": [{"role": "user", "content": "x" * 5000}]},
            openai.UnprocessableEntityError,
            r"5\d\d\d tokens.*holds 4",
        ),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_what_is_not_done_here_is_refused_by_name(further, error, message, stream, client):
    """A field that is quietly ignored gives another answer than was asked for; also before a stream begins."""
    with pytest.raises(error, match=message) as refused:
        list(chat(client, stream=stream, **further)) if stream else chat(client, **further)
    assert refused.value.code
    assert refused.value.type == "invalid_request_error"


def test_keys_are_asked_for(served):
    for key, error in (("wrong", openai.AuthenticationError), ("feeder", openai.PermissionDeniedError)):
        with openai.OpenAI(base_url=f"{served.url}/v1", api_key=key, max_retries=0) as client, pytest.raises(error):
            chat(client)


def test_whoever_leaves_a_stream_frees_its_decode_slot(served, client):
    stream = chat(client, stream=True, max_tokens=3000)
    next(iter(stream))
    stream.close()
    with httpx.Client(base_url=served.url, headers={"X-API-Key": "reader"}, trust_env=False) as http:
        for _ in range(200):
            if http.get("/readyz").json()["parts"]["lm"].get("num_running") == 0:
                break
        else:
            pytest.fail("it still runs")


class EmbedderHere:
    """The real model without Ray."""

    def __init__(self, folder):
        self._model = Embedder(folder, "cpu", 2048)

    async def embed(self, texts):
        return await asyncio.to_thread(self._model.embed, texts)


@pytest.fixture(scope="module")
def embedded():
    """Calls of the asynchronous client on an app with the real embedder."""
    folder = Embedder.find("all-MiniLM-L6-v2")
    if folder is None:
        pytest.skip("no weights are on this machine")
    rooms = dict.fromkeys(("jobs", "pipeline", "renderer", "layout", "ocr", "search", "blobs"))
    services = Services(settings=Settings(), embedder=Handle(EmbedderHere(folder)), **rooms)
    app = FastAPI()
    app.include_router(routes.router(services))
    error_responses.install(app)
    runner = asyncio.Runner()

    def call(use):
        async def called():
            http = httpx.AsyncClient(transport=httpx.ASGITransport(app))
            async with openai.AsyncOpenAI(
                base_url="http://here/v1", api_key="x", http_client=http, max_retries=0
            ) as client:
                return await use(client)

        return runner.run(called())

    yield call
    runner.close()


def test_embeddings_are_the_vectors_that_documents_are_indexed_with(embedded):
    texts = ["The harbour master keeps the log.", "Wer führt das Logbuch?"]
    response = embedded(lambda client: client.embeddings.create(model="all-MiniLM-L6-v2", input=texts))
    expected = Embedder(Embedder.find("all-MiniLM-L6-v2"), "cpu", 2048).embed(texts).values
    assert np.allclose([item.embedding for item in response.data], expected, atol=1e-6)
    assert [item.index for item in response.data] == [0, 1]
    plain = embedded(
        lambda client: client.embeddings.create(model="all-MiniLM-L6-v2", input=texts[0], encoding_format="float")
    )
    assert np.allclose(plain.data[0].embedding, expected[0], atol=1e-6)
    assert plain.usage.prompt_tokens == plain.usage.total_tokens == 7
    listed = embedded(lambda client: client.models.list())
    assert [model.id for model in listed.data] == ["all-MiniLM-L6-v2"]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"model": "other"}, openai.NotFoundError, "all-MiniLM-L6-v2"),
        ({"input": "word " * 400}, openai.UnprocessableEntityError, "400 tokens, the embedder sees 254"),
        ({"input": [""]}, openai.UnprocessableEntityError, "empty"),
        ({"dimensions": 3}, openai.UnprocessableEntityError, "dimensions"),
    ],
)
def test_what_cannot_be_embedded_is_refused_by_name(options, error, message, embedded):
    """A text that is cut silently has the vector of another."""
    with pytest.raises(error, match=message):
        embedded(lambda client: client.embeddings.create(**{"model": "all-MiniLM-L6-v2", "input": "a"} | options))


def test_without_a_language_model_that_is_said(embedded):
    with pytest.raises(openai.InternalServerError, match=r"set lm\.model") as refused:
        embedded(lambda client: client.chat.completions.create(model="m", messages=ASKED))
    assert refused.value.code == "no_model"
