"""POST /retrieval: passages as records of Dify's External Knowledge API."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from deployments.calls.cancellable_calls import call
from deployments.ingress.facades.dify.conditions import MetadataCondition, filter_of
from deployments.ingress.middleware.authorization import Namespace
from deployments.ingress.operations.page_links import page_link, public_address
from deployments.ingress.operations.services import Services
from documents.errors import Refusal
from retrieval.search.passage import Passage
from retrieval.search.query import Query, QueryText, Result, Retrieved

DEFAULT_NUM_RECORDS = 10  # where Dify sends null


class RetrievalSetting(BaseModel):
    """How many records at most, and of which score at the least; null, too, has a meaning."""

    model_config = ConfigDict(frozen=True)

    top_k: int | None = Field(None, ge=1, le=100)
    score_threshold: float | None = Field(None, ge=0, le=1)


class RetrievalRequest(BaseModel):
    """What Dify sends; further fields of later versions are ignored, but not inside of conditions."""

    model_config = ConfigDict(frozen=True)

    knowledge_id: str = Field(max_length=200, description="namespace of the key; `default` without keys")
    query: QueryText
    retrieval_setting: RetrievalSetting
    metadata_condition: MetadataCondition | None = None


class Record(BaseModel):
    """A passage; `metadata` has document_id, file_name, page, page_label, boxes, link and the document's own."""

    content: str
    score: float = Field(ge=0, le=1)
    title: str
    metadata: dict[str, Any]


class Records(BaseModel):
    """The best first."""

    records: list[Record]


class UnknownKnowledge(Refusal):
    """A knowledge id that is not the namespace of the key."""

    status = HTTPStatus.NOT_FOUND
    code = "unknown_knowledge"


def router(services: Services) -> APIRouter:
    """The route /retrieval."""
    routes = APIRouter(tags=["dify"])

    @routes.post("/retrieval", response_model=Records)
    async def retrieval(request: Request, body: RetrievalRequest, namespace: Namespace) -> Response:
        """The passages that answer a query best, with scores from 0 to 1 and links to their places."""
        if body.knowledge_id != namespace:
            raise UnknownKnowledge("the knowledge does not exist: knowledge_id must be the namespace of the key")
        setting = body.retrieval_setting
        query = Query(
            text=body.query, k=setting.top_k or DEFAULT_NUM_RECORDS, filter=filter_of(body.metadata_condition)
        )
        retrieved: Retrieved = await call(services.search.query.remote(query, namespace=namespace))
        address = public_address(services.settings, request.url.netloc)
        reply = await asyncio.to_thread(_json, retrieved.result, setting.score_threshold or 0.0, address)
        return Response(reply, media_type="application/json")

    return routes


def _json(result: Result, min_score: float, address: str) -> str:
    """One record after the other: to convert all at once would keep the interpreter's lock."""
    records = ",".join(record.model_dump_json() for record in _records(result, address) if record.score >= min_score)
    return f'{{"records":[{records}]}}'


def _records(result: Result, address: str) -> Iterator[Record]:
    for passage, score in zip(result.passages, scores_of(result), strict=True):
        title = passage.title or passage.file_name or passage.document_id
        yield Record(content=passage.text, score=score, title=title, metadata=_metadata(passage, address))


def scores_of(result: Result) -> list[float]:
    """From 0 to 1, never rising: Dify sorts records by their scores, and must not undo the ranking.

    Of each passage the cosine of its vector and the query's, or that of a passage ranked below it if that is higher. In
    full-text mode there are no vectors: its BM25 score as a share of the best one.
    """
    if result.mode == "full_text":
        best = max((passage.score for passage in result.passages), default=0.0)
        own = [passage.score / best if best > 0 else 0.0 for passage in result.passages]
    else:
        own = [passage.scores.vector or 0.0 for passage in result.passages]
    scores: list[float] = []
    floor = 0.0
    for score in reversed(own):
        floor = min(max(floor, score), 1.0)
        scores.append(floor)
    return scores[::-1]


def _metadata(passage: Passage, address: str) -> dict[str, Any]:
    """Without null: Dify reads the fields as they are."""
    ours = {
        "document_id": passage.document_id,
        "file_name": passage.file_name,
        "page": passage.page,
        "page_label": passage.page_label or str(passage.page),
        "boxes": [box.model_dump(mode="json") for box in passage.boxes],
        "link": page_link(address, passage.document_id, passage.revision, passage.page, passage.boxes),
    }
    return passage.metadata | {name: value for name, value in ours.items() if value is not None}
