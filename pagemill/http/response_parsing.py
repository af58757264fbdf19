"""Parses the server's responses into the client's values and streams."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Any, TypeVar

import httpx
import httpx_sse
from pydantic import TypeAdapter, ValidationError

from pagemill.errors import Unreachable
from pagemill.http.http_calls import LONG_POLL_S
from pagemill.partial_page import PartialPage
from pagemill.stored_extraction import StoredExtraction
from pagemill.values import Answer, Chunk, Event, Extraction, Format, Job

T = TypeVar("T")
JOB = TypeAdapter(Job)
JOBS = TypeAdapter(dict[str, tuple[Job, ...]])
ANSWER = TypeAdapter(Answer)
EXTRACTION = TypeAdapter(Extraction)
STORED_EXTRACTION = TypeAdapter(StoredExtraction)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A document in one of the formats, byte for byte as the server gave it."""

    format: Format
    content: bytes

    @property
    def text(self) -> str:
        """Of every format but `zip`."""
        return self.content.decode()

    def json(self) -> Any:
        """Of `json` and `docling`."""
        return json.loads(self.content)

    def chunks(self) -> tuple[Chunk, ...]:
        """Of `chunks`, in the order of the document."""
        return tuple(Chunk.model_validate_json(line) for line in self.content.splitlines())


def as_job(answer: httpx.Response) -> Job:
    """A job, as all of these raising Unreachable where somebody else answers at the server's address."""
    return _read(JOB, answer)


def as_jobs(answer: httpx.Response) -> tuple[Job, ...]:
    """The jobs of a list."""
    return _read(JOBS, answer)["jobs"]


def as_answer(answer: httpx.Response) -> Answer:
    """Passages."""
    return _read(ANSWER, answer)


def as_extraction(answer: httpx.Response) -> Extraction:
    """Values with their places."""
    return _read(EXTRACTION, answer)


def as_stored_extraction(answer: httpx.Response) -> StoredExtraction:
    """How an extraction stands."""
    return _read(STORED_EXTRACTION, answer)


def _read(kind: TypeAdapter[T], answer: httpx.Response) -> T:
    try:
        return kind.validate_json(answer.content)
    except ValidationError:
        raise Unreachable(f"what answers at {answer.request.url} is no Pagemill server") from None


def as_event(message: httpx_sse.ServerSentEvent) -> Event | None:
    """One event; `at` of its data is its time. None: the message is no event of the job."""
    if not (message.id and message.data):
        return None
    body = message.json()
    at = body.pop("at")
    return Event(id=int(message.id), kind=message.event, body=body, created_at=at)


def as_partial_page(message: httpx_sse.ServerSentEvent) -> PartialPage | None:
    """A page while it is read; None: the message is none."""
    return None if message.event != "regions" else PartialPage.model_validate_json(message.data)


def wait_of(end: float | None) -> float:
    """Seconds that the next ?wait= asks for, until `end` of the monotonic clock."""
    return LONG_POLL_S if end is None else min(LONG_POLL_S, max(0.0, end - time.monotonic()))
