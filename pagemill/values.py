"""What the client gives back: the server's values, field by field; frozen, and open to fields of a later server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Format = Literal["md", "json", "docling", "chunks", "text", "zip"]
Mode = Literal["hybrid", "vector", "full_text"]
JobStatus = Literal["queued", "running", "succeeded", "partial", "failed", "cancelled"]
FINAL: frozenset[str] = frozenset({"succeeded", "partial", "failed", "cancelled"})


class Value(BaseModel):
    """Equal when its fields are equal; never changed after it is made."""

    model_config = ConfigDict(frozen=True, extra="ignore")


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
    cancel_on_disconnect: bool = False


class BoundingBox(Value):
    """PDF points of the upright page, origin top left."""

    x0: float
    y0: float
    x1: float
    y1: float


class Place(Value):
    """Where something stands in a file without printed pages; docs/formats.md has the fields of each kind."""

    model_config = ConfigDict(frozen=True, extra="allow")

    kind: str  # document, slide, sheet, element, lines, mail
    inside: tuple[str, ...] = ()  # attachments and archive entries that lead to the file, outermost first

    def __str__(self) -> str:
        """For a person: `Sheet1!B3:F40`, `slide 3, Title 1`, `body/p[12]`."""
        return " › ".join((*self.inside, _where(self.kind, self.model_extra or {})))


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
    timings: dict[str, float] = Field({})  # seconds
    created_at: datetime
    finished_at: datetime | None = None
    links: dict[str, str] = Field({})

    @property
    def done(self) -> bool:
        return self.status in FINAL


class Event(Value):
    """Something that happened to a job; ids only grow."""

    id: int
    kind: str  # queued, running, page_started, page, indexing, or the last status
    body: dict[str, Any]
    created_at: datetime

    @property
    def last(self) -> bool:
        return self.kind in FINAL


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


class PassageBox(Value):
    """Where a line of the passage stands: in a box of the page, at a place, or both on slides."""

    page: int
    box: BoundingBox | None = None
    place: Place | None = None


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
    metadata: dict[str, str] = {}


class Passage(StoredChunk):
    """One hit; scores compare only within one answer."""

    score: float
    scores: Scores
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
    num_passages: int = 0  # passages, from the first on, that the model was given
    finish_reason: Literal["stop", "length"] | None = None
    model: str
    error: AnswerError | None = None


class Answer(Value):
    """The best passages first."""

    passages: tuple[Passage, ...]
    groups: tuple[Group, ...] | None = None
    mode: Mode  # how was searched: `full_text` where no embedder is
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
    source_text: str | None = None  # as it is printed
    confidence: float | None = None  # 0..1, that this is printed; 1.0 for a text layer
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
        for name, each in value.items():
            yield from _leaves(each, field[name], f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for at, each in enumerate(value):
            yield from _leaves(each, field[at], f"{path}[{at}]")
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


def _where(kind: str, fields: Mapping[str, Any]) -> str:
    """What a place says within its file."""
    match kind:
        case "document":
            under = f" under “{fields['heading']}”" if fields.get("heading") else ""
            page = f"page {fields['page']}, " if fields.get("page") else ""
            return f"{page}{fields.get('path', '')}{under}"
        case "slide":
            part = fields.get("part", "slide")
            return f"slide {fields.get('slide')}, {fields.get('shape') or part}"
        case "sheet":
            return "!".join(filter(None, (fields.get("sheet", ""), fields.get("range", ""))))
        case "element":
            file = fields.get("chapter") or fields.get("file")
            return f"{file}, {fields.get('path', '')}" if file else str(fields.get("path", ""))
        case "lines":
            return f"lines {fields.get('first')}–{fields.get('last')}"
        case "mail":
            return f"part {fields.get('part')} {fields.get('path', '')}".strip()
        case _:
            return kind
