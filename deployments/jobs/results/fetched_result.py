"""Fetches what a result is made of from Jobs: pages come a few at a time, so that nobody holds all of them as JSON."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import cast

from deployments.calls.cancellable_calls import stream
from deployments.calls.handles import JobsHandle
from deployments.values.jobs import Plan
from documents.values import Opened, Page


async def fetched_result(
    jobs: JobsHandle, job_id: str, namespace: str | None = None
) -> tuple[Plan, Opened, list[Page]]:
    """What was to be done, what opening the file told, and the pages that succeeded. Raises UnknownJob."""
    pages: list[Page] = []
    async with stream(jobs.options(stream=True).facts.remote(job_id, namespace)) as parts:
        items = aiter(parts)
        plan, opened = cast("tuple[Plan, Opened]", await anext(items))
        async for texts in items:
            pages += await asyncio.to_thread(_parsed, cast("Sequence[str]", texts))
    return plan, opened, pages


def _parsed(texts: Sequence[str]) -> list[Page]:
    return [Page.model_validate_json(text) for text in texts]
