"""The client's values for jobs, passages, answers and extractions, as the server returns them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from pagemill.places import BoundingBox, PassageBox, Place, TextRange, Value

Format = Literal["md", "json", "docling", "chunks", "text", "zip"]
Mode = Literal["hybrid", "vector", "full_text"]
JobStatus = Literal["queued", "running", "succeeded", "partial", "failed", "cancelled"]
FINAL_STATUSES: frozenset[str] = frozenset({"succeeded", "partial", "failed", "cancelled"})


class Webhook(Value):
    """Where events of a job are sent, signed with `secret`; by default how it ended."""

    url: str
    secret: str | None = None
    events: tuple[str, ...] = ("succeeded", "partial", "failed", "cancelled")


class Options(BaseModel):
    """What is asked of one ingestion; the server knows what each means and which default it has."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    pages: str | None = None  # as in `1-3,7`
    text_source: Literal["auto", "text_layer", "ocr"] = "auto"
    ocr_mode: Literal["plain", "format"] = "plain"
    password: str | None = None
    metadata: dict[str, str] = {}
    document_id: str | None = None
    index: bool = True
    deadline_s: float | None = None
    page_deadline_s: float | None = None
    webhook: Webhook | None = None
    attachments: Literal["pages", "documents"] = "pages"  # what those of a mail become
    reuse_pages: bool = True  # take over pages that are as in the document's earlier revision
    cancel_on_disconnect: bool = False


class PageWarning(Value):
    """Something a person should know; docs/warnings.md has the codes."""

    code: str
    message: str
    page: int | None = None
    box: BoundingBox | None = None
    rule: str | None = None  # the rule of page structure that failed


class JobError(Value):
    """Why a job or a page failed; `status` is that of the problem document."""

    code: str
    status: int
    message: str
    retryable: bool = False


class PageProgress(Value):
    """How far one page is."""

    number: int
    status: Literal["queued", "running", "succeeded", "failed"]
    text_source: Literal["text_layer", "ocr", "mixed"] | None = None
    reused_from: int | None = None  # the earlier revision that has the same page
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
    timings: dict[str, float] = Field(default_factory=dict)  # seconds
    created_at: datetime
    finished_at: datetime | None = None
    links: dict[str, str] = Field(default_factory=dict)
    media_type: str = ""
    size: int | None = None  # size of the file in bytes

    @property
    def done(self) -> bool:
        return self.status in FINAL_STATUSES


class Event(Value):
    """Something that happened to a job; ids only grow."""

    id: int
    kind: str  # queued, running, page_started, page, indexing, or the last status
    body: dict[str, Any]
    created_at: datetime

    @property
    def last(self) -> bool:
        return self.kind in FINAL_STATUSES


class ChunkSpan(Value):
    """`text[text_start:text_end]` of a chunk stands in `box` of `page`, from 1, or at `place`."""

    page: int
    box: BoundingBox | None = None
    place: Place | None = None
    text_start: int
    text_end: int


class Chunk(Value):
    """A unit of retrieval."""

    id: str
    text: str
    heading_path: tuple[str, ...]
    spans: tuple[ChunkSpan, ...]
    num_tokens: int
    kind: str


class Highlight(Value):
    """The sentence of a passage, or the row of a table, that holds most of the query."""

    text: str
    text_start: int  # `text` is `passage.text[text_start:text_end]`
    text_end: int
    page: int
    boxes: tuple[PassageBox, ...]
    terms: tuple[str, ...]  # its words that the query has, too, or forms of them, as they are printed


class Scores(Value):
    """What each search said; None: it did not find the passage, or was not made."""

    vector: float | None = None
    full_text: float | None = None
    fused: float | None = None


class StoredChunk(Value):
    """A chunk as the index keeps it."""

    chunk_id: str
    ordinal: int
    document_id: str
    revision: int
    text: str
    page: int  # where the words of the query stand, or most of the text; from 1
    boxes: tuple[PassageBox, ...]
    heading_path: tuple[str, ...]
    kind: str
    file_name: str | None = None
    title: str | None = None
    page_label: str | None = None  # what the file calls the page, if not its number: `xii`
    metadata: dict[str, str] = Field(default_factory=dict)


