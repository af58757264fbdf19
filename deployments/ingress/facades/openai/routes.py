"""OpenAI's API: /v1/chat/completions, /v1/completions, /v1/embeddings and /v1/models."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from batching import SamplingParams
from deployments.calls.cancellable_calls import call
from deployments.calls.handles import LmHandle
from deployments.calls.remote_method import Response as PendingResponse
from deployments.ingress.errors import ModelNotConfigured, UnknownModel, UnknownOption
from deployments.ingress.facades.openai.images import MAX_PICTURES, picture_source
from deployments.ingress.facades.openai.requests import ChatBody, CompletionBody, EmbeddingBody, Sampling
from deployments.ingress.facades.openai.responses import Writing, pieces_of
from deployments.ingress.middleware.authorization import Namespace
from deployments.ingress.operations.services import Services
from deployments.values.completions import LmRequest, Turn
from deployments.writers.json_writers import lm_name
from retrieval.chunking.chunk_size import counter_for
from retrieval.embedding.embedder import Embedder
from retrieval.embedding.embedder_weights import name_of


def router(services: Services) -> APIRouter:
    """The routes; a model that a call names must be the one that is served."""
    routes = APIRouter(prefix="/v1", tags=["openai"])

    @routes.post("/chat/completions", responses=TEXT)
    async def chat(body: ChatBody, namespace: Namespace) -> Response:
        """What the model says next in a conversation, whole or streamed; with `response_format` JSON of a schema. An
        image-text model takes pictures, too; they stand before the text of their message."""
        lm = _lm(services, body.model)
        guide = _checked(lambda: None if body.response_format is None else body.response_format.guide())
        sampling = _sampling(body, body.max_completion_tokens or body.max_tokens, guide)
        if guide is not None:
            async with services.schema_slots.slot(namespace):
                await services.schema_check.guides([guide])
        writing = Writing("chat.completion", body.model)
        async with contextlib.AsyncExitStack() as staged:  # the files of the pictures
            turns, pictures = await _turns(services, body, namespace, staged)
            return await _written(writing, lm, LmRequest(turns=turns, sampling=sampling), body, pictures)

    @routes.post("/completions", responses=TEXT)
    async def completions(body: CompletionBody) -> Response:
        """What follows on a text."""
        lm = _lm(services, body.model)
        request = LmRequest(prompt=body.prompt, sampling=_sampling(body, body.max_tokens, None))
        return await _written(Writing("text_completion", body.model), lm, request, body)

    _add_embeddings(routes, services)
    return routes


def _add_embeddings(routes: APIRouter, services: Services) -> None:
    """/v1/embeddings, and /v1/models with both kinds of model."""
    settings = services.settings
    folder = Embedder.find(settings.embedder.model)
    embedder_name = None if folder is None else name_of(folder)
    counter = counter_for(folder)

    @routes.post("/embeddings")
    async def embeddings(body: EmbeddingBody) -> Response:
        """A vector for each text, as documents are indexed with; of unit length."""
        if embedder_name is None or services.embedder is None:
            raise ModelNotConfigured("no embedder is configured: set embedder.model")
        if body.model != embedder_name:
            raise UnknownModel(f"there is no embedder {body.model!r}; the one here is {embedder_name!r}")
        counts = await asyncio.to_thread(lambda: [counter.count(text) for text in body.texts])
        if max(counts) > counter.max_tokens:
            raise UnknownOption(f"input: a text has {max(counts)} tokens, the embedder sees {counter.max_tokens}")
        vectors = await call(services.embedder.embed.remote(body.texts))
        assert vectors is not None  # a model is set
        content = await asyncio.to_thread(_embedding_list, vectors.values, body, sum(counts))
        return Response(content, media_type="application/json")

    @routes.get("/models")
    async def models() -> dict[str, Any]:
        """The language model and the embedder that are served here, by the names that the other calls take."""
        names = [lm_name(settings)] if services.lm is not None else []
        names += [embedder_name] if embedder_name is not None and services.embedder is not None else []
        return {"object": "list", "data": [_model(name) for name in names]}

    @routes.get("/models/{name:path}")
    async def model(name: str) -> dict[str, Any]:
        """One of them."""
        for entry in (await models())["data"]:
            if entry["id"] == name:
                return entry
        raise UnknownModel(f"there is no model {name!r}")


TEXT: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {
            "application/json": {"schema": {"type": "object"}},
            "text/event-stream": {"schema": {"type": "string"}},
        }
    }
}


async def _turns(
    services: Services, body: ChatBody, namespace: str, staged: contextlib.AsyncExitStack
) -> tuple[tuple[Turn, ...], list[PendingResponse[Any]]]:
    """The conversation, and its pictures in order on their way from Renderer."""
    if sum(len(message.pictures) for message in body.messages) > MAX_PICTURES:
        raise UnknownOption(f"messages: at most {MAX_PICTURES} pictures")
    turns: list[Turn] = []
    for message in body.messages:
        role = "system" if message.role == "developer" else message.role
        turns.append(Turn(role, message.text, len(message.pictures)))
    urls = [url for message in body.messages for url in message.pictures]
    sources = [await picture_source(services, url, namespace, staged) for url in urls]
    return tuple(turns), [services.renderer.picture.remote(source, 1) for source in sources]


async def _written(
    writing: Writing, lm: LmHandle, request: LmRequest, body: Sampling, pictures: Sequence[PendingResponse[Any]] = ()
) -> Response:
    pieces = pieces_of(lm, request, pictures)
    if not body.stream:
        return await writing.whole(pieces)
    return await writing.streamed(pieces, body.stream_options is not None and body.stream_options.include_usage)


def _lm(services: Services, name: str) -> LmHandle:
    if services.lm is None:
        raise ModelNotConfigured("no language model is configured: set lm.model")
    own = lm_name(services.settings)
    if name != own:
        raise UnknownModel(f"there is no language model {name!r}; the one here is {own!r}")
    return services.lm


def _sampling(body: Sampling, max_tokens: int | None, guide: Any) -> SamplingParams:
    return _checked(lambda: body.sampling(max_tokens, guide))


def _checked(make: Any) -> Any:
    """What `make` makes; what it finds wrong is the caller's."""
    try:
        return make()
    except ValueError as error:
        raise UnknownOption(str(error)) from None
    except RecursionError:
        raise UnknownOption("response_format: the schema is nested too deeply") from None


def _embedding_list(vectors: Any, body: EmbeddingBody, num_tokens: int) -> str:
    """The answer in JSON, one vector after the other: to convert all at once would keep the interpreter's lock."""
    data = (
        json.dumps({"object": "embedding", "index": index, "embedding": _vector(row, body.encoding_format)})
        for index, row in enumerate(vectors)
    )
    rest = {"object": "list", "model": body.model, "usage": {"prompt_tokens": num_tokens, "total_tokens": num_tokens}}
    return f'{json.dumps(rest)[:-1]}, "data": [{", ".join(data)}]}}'


def _vector(row: Any, form: str) -> list[float] | str:
    if form == "base64":
        return base64.b64encode(row.astype("<f4").tobytes()).decode()
    return row.tolist()


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": "pagemill"}
