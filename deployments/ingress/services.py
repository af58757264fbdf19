"""What the routes share: the handles of the deployments, the settings, limiters and background tasks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from configs import Settings
from deployments.calls.background_tasks import DetachedTasks
from deployments.calls.handles import (
    EmbedderHandle,
    LayoutHandle,
    LmHandle,
    OcrHandle,
    PipelineHandle,
    RendererHandle,
    SearchHandle,
)
from deployments.ingress.middleware.authorization import KeyRing
from deployments.ingress.operations.deadline_semaphore import DeadlineSemaphore
from deployments.ingress.operations.document_threads import DocumentThreads
from deployments.ingress.operations.fair_limiter import FairLimiter
from deployments.ingress.operations.generated_answers import Answers
from deployments.ingress.operations.readiness import Statuses, deployment_statuses
from deployments.ingress.uploads import FormReader
from deployments.jobs.handle import JobsHandle
from deployments.schema_check import MAX_CHECKS, SchemaCheck
from deployments.storage.blobs import BlobStore
from retrieval.extraction.extractor import Extractor

MIN_PAGE_SLOTS = 32  # pages of all calls without a job


def schema_limiter(wait_s: float) -> FairLimiter:
    """The slots of schema checks: nobody's costly schemas hold up those of another namespace."""
    return FairLimiter(MAX_CHECKS, wait_s=wait_s, what="checks of schemas")


@dataclass(frozen=True, slots=True)
class Services:
    """Handles of the deployments, and what the routes share."""

    settings: Settings
    jobs: JobsHandle
    pipeline: PipelineHandle
    renderer: RendererHandle
    layout: LayoutHandle
    ocr: OcrHandle
    search: SearchHandle
    blobs: BlobStore
    forms: FormReader
    keys: KeyRing | None = None  # unset: anyone may do anything
    embedder: EmbedderHandle | None = None  # unset: search is full text alone, or a test's
    lm: LmHandle | None = None  # unset: no language model of our own
    extractor: Extractor | None = None  # unset: nobody writes JSON of schemas
    answers: Answers | None = None  # unset: nobody writes answers
    running: Callable[[], Awaitable[Statuses]] = deployment_statuses  # which deployments are
    page_slots: DeadlineSemaphore = field(default_factory=lambda: DeadlineSemaphore(MIN_PAGE_SLOTS))
    documents: DocumentThreads = field(default_factory=DocumentThreads)
    schema_check: SchemaCheck = field(default_factory=SchemaCheck)  # for who holds one of its slots
    schema_slots: FairLimiter = field(default_factory=lambda: schema_limiter(60))
    background_tasks: DetachedTasks = field(default_factory=DetachedTasks)  # outlive the request that began them
