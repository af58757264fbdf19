"""POST /v1/query: searches the index; passages with their pages and boxes, and a generated answer on request."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Literal, Self

from fastapi import APIRouter
from fastapi.sse import format_sse_event
from pydantic import BaseModel, ConfigDict, Field, model_validator
from starlette.responses import Response

from deployments.calls.cancellable_calls import call
from deployments.ingress.errors import ModelNotConfigured
from deployments.ingress.middleware.authorization import Namespace
from deployments.ingress.operations.services import Services
from deployments.ingress.server_sent_events import STREAM_RESPONSES, EventStream, events_of
from retrieval.answers.answer import WrittenAnswer, whole
from retrieval.search.passage import Passage
from retrieval.search.query import CacheNote, Mode, Query, QueryText, Retrieved
from retrieval.search.search_filter import Filter

MAX_CHUNKS = 2_100  # of one answer, neighbours counted: 100 passages with 10 on each side


class Asked(BaseModel):
    """What is searched, where, and what is wanted of it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    query: QueryText
    k: int = Field(10, ge=1, le=100, description="number of passages, or of documents with group_by")
    mode: Mode = Field(
        "hybrid", description="without an embedder, hybrid is full text only; `mode` of the answer shows it"
    )
    filters: Filter = Filter()
    neighbours: int = Field(0, ge=0, le=10, description="chunks before and after each passage")
    group_by: Literal["document"] | None = None
    passages_per_group: int = Field(3, ge=1, le=20)
    cache: Literal["use", "bypass"] = "use"
    answer: bool = Field(False, description="write an answer from the passages, with marks such as [1] that cite them")
    stream: bool = Field(False, description="the answer as server-sent events: `passages`, `token`s, `answer`")

    @model_validator(mode="after")
    def _streams_an_answer(self) -> Self:
        if self.stream and not self.answer:
            raise ValueError("stream needs answer: true")
        return self

    @model_validator(mode="after")
    def _is_bounded(self) -> Self:
        per_document = self.passages_per_group if self.group_by else 1
        num_chunks = self.k * per_document * (1 + 2 * self.neighbours)
        if num_chunks > MAX_CHUNKS:
            raise ValueError(
                f"k, passages_per_group and neighbours allow {num_chunks} chunks, the limit is {MAX_CHUNKS}"
            )
        return self

    def as_query(self) -> Query:
        """Of no namespace yet."""
        return Query(
            text=self.query,
            mode=self.mode,
            k=self.k,
            filter=self.filters,
            neighbours=self.neighbours,
            per_document=self.passages_per_group if self.group_by else None,
        )


class Group(BaseModel):
    """Passages of one document."""

    document_id: str
    score: float  # of the best of them
    passages: list[int]  # places in `passages`, from 0


class Token(BaseModel):
    """A piece of the answer's text."""

    text: str


class Answer(BaseModel):
    """The best passages first; grouped ones stand together, the best document first."""

    passages: list[Passage]
    groups: list[Group] | None = Field(None, description="only with `group_by`")
    mode: Mode = Field(description="mode that was used: `full_text` without an embedder")
    embedder: str | None = Field(description="embedder of the compared vectors; null: none")
    index_version: int
    cache: CacheNote
    timings: dict[str, float] = Field(description="seconds")
    answer: WrittenAnswer | None = Field(default=None, description="only with `answer`")


def router(services: Services) -> APIRouter:
    """The route /v1/query."""
    routes = APIRouter(tags=["search"])

    @routes.post("/v1/query", response_model=Answer, responses=STREAM_RESPONSES)
    async def query(body: Asked, namespace: Namespace) -> Response:
        """Passages by vectors and full text, or by full text alone where no embedder is (`mode` says which)."""
        if body.answer and services.answers is None:
            raise ModelNotConfigured(
                "no language model is configured: set answers.url or lm.model", code="lm_not_configured"
            )
        retrieved: Retrieved = await call(
            services.search.query.remote(
                body.as_query(),
                namespace=namespace,
                bypass_cache=body.cache == "bypass",
            )
        )
        reply = answer(retrieved, grouped=body.group_by is not None)
        if services.answers is not None and body.answer:
            pieces = services.answers.stream(body.query, reply.passages)
            if body.stream:
                return EventStream(_events(reply, pieces))
            reply = reply.model_copy(update={"answer": await whole(pieces)})
        return Response(await asyncio.to_thread(_json, reply), media_type="application/json")

    return routes


async def _events(passages: Answer, pieces: AsyncIterator[str | WrittenAnswer]) -> AsyncIterator[bytes]:
    """`passages` at once, each piece of the text as `token`, then `answer`; at an error of ours `error` instead."""
    yield format_sse_event(event="passages", data_str=await asyncio.to_thread(_json, passages))
    async for event in events_of(pieces, _written, "an answer"):
        yield event


def _json(reply: Answer) -> str:
    """One passage after the other: to convert all at once would keep the interpreter's lock."""
    passages = ",".join(passage.model_dump_json() for passage in reply.passages)
    return f'{{"passages":[{passages}],{reply.model_dump_json(exclude={"passages"})[1:]}'


def _written(piece: str | WrittenAnswer) -> bytes:
    if isinstance(piece, WrittenAnswer):
        return format_sse_event(event="answer", data_str=piece.model_dump_json())
    return format_sse_event(event="token", data_str=Token(text=piece).model_dump_json())


def answer(retrieved: Retrieved, *, grouped: bool) -> Answer:
    """A result in its HTTP form."""
    result = retrieved.result
    return Answer(
        passages=list(result.passages),
        groups=_groups(result.passages) if grouped else None,
        mode=result.mode,
        embedder=result.embedder,
        index_version=result.index_version,
        cache=retrieved.cache,
        timings={name: round(seconds, 6) for name, seconds in retrieved.timings.items()},
    )


def _groups(passages: tuple[Passage, ...]) -> list[Group]:
    groups: dict[str, Group] = {}
    for place, hit in enumerate(passages):
        group = groups.setdefault(hit.document_id, Group(document_id=hit.document_id, score=hit.score, passages=[]))
        group.passages.append(place)
    return list(groups.values())
