"""How Jobs reads pages and extracts values: calls to the Pipeline deployment and to the language model."""

from __future__ import annotations

from typing import Any

from deployments.calls.cancellable_calls import call
from deployments.calls.handles import PipelineHandle
from deployments.errors import Busy
from deployments.extraction_metrics import ExtractionMetrics
from deployments.jobs.extractions.extraction import Progress
from deployments.jobs.metrics import JobMetrics
from deployments.storage.blobs import BlobStore
from deployments.values.jobs import ExtractionPlan, Plan, Timings
from deployments.values.page_job import PageJob
from documents.errors import RendererUnavailable
from documents.values import Document, Opened, Page, Source
from retrieval.errors import ExtractionRefused
from retrieval.extraction.extractor import Extractor


class GraphWork:
    """`deployments.jobs.pipeline_work.Work` by calls to the Pipeline deployment."""

    def __init__(self, pipeline: PipelineHandle, blobs: BlobStore, metrics: JobMetrics, shard: int = 0) -> None:
        self._pipeline = pipeline
        self._blobs = blobs
        self._metrics = metrics
        self._shard = shard

    async def open(self, plan: Plan) -> Opened:
        return await call(self._pipeline.open.remote(self._source(plan)))

    async def attachment(self, plan: Plan, name: str) -> bytes:
        return await call(self._pipeline.attachment.remote(self._source(plan), name))

    async def fingerprint(self, plan: Plan, number: int) -> str | None:
        return await call(self._pipeline.fingerprint.remote(self._source(plan), number))

    def count_reused(self) -> None:
        self._metrics.reused()

    async def page(self, plan: Plan, number: int, until: float) -> tuple[Page, Timings]:
        options = plan.options
        job = PageJob(
            source=self._source(plan),
            number=number,
            text_source=options.text_source,
            ocr_mode=options.ocr_mode,
            label=plan.job_id,
            until=until,
            job_id=plan.job_id,
        )
        try:
            page, timings = await call(self._pipeline.page.remote(job))
        except (Busy, RendererUnavailable):  # not taken, or the machine's: it is tried again
            raise
        except Exception:
            self._metrics.failed()
            raise
        self._metrics.succeeded(timings)
        return page, timings

    async def finish(self, plan: Plan, opened: Opened) -> None:
        await call(self._pipeline.finish.remote(plan, opened))

    async def forget(self, namespace: str, document_id: str) -> None:
        await call(self._pipeline.forget.remote(document_id, namespace=namespace, shard=self._shard))

    def _source(self, plan: Plan) -> Source:
        return plan.source(self._blobs.address(plan.sha256))


class ExtractionWork:
    """`Extract` of `deployments.jobs.extractions.extraction`: the values of a plan by a model."""

    def __init__(self, extractor: Extractor | None) -> None:
        self._extractor = extractor
        self._metrics = ExtractionMetrics()

    async def __call__(self, plan: ExtractionPlan, document: Document, progress: Progress) -> dict[str, Any]:
        if self._extractor is None:
            raise ExtractionRefused("no language model is configured: set answers.url or lm.model", code="no_model")
        with self._metrics.observed():
            extraction = await self._extractor.extract(document, plan.schema_, progress)
        self._metrics.count(extraction)
        source = {"document_id": document.id, "job_id": plan.job_id, "revision": document.revision}
        return extraction.model_dump(mode="json") | source | {"pages": [page.number for page in document.pages]}
