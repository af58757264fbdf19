"""GET /v1/webhooks/dead: lists events that could not be delivered."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from deployments.calls.cancellable_calls import call
from deployments.ingress.middleware.authorization import Namespace
from deployments.ingress.operations.services import Services
from deployments.values.webhooks import (
    DeadLetter,
)


def router(services: Services) -> APIRouter:
    """GET /v1/webhooks/dead."""
    routes = APIRouter(prefix="/v1/webhooks", tags=["jobs"])

    @routes.get("/dead")
    async def dead(
        namespace: Namespace, limit: Annotated[int, Query(ge=1, le=1000)] = 100
    ) -> dict[str, list[DeadLetter]]:
        """Events that could not be delivered, the newest first, with the last error and the undelivered body."""
        return {"dead": await call(services.jobs.dead_letters.remote(namespace, limit))}

    return routes
