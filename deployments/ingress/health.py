"""Whether the server lives, whether it is ready, and what it is."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter
from ray.serve.handle import DeploymentHandle
from starlette.responses import JSONResponse

from deployments.calls import call
from deployments.ingress.services import Services
from deployments.versions import versions

READY_S = 5  # a part that does not answer in this time is not ready


def router(services: Services) -> APIRouter:
    """The routes /livez, /readyz and /version."""
    routes = APIRouter(tags=["health"])
    parts: dict[str, DeploymentHandle] = {
        "jobs": services.jobs,
        "pipeline": services.pipeline,
        "renderer": services.renderer,
        "layout": services.layout,
        "ocr": services.ocr,
        "search": services.search,
    } | ({} if services.lm is None else {"lm": services.lm})

    @routes.get("/livez")
    async def livez() -> dict[str, str]:
        """200 while the ingress answers at all."""
        return {"status": "alive"}

    @routes.get("/readyz")
    async def readyz() -> JSONResponse:
        """200 when every part answers; says which models it runs, and whether search has an embedder."""
        told = await asyncio.gather(*(_told(part) for part in parts.values()))
        body = dict(zip(parts, told, strict=True))
        ready = all(part["status"] == "ready" for part in told)
        status = "ready" if ready else "starting"
        return JSONResponse({"status": status, "parts": body}, 200 if ready else 503)

    @routes.get("/version")
    async def version() -> dict[str, str]:
        """Of Pagemill and of what its results depend on."""
        return versions()

    return routes


async def _told(part: DeploymentHandle) -> dict[str, Any]:
    try:
        async with asyncio.timeout(READY_S):
            return {"status": "ready", **await call(part.about.remote())}
    except Exception as error:
        return {"status": "not ready", "reason": type(error).__name__}
