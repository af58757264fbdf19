"""/v1/clear of docling-serve: deletes old results of conversions."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Annotated

from fastapi import APIRouter, Query

from deployments.calls.cancellable_calls import call
from deployments.errors import UnknownDocument
from deployments.ingress.middleware.authorization import Namespace
from deployments.ingress.operations.conversions import DOCUMENT_PREFIX
from deployments.ingress.operations.services import Services

# matched in full: a caller may choose a similar document id
DOCUMENT_ID_PATTERN = re.compile(rf"{DOCUMENT_PREFIX}[0-9a-f]{{32}}")
MAX_AGE_S = 10 * 365 * 86_400


def router(services: Services) -> APIRouter:
    """The routes /v1/clear/results and /v1/clear/converters."""
    routes = APIRouter(prefix="/v1/clear", tags=["docling"])

    @routes.get("/results")
    async def results(
        namespace: Namespace, older_then: Annotated[float, Query(ge=0, le=MAX_AGE_S, description="seconds")] = 3600
    ) -> dict[str, str]:
        """Remove the caller's conversions that ended so long ago; documents that were ingested stay."""
        before = datetime.now(UTC) - timedelta(seconds=older_then)
        document_ids = await call(services.jobs.documents_older_than.remote(before, namespace))
        failures: list[Exception] = []
        for document_id in filter(DOCUMENT_ID_PATTERN.fullmatch, document_ids):
            try:
                await call(services.jobs.forget.remote(document_id, namespace))
            except UnknownDocument:  # another call removes it, too
                continue
            except Exception as error:  # the others go all the same
                failures.append(error)
        if failures:
            raise failures[0]
        return {"status": "ok"}

    @routes.get("/converters")
    async def converters() -> dict[str, str]:
        """Nothing to do: models are shared by all calls, and hold nothing of one."""
        return {"status": "ok"}

    return routes
