"""What crosses HTTP about a job; see the design's HTTP table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, overload

from pydantic import Field, field_validator

from deployments.jobs.page_ranges import MAX_LENGTH, select_pages
from documents.errors import IngestError
from documents.values import BoundingBox, Opened, Page, PageWarning, RegionKind, Value

JobStatus = Literal["queued", "running", "succeeded", "partial", "failed", "cancelled"]
PageStatus = Literal["queued", "running", "succeeded", "failed"]
MAX_METADATA = 50  # facts; every chunk of the document holds them
MAX_METADATA_BYTES = 8192
FINAL: frozenset[JobStatus] = frozenset({"succeeded", "partial", "failed", "cancelled"})
UNFINISHED: frozenset[JobStatus] = frozenset({"queued", "running"})


class Options(Value):
    """What a caller may ask of one ingestion."""

    pages: str | None = Field(None, max_length=MAX_LENGTH, description="which pages, as in `1-3,7`; unset: all")
    text_source: Literal["auto", "text_layer", "ocr"] = Field("auto", description="where text is taken from")
    ocr_mode: Literal["plain", "format"] = Field("plain", description="what OCR is asked for")
    password: str | None = Field(
        None, max_length=1000, description="opens an encrypted PDF; forgotten when the job ends"
    )
    metadata: dict[str, str] = Field(
        {}, max_length=MAX_METADATA, description="the caller's own facts, given back with the result and each passage"
    )
    document_id: str | None = Field(
        None, min_length=1, max_length=200, pattern=r"^[^\x00-\x1f]+$", description="unset: the SHA-256 of the bytes"
    )
    index: bool = Field(True, description="whether the document is to be found by search")
    deadline_s: float | None = Field(None, gt=0, allow_inf_nan=False, description="seconds after which the job fails")
    page_deadline_s: float | None = Field(
        None,
        gt=0,
        allow_inf_nan=False,
        description="seconds after which a page fails alone; the server has a limit, too",
    )
    cancel_on_disconnect: bool = Field(False, description="with ?wait: cancel when the client goes away")

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
    def of(cls, error: Exception) -> JobError:
        """A named error as it says itself; anything else as an internal one, without its inside."""
        if isinstance(error, IngestError):
            return cls(code=error.code, status=int(error.status), message=error.message, retryable=error.retryable)
        return cls(code="internal", status=500, message="an internal error; the log has its trace", retryable=True)


class PageProgress(Value):
    """How far one page is."""

    number: int
    status: PageStatus
    text_source: Literal["text_layer", "ocr", "mixed"] | None = None
    warnings: tuple[PageWarning, ...] = ()
    error: JobError | None = None


class Job(Value):
    """One ingestion of one document."""

    id: str
    document_id: str
    revision: int
    file_name: str
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
        return self.status in FINAL


class Event(Value):
    """Something that happened to a job; ids only grow."""

    id: int
    kind: str
    body: dict[str, Any]
    created_at: datetime


class GlimpsedRegion(Value):
    """A region that was found on a page, before the page is done."""

    kind: RegionKind
    box: BoundingBox  # in points of the page as the file shows it
    text: str | None = None  # that OCR read; None: nothing was read there yet, or nothing needs to be


class Glimpse(Value):
    """A page while OCR reads it: what was found, and how far the reading is. It is told and not kept."""

    number: int
    size: tuple[float, float]  # of the page, in points
    regions: tuple[GlimpsedRegion, ...]


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


class Plan(Value):
    """What Jobs must know to do a job: its source and options."""

    job_id: str
    namespace: str
    document_id: str
    revision: int
    attempt: int
    sha256: str
    media_type: str
    options: Options
    created_at: datetime


class PageRecord(Value):
    """One page of a job with what it is drawn and shown from; `page` is set once it has succeeded."""

    plan: Plan
    opened: Opened
    page: Page | None = None
    error: JobError | None = None
    ended: bool  # the job: nothing of it changes any more


class Pages(Sequence[Page]):
    """Pages as they lie in the database, as JSON: who wants one reads it, not the store, nor whoever hands them on."""

    def __init__(self, texts: Mapping[int, str]) -> None:
        self._texts = dict(texts)  # by page number, in order
        self.numbers = tuple(self._texts)

    @overload
    def __getitem__(self, index: int) -> Page: ...
    @overload
    def __getitem__(self, index: slice) -> Pages: ...
    def __getitem__(self, index: int | slice) -> Page | Pages:
        chosen = self.numbers[index]
        if isinstance(chosen, tuple):
            return Pages({number: self._texts[number] for number in chosen})
        return Page.model_validate_json(self._texts[chosen])

    def __iter__(self) -> Iterator[Page]:
        return map(Page.model_validate_json, self._texts.values())

    def __len__(self) -> int:
        return len(self._texts)


Timings = dict[str, float]
Row = dict[str, Any]
