"""Fetches what a result is made of from Jobs: pages come a few at a time, so that nobody holds all of them as JSON."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from deployments.calls.cancellable_calls import call
from deployments.calls.handles import JobsHandle
from deployments.jobs.results.stored_pages import batches_of
from deployments.values.jobs import Plan
from documents.values import Opened, Page


async def fetched_result(
    jobs: JobsHandle, job_id: str, namespace: str | None = None
) -> tuple[Plan, Opened, list[Page]]:
    """The plan of a job, its opened file and the pages that succeeded. Raises UnknownJob."""
    plan, opened, numbers = await call(jobs.facts.remote(job_id, namespace))
    pages: list[Page] = []
    for some in batches_of(numbers):
        pages += await asyncio.to_thread(_parsed, await call(jobs.page_texts.remote(job_id, some)))
    return plan, opened, pages


def _parsed(texts: Sequence[str]) -> list[Page]:
    return [Page.model_validate_json(text) for text in texts]
