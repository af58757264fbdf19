"""What the routes share: the handles of the deployments, the settings, limiters and background tasks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from configs import Settings
from deployments.calls.background_tasks import DetachedTasks
from deployments.calls.handles import (
    EmbedderHandle,
    JobsHandle,
    LayoutHandle,
    LmHandle,
    OcrHandle,
    PipelineHandle,
    RendererHandle,
    SearchHandle,
)
from deployments.calls.slots import DeadlineSemaphore, FairLimiter
from deployments.ingress.operations.callers import KeyRing
from deployments.ingress.operations.document_threads import DocumentThreads
from deployments.ingress.operations.generated_answers import Answers
from deployments.ingress.operations.readiness import Statuses, deployment_statuses
from deployments.schema_check import MAX_CHECKS, SchemaCheck
from deployments.storage.blobs import BlobStore
from retrieval.extraction.extractor import Extractor

MIN_PAGE_SLOTS = 32  # pages of all calls without a job
MAX_LARGE_BODIES = 4  # bodies with files that are in memory at once
MAX_FETCHING = 16  # requests that fetch from addresses at once
MAX_COPYING = 16  # objects of buckets that are copied for requests at once
MAX_JSON_FIELD_BYTES = 1 << 20  # a JSON body without its files


@dataclass(slots=True)
class Services:
    """Handles of the deployments, and what the routes share; nothing of it is replaced once it is made."""

    settings: Settings
    jobs: JobsHandle
    pipeline: PipelineHandle
    renderer: RendererHandle
    layout: LayoutHandle
    ocr: OcrHandle
    search: SearchHandle
    blobs: BlobStore
    keys: KeyRing | None = None  # unset: anyone may do anything
    embedder: EmbedderHandle | None = None  # unset: search is full text alone, or a test's
    lm: LmHandle | None = None  # unset: no language model of our own
    extractor: Extractor | None = None  # unset: nobody writes JSON of schemas
    answers: Answers | None = None  # unset: nobody writes answers
    running: Callable[[], Awaitable[Statuses]] = deployment_statuses  # which deployments are
    page_slots: DeadlineSemaphore = field(default_factory=lambda: DeadlineSemaphore(MIN_PAGE_SLOTS))
    schema_check: SchemaCheck = field(default_factory=SchemaCheck)  # for who holds one of its slots
    background_tasks: DetachedTasks = field(default_factory=DetachedTasks)  # outlive the request that began them
    documents: DocumentThreads = field(init=False)
    upload_slots: FairLimiter = field(init=False)
    body_slots: FairLimiter = field(init=False)
    fetch_slots: FairLimiter = field(init=False)
    copy_slots: FairLimiter = field(init=False)  # of objects of buckets; who takes one may hold a slot of fetches
    schema_slots: FairLimiter = field(init=False)  # nobody's costly schemas hold up those of another namespace

    def __post_init__(self) -> None:
        limits = self.settings.limits
        wait_s = limits.admission_wait_s
        self.documents = DocumentThreads(wait_s)
        self.upload_slots = FairLimiter(limits.max_uploads, wait_s=wait_s, what="uploads")
        self.body_slots = FairLimiter(MAX_LARGE_BODIES, wait_s=wait_s, what="bodies with files")
        self.fetch_slots = FairLimiter(MAX_FETCHING, wait_s=wait_s, what="fetched documents")
        self.copy_slots = FairLimiter(MAX_COPYING, wait_s=wait_s, what="copied objects")
        self.schema_slots = FairLimiter(MAX_CHECKS, wait_s=wait_s, what="checks of schemas")

    @property
    def max_file_bytes(self) -> int:
        """Of one upload or fetched document."""
        return int(self.settings.limits.max_file_mb * 1_000_000)

    @property
    def max_inline_bytes(self) -> int:
        """Of a JSON body with files in it, base64 counted."""
        return int(self.settings.sources.max_inline_mb * 1_000_000) * 4 // 3 + MAX_JSON_FIELD_BYTES
