"""`deployments.jobs.pipeline_calls`: the request that Pipeline gets for a page."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from deployments.jobs.metrics import JobMetrics
from deployments.jobs.pipeline_calls import GraphWork
from deployments.storage.folder_blobs import FolderBlobs
from deployments.values.jobs import Options, Plan
from deployments.values.page_job import PageJob
from documents.values import Page
from tests.deployments.ingress.handles import Handle


class Asked:
    """A pipeline that keeps its last request."""

    job: PageJob

    async def page(self, job: PageJob) -> tuple[Page, dict[str, float]]:
        self.job = job
        return Page(number=job.number, size=(1, 1)), {}


def test_a_page_and_its_pictures_have_one_deadline(tmp_path: Path) -> None:
    """Guards against a deadline that whoever reads a part of the page counts from its own start."""
    options = Options.model_validate({"text_source": "ocr", "ocr_mode": "format"})
    facts: dict[str, Any] = {"namespace": "default", "document_id": "d", "revision": 1, "attempt": 1}
    upload: dict[str, Any] = {"sha256": "ab" * 32, "media_type": "image/png", "created_at": datetime.now(UTC)}
    plan = Plan(job_id="j", options=options, **facts, **upload)
    pipeline = Asked()
    handle: Any = Handle(pipeline)
    asyncio.run(GraphWork(handle, FolderBlobs(tmp_path), JobMetrics()).page(plan, 3, 77.0))
    job = pipeline.job
    assert (job.number, job.text_source, job.ocr_mode, job.job_id, job.until) == (3, "ocr", "format", "j", 77.0)
    picture = job.picture("1.png")
    assert (picture.until, picture.number, picture.source.part, picture.job_id) == (77.0, 1, "1.png", None)
