"""Registers all of docling-serve's paths that are answered here, under /v1 and /v1alpha."""

from __future__ import annotations

from fastapi import APIRouter

from deployments.ingress.facades.docling import chunking, clear_results, convert, task_routes
from deployments.ingress.facades.docling.task_execution import TaskExecution
from deployments.ingress.operations.services import Services
from retrieval.chunking.chunk_size import counter_for
from retrieval.embedding.embedder import Embedder

VERSIONS = ("/v1", "/v1alpha")  # docling-serve's own and its first one


def router(services: Services) -> APIRouter:
    """/v1/convert, /v1/chunk, /v1/status, /v1/result, /v1/clear and /health."""
    routes = APIRouter()
    counter = counter_for(Embedder.find(services.settings.embedder.model))
    work = TaskExecution(services, counter)
    for version in VERSIONS:
        routes.include_router(convert.router(services, work), prefix=version)
        routes.include_router(task_routes.router(services, work), prefix=version)
    routes.include_router(chunking.router(services, work))
    routes.include_router(clear_results.router(services))

    @routes.head("/health", include_in_schema=False)
    @routes.get("/health", tags=["docling"])
    async def health() -> dict[str, str]:
        """200 while the ingress answers at all; `/readyz` says more."""
        return {"status": "ok"}

    return routes
