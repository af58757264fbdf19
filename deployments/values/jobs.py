"""The values of the jobs API: Job, Options (of an upload), PageProgress, Event, Webhook and their JSON fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from pydantic import Field, field_validator

from deployments.errors import refusal_of
from deployments.values.page_ranges import MAX_LENGTH, select_pages
from deployments.values.webhooks import Webhook
from documents.boxes import BoundingBox, Value
from documents.region_values import RegionKind
from documents.values import AttachmentsAs, Opened, Page, PageWarning, Source

JobStatus = Literal["queued", "running", "succeeded", "partial", "failed", "cancelled"]
PageStatus = Literal["queued", "running", "succeeded", "failed"]
MAX_METADATA = 50  # facts; every chunk of the document holds them
MAX_METADATA_BYTES = 8192
FINAL_STATUSES: frozenset[JobStatus] = frozenset({"succeeded", "partial", "failed", "cancelled"})
READ_STATUSES: tuple[JobStatus, ...] = ("succeeded", "partial")
# codes of the warnings that mean that a part of the document is missing in the result
LOSS_WARNINGS = frozenset(
    {"page_failed", "region_failed", "not_indexed", "cut_short", "sheet_failed", "attachment_unread"}
)
UNFINISHED_STATUSES: frozenset[JobStatus] = frozenset({"queued", "running"})


class Options(Value):
    """What a caller may ask of one ingestion."""

    pages: str | None = Field(None, max_length=MAX_LENGTH, description="pages, as in `1-3,7`; unset: all")
    text_source: Literal["auto", "text_layer", "ocr"] = Field("auto", description="source of the text")
    ocr_mode: Literal["plain", "format"] = Field("plain", description="output of OCR")
    password: str | None = Field(None, max_length=1000, description="opens an encrypted PDF; deleted when the job ends")
    metadata: dict[str, str] = Field(
        {}, max_length=MAX_METADATA, description="the caller's own values, returned with the result and each passage"
    )
    document_id: str | None = Field(
        None, min_length=1, max_length=200, pattern=r"^[^\x00-\x1f]+$", description="unset: the SHA-256 of the file"
    )
    attachments: AttachmentsAs = Field(
        "pages", description="how attachments of a mail or PDF are read: as its further pages, or as separate documents"
    )
    reuse_pages: bool = Field(
        True, description="take over the pages that are as in the document's earlier revision; false: read all again"
    )
    index: bool = Field(True, description="add the document to the search index")
    deadline_s: float | None = Field(None, gt=0, allow_inf_nan=False, description="seconds after which the job fails")
    page_deadline_s: float | None = Field(
        None,
        gt=0,
        allow_inf_nan=False,
        description="seconds after which a single page fails; the server has a limit, too",
    )
    webhook: Webhook | None = Field(None, description="address for events of the job (setting webhooks.enabled)")
    cancel_on_disconnect: bool = Field(False, description="with ?wait: cancel the job when the client disconnects")

    @field_validator("pages")
    @classmethod
    def _is_ranges(cls, pages: str | None) -> str | None:
        if pages is not None:
            select_pages(pages, 1)
        return pages

    @field_validator("metadata")
    @classmethod
    def _is_small(cls, metadata: dict[str, str]) -> dict[str, str]:
        if (size := sum(len(f"{name}{value}".encode()) for name, value in metadata.items())) > MAX_METADATA_BYTES:
            raise ValueError(f"metadata may have {MAX_METADATA_BYTES} bytes, not {size}")
        return metadata


class JobError(Value):
    """Why a job or a page failed; `status` is that of the problem document it is answered with."""

    code: str
    status: int
    message: str
    retryable: bool = False

    @classmethod
    def of(cls, error: BaseException) -> JobError:
        """A named error as it says itself; anything else as an internal one, without its inside."""
        named = refusal_of(error)
        return cls(code=named.code, status=int(named.status), message=named.message, retryable=named.retryable)


class PageProgress(Value):
    """How far one page is."""

    number: int
    status: PageStatus
    text_source: Literal["text_layer", "ocr", "mixed"] | None = None
    reused_from: int | None = Field(None, description="the earlier revision that has the same page; null: it was read")
    warnings: tuple[PageWarning, ...] = ()
    error: JobError | None = None


class Job(Value):
    """One ingestion of one document."""

    id: str
    document_id: str
    revision: int
    file_name: str
    media_type: str = ""
    size: int | None = Field(None, description="size of the file in bytes")
    status: JobStatus
    num_pages: int | None
    pages: tuple[PageProgress, ...] = ()
    warnings: tuple[PageWarning, ...] = ()
    error: JobError | None = None
    timings: dict[str, float] = Field({})
    created_at: datetime
    finished_at: datetime | None = None
    links: dict[str, str] = Field({})

    @property
    def done(self) -> bool:
        return self.status in FINAL_STATUSES


class Event(Value):
    """Something that happened to a job or an extraction; ids only grow."""

    id: int
    kind: str
    body: dict[str, Any]
    created_at: datetime


class PartialRegion(Value):
    """A region that was found on a page, before the page is done."""

    kind: RegionKind
    box: BoundingBox  # in points of the page as the file shows it
    text: str | None = None  # that OCR read; None: nothing was read there yet, or nothing needs to be


class PartialPage(Value):
    """A page while OCR reads it: its regions, and the progress of reading. It is streamed and not stored."""

    number: int
    size: tuple[float, float]  # of the page, in points
    regions: tuple[PartialRegion, ...]
    num_to_read: int = 0  # regions that OCR reads, or has read; 0 where it reads the page as a whole


class Submission(Value):
    """An upload that lies in the blob store already."""

    namespace: str = "default"
    max_unfinished: int | None = None  # jobs of the namespace; unset: as many as the server takes
    sha256: str
    size: int
    media_type: str
    file_name: str
    options: Options
    idempotency_key: str | None = None
    repeats: str | None = None  # the job whose stored file is submitted again; refused once that is deleted

    @property
    def document_id(self) -> str:
        return self.options.document_id or self.sha256


class ExtractionSubmission(Value):
    """Which values to extract from which reading of a document."""

    namespace: str = "default"
    max_unfinished: int | None = None  # extractions of the namespace; unset: as many as the server takes
    document_id: str
    job_id: str
    revision: int
    schema_: dict[str, Any]
    pages: str | None = None


class ExtractionPlan(Value):
    """What must be known to do an extraction."""

    id: str
    namespace: str
    document_id: str
    job_id: str
    schema_: dict[str, Any] = Field(alias="schema")
    pages: str | None


class ExtractionJob(Value):
    """A stored extraction and its progress."""

    id: str
    document_id: str
    job_id: str
    revision: int
    status: JobStatus
    calls_done: int = Field(description="finished calls of the model")
    calls_total: int | None = Field(description="null: not known yet")
    error: JobError | None = None
    created_at: datetime
    finished_at: datetime | None = None
    links: dict[str, str]

    @property
    def done(self) -> bool:
        return self.status in FINAL_STATUSES


class Plan(Value):
    """What Jobs must know to do a job: its source and options."""

    job_id: str
    namespace: str
    document_id: str
    revision: int
    attempt: int
    sha256: str
    media_type: str
    file_name: str = ""
    options: Options
    created_at: datetime

    def source(self, address: str) -> Source:
        """The upload, whose bytes lie at `address`, as the renderer opens it."""
        return Source(
            path=address,
            media_type=self.media_type,
            password=self.options.password,
            namespace=self.namespace,
            attachments=self.options.attachments,
        )


@dataclass(frozen=True, slots=True)
class Ending:
    """How a task ends: why it failed, what is missing, or the values that it extracted."""

    status: JobStatus
    error: JobError | None = None
    warnings: Sequence[PageWarning] = ()
    result: Mapping[str, Any] | None = None


class PageRecord(Value):
    """One page of a job with what it is drawn and shown from; `page` is set once it has succeeded."""

    plan: Plan
    opened: Opened
    page: Page | None = None
    error: JobError | None = None
    ended: bool  # the job: nothing of it changes any more


Timings = dict[str, float]
Row = dict[str, Any]
