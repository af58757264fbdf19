"""`deployments.jobs.pipeline_calls`: what Pipeline is asked for of a page."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from deployments.jobs.metrics import JobMetrics
from deployments.jobs.pipeline_calls import GraphWork
from deployments.storage.blobs import BlobStore
from deployments.values.jobs import Options, Plan
from deployments.values.page_job import PageJob
from documents.values import Page
from tests.deployments.ingress.handles import Handle


class Asked:
    """Keeps what it was asked for."""

    job: PageJob

    async def page(self, job: PageJob) -> tuple[Page, dict[str, float]]:
        self.job = job
        return Page(number=job.number, size=(1, 1)), {}


@pytest.mark.parametrize(("own_s", "seconds"), [(None, 600), (50, 50), (5000, 600)])
def test_a_page_is_given_up_at_a_moment_that_is_fixed_when_it_is_asked_for(
    tmp_path: Path, own_s: float | None, seconds: float
) -> None:
    """Guards against a deadline that whoever reads a part of the page counts from its own start."""
    options = Options.model_validate({"page_deadline_s": own_s, "text_source": "ocr", "ocr_mode": "format"})
    facts: dict[str, Any] = {"namespace": "default", "document_id": "d", "revision": 1, "attempt": 1}
    upload: dict[str, Any] = {"sha256": "ab" * 32, "media_type": "image/png", "created_at": datetime.now(UTC)}
    plan = Plan(job_id="j", options=options, **facts, **upload)
    pipeline = Asked()
    handle: Any = Handle(pipeline)
    work = GraphWork(handle, BlobStore(tmp_path), JobMetrics(), page_deadline_s=600)
    begun = time.time()
    asyncio.run(work.page(plan, 3))
    job = pipeline.job
    assert begun + seconds <= job.until <= time.time() + seconds
    assert (job.number, job.text_source, job.ocr_mode, job.job_id) == (3, "ocr", "format", "j")
    picture = job.picture("1.png")
    assert (picture.until, picture.number, picture.source.part, picture.job_id) == (job.until, 1, "1.png", None)
