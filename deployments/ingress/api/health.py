"""Health probes and version: /livez, /readyz, /ready and /version."""

from __future__ import annotations

import asyncio
import contextlib

from fastapi import APIRouter
from starlette.responses import JSONResponse

from deployments.calls.background_tasks import detached
from deployments.calls.cancellable_calls import call
from deployments.calls.sharded_jobs import owners_of
from deployments.ingress.operations.readiness import PartHandle, Readiness
from deployments.ingress.operations.services import Services
from deployments.values.versions import versions


def router(services: Services) -> APIRouter:
    """The routes /livez, /readyz and /version."""
    routes = APIRouter(tags=["health"])
    parts: dict[str, PartHandle] = {
        **owners_of(services.jobs),
        "pipeline": services.pipeline,
        "renderer": services.renderer,
        "layout": services.layout,
        "ocr": services.ocr,
        "search": services.search,
    }
    if services.lm is not None:
        parts["lm"] = services.lm
    readiness = Readiness(parts, services.running)
    warming: list[asyncio.Task[None]] = []  # one, begun when all parts were ready first

    @routes.get("/livez")
    async def livez() -> dict[str, str]:
        """200 while the ingress answers at all."""
        return {"status": "ok"}

    @routes.get("/ready", tags=["docling"])
    @routes.get("/readyz")
    async def readyz() -> JSONResponse:
        """200 when every part runs; says which models it runs, and whether search has an embedder. One look per second,
        begun at `checked_at`, serves all who ask."""
        checked_at, statuses = await readiness.statuses()
        ready = all(part["status"] == "ready" for part in statuses.values())
        status = "ok" if ready else "starting"
        if ready and not warming:
            warming.append(detached(_warmed(services)))
        return JSONResponse(
            {"status": status, "checked_at": checked_at.isoformat(), "parts": statuses}, 200 if ready else 503
        )

    @routes.get("/version")
    async def version() -> dict[str, str]:
        """Of Pagemill and of what its results depend on."""
        return versions()

    # what watches a server often asks for the status alone
    for path, probe in (("/livez", livez), ("/readyz", readyz), ("/ready", readyz), ("/version", version)):
        routes.add_api_route(path, probe, methods=["HEAD"], include_in_schema=False)
    return routes


async def _warmed(services: Services) -> None:
    """Have the renderer start its children, for which the first document would wait, while nobody waits for them."""
    with contextlib.suppress(Exception):  # they start with the first document then
        await call(services.renderer.warm.remote())