class Passage(StoredChunk):
    """One hit; scores compare only within one answer."""

    score: float  # of `scores`, the one that orders this answer: which passage is better, not how good one is
    scores: Scores
    highlight: Highlight | None = None  # None where no sentence has a word of the query
    before: tuple[StoredChunk, ...] = ()
    after: tuple[StoredChunk, ...] = ()


class Group(Value):
    """Passages of one document."""

    document_id: str
    score: float
    passages: tuple[int, ...]  # places in the answer's passages, from 0


class CacheNote(Value):
    """Where a result came from."""

    tier: str = "miss"
    query: str | None = None


class Citation(Value):
    """What a mark in a written answer stands for."""

    number: int  # in the text, as [1]: the first of the passages is 1
    chunk_id: str
    document_id: str
    revision: int
    page: int
    boxes: tuple[PassageBox, ...]


class AnswerError(Value):
    """Why nothing was written, or not all; docs/warnings.md has the codes."""

    code: str
    message: str
    retryable: bool = False


class WrittenAnswer(Value):
    """What a language model wrote from the passages."""

    outcome: Literal["answered", "uncited", "not_found", "failed"]
    text: str = ""  # with marks such as [1]
    citations: tuple[Citation, ...] = ()  # by their first mention
    dropped: tuple[str, ...] = ()  # numbers that named no passage; they are not in the text
    unproved: tuple[TextRange, ...] = ()  # numbers in the text that none of the cited passages prints
    num_passages: int = 0  # passages, from the first on, that the model was given
    finish_reason: Literal["stop", "length"] | None = None
    model: str
    error: AnswerError | None = None


class Answer(Value):
    """The best passages first."""

    passages: tuple[Passage, ...]
    groups: tuple[Group, ...] | None = None
    mode: Mode  # mode that was used: `full_text` without an embedder
    embedder: str | None
    index_version: int
    cache: CacheNote
    timings: dict[str, float]  # seconds
    answer: WrittenAnswer | None = None  # where it was asked for


class ExtractedField(Value):
    """A value, and where it stands; with `match` none it stands on no page, or is no printed value."""

    value: str | int | float | bool | None
    match: Literal["exact", "normalised", "none"]
    page: int | None = None
    boxes: tuple[BoundingBox, ...] = ()  # one for each line, in points
    places: tuple[Place, ...] = ()  # likewise, in a file without printed pages
    source_text: str | None = None  # as it is printed
    confidence: float | None = None  # 0..1, that this is printed; 1.0 for a text layer
    unproved: bool = False  # OCR read digits of it that no further look confirmed
    num_places: int = 0  # where it stands; the one is chosen by the words beside it


class Usage(Value):
    """What the model was given and wrote; None where it does not say."""

    num_calls: int
    prompt_tokens: int | None
    completion_tokens: int | None


class Extraction(Value):
    """The values of a schema: plain in `data`; in `fields` an ExtractedField, as a dict, in the place of each."""

    data: Any
    fields: Any
    num_unplaced: int  # texts and numbers that stand on no page
    model: str
    usage: Usage
    document_id: str
    job_id: str
    revision: int
    pages: tuple[int, ...]

    def leaves(self) -> Iterator[tuple[str, ExtractedField]]:
        """Each value with its path, as in `lines[0].price`."""
        yield from _leaves(self.data, self.fields, "")


def _leaves(value: Any, field: Any, path: str) -> Iterator[tuple[str, ExtractedField]]:
    if isinstance(value, dict):
        for name, nested in value.items():
            yield from _leaves(nested, field[name], f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for index, nested in enumerate(value):
            yield from _leaves(nested, field[index], f"{path}[{index}]")
    else:
        yield path, ExtractedField.model_validate(field)


class Problem(Value):
    """A problem document (RFC 9457), or what stands for it where something before the server answered."""

    title: str
    status: int
    detail: str
    code: str
    retryable: bool = False
    type: str = "about:blank"
    request_id: str | None = None
    job_id: str | None = None
