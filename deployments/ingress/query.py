"""POST /v1/query: passages with the pages and boxes that they stand in."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from deployments.calls import call
from deployments.ingress.callers import Namespace
from deployments.ingress.services import Services
from retrieval.passage import Passage


class Query(BaseModel):
    """What is searched, and how many passages are wanted."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    query: str = Field(min_length=1, max_length=10_000)
    k: int = Field(10, ge=1, le=100)


class Answer(BaseModel):
    """The best passages first."""

    passages: list[Passage]


def router(services: Services) -> APIRouter:
    """The route /v1/query."""
    routes = APIRouter(tags=["search"])

    @routes.post("/v1/query")
    async def query(wanted: Query, namespace: Namespace) -> Answer:
        """Passages by vectors and full text, or by full text alone where no embedder is (`/readyz` says which)."""
        found = await call(services.search.query.remote(wanted.query, k=wanted.k, namespace=namespace))
        return Answer(passages=found)

    return routes
