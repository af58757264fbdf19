"""GET /v1/documents, their chunks, and /v1/index: lists what is indexed, and starts a rebuild of the index."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel

from deployments.calls.cancellable_calls import call
from deployments.errors import UnknownDocument
from deployments.ingress.middleware.authorization import Namespace
from deployments.ingress.operations.services import Services
from retrieval.search.passage import IndexedDocument, StoredChunk

Limit = Annotated[int, Query(ge=1, le=1000)]


class Documents(BaseModel):
    """In the order of their ids."""

    documents: list[IndexedDocument]
    next: str | None  # `after` of the page that follows; null: there is none


class Chunks(BaseModel):
    """In the order of the document."""

    chunks: list[StoredChunk]
    next: int | None  # `first` of the page that follows; null: there is none


def router(services: Services) -> APIRouter:
    """GET /v1/documents and their chunks, /v1/index."""
    routes = APIRouter(tags=["search"])

    @routes.get("/v1/documents")
    async def documents(
        namespace: Namespace, after: Annotated[str, Query(max_length=200)] = "", limit: Limit = 100
    ) -> Documents:
        """The documents that search finds; those ingested with `index: false` are known by their jobs alone."""
        entries = await call(services.search.documents.remote(namespace=namespace, after=after, limit=limit + 1))
        listed = entries[:limit]
        return Documents(documents=listed, next=listed[-1].document_id if len(entries) > limit else None)

    @routes.get("/v1/documents/{document_id:path}/chunks")
    async def chunks(
        document_id: Annotated[str, Path(max_length=200)],
        namespace: Namespace,
        first: Annotated[int, Query(ge=0, le=2**31 - 2000)] = 0,
        limit: Limit = 100,
    ) -> Chunks:
        """The chunks of a document as search keeps them, with page, boxes and headings."""
        entries = await call(
            services.search.chunks.remote(document_id, namespace=namespace, first=first, limit=limit + 1)
        )
        if not entries and not first:
            raise UnknownDocument(f"{document_id} in the index")
        return Chunks(chunks=entries[:limit], next=first + limit if len(entries) > limit else None)

    @routes.get("/v1/index")
    async def state() -> dict[str, Any]:
        """Chunks, whose vectors they have, how many have none, and whether the index is being rebuilt."""
        return await call(services.search.state.remote())

    @routes.post("/v1/index/rebuild", status_code=202)
    async def rebuild() -> dict[str, Any]:
        """Begin to embed every chunk that has no vector of the present model; search by text goes on meanwhile."""
        return await call(services.search.rebuild.remote())

    return routes
