"""The blocking Python client (`Client`), generated from `async_client.py` by `make generate`; do not edit."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Mapping
from pathlib import Path
from typing import Any, Self, TypeVar

import httpx
import httpx_sse

from pagemill.errors import Unreachable, refusal
from pagemill.http import http_calls
from pagemill.http.client_retries import Retries
from pagemill.http.http_calls import Call
from pagemill.http.response_parsing import (
    Result,
    as_answer,
    as_event,
    as_extraction,
    as_job,
    as_jobs,
    as_partial_page,
    as_stored_extraction,
    wait_of,
)
from pagemill.partial_page import PartialPage
from pagemill.stored_extraction import StoredExtraction
from pagemill.values import Answer, Event, Extraction, Format, Job, JobStatus, Mode, Options

T = TypeVar("T")


class Client:
    """Every call gives a frozen value, or raises `Refused` or `Unreachable`; it is made again where that may help."""

    def __init__(
        self,
        url: str = http_calls.DEFAULT_URL,
        *,
        api_key: str | None = None,
        retries: Retries | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._retries = retries or Retries()
        self._http = httpx.Client(**http_calls.connection(url, api_key), transport=transport)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def ingest(
        self,
        file: Path | str | bytes,
        *,
        name: str | None = None,
        options: Options | Mapping[str, Any] | None = None,
        wait_s: float | None = 0,
        idempotency_key: str | None = None,
    ) -> Job:
        """Send a file (a path, or its bytes); its job as it is after `wait_s` seconds, None: when it has ended.

        An address `s3://bucket/key` is sent as it is: the server reads the object, if its settings allow that.
        A file that cannot be read is a job with `error`; raised is only what the door refuses (size, kind, options).
        """
        job = as_job(self._send(http_calls.ingest(file, name, options, idempotency_key)))
        return self.wait(job.id, wait_s) if wait_s != 0 and not job.done else job

    def job(self, job_id: str) -> Job:
        """Status, progress by page, warnings and error."""
        return as_job(self._send(http_calls.job(job_id)))

    def wait(self, job_id: str, wait_s: float | None = None) -> Job:
        """The job when it has ended, or as it is after `wait_s` seconds."""
        end = None if wait_s is None else time.monotonic() + wait_s
        while True:
            job = as_job(self._send(http_calls.job(job_id, wait_of(end))))
            if job.done or (end is not None and time.monotonic() >= end):
                return job

    def jobs(self, *, status: JobStatus | None = None, limit: int = 100) -> tuple[Job, ...]:
        """The newest first, without their pages."""
        return as_jobs(self._send(http_calls.jobs(status, limit)))

    def cancel(self, job_id: str) -> Job:
        """Give up the pages that are not done; a job that has ended is left as it is."""
        return as_job(self._send(http_calls.cancel(job_id)))

    def events(self, job_id: str, *, after: int = 0) -> Iterator[Event]:
        """What happens to the job until its end, from the event after `after` on; goes on where a stream breaks."""
        following = Following(self, job_id, after)
        try:
            while (event := self._retries.blocking()(following.next)) is not None:
                yield event
                if event.last:
                    return
        finally:
            following.close()

    def partial_pages(self, job_id: str) -> Generator[PartialPage]:
        """Pages as far as OCR has read them, again whenever more is read, until the job has ended.

        The server does not keep them: a stream that breaks raises Unreachable, and another one shows what is read then.
        """
        return self.stream(http_calls.partial_pages(job_id), as_partial_page)

    def result(self, job_id: str, format: Format = "md") -> Result:  # noqa: A002  the call's name
        """The document in one of the formats; raises `Refused` where the job has none, `not_ready` before its end."""
        answer = self._send(http_calls.result(job_id, format))
        return Result(format=format, content=answer.content)

    def query(
        self,
        text: str,
        *,
        k: int = 10,
        mode: Mode = "hybrid",
        filters: Mapping[str, Any] | None = None,
        **further: Any,
    ) -> Answer:
        """Passages with pages and boxes; `further` are fields of the call: `answer=True`, `neighbours` ..."""
        return as_answer(self._send(http_calls.query(text, k, mode, filters, further)))

    def extract(
        self,
        schema: Mapping[str, Any] | str,
        *,
        document_id: str | None = None,
        job_id: str | None = None,
        pages: str | None = None,
    ) -> Extraction:
        """The values of a JSON schema (or of the one that the server has by this name), with their places."""
        fields = {"document_id": document_id, "job_id": job_id, "pages": pages}
        return as_extraction(self._send(http_calls.extract(schema, fields)))

    def store_extraction(
        self,
        schema: Mapping[str, Any] | str,
        *,
        document_id: str | None = None,
        job_id: str | None = None,
        pages: str | None = None,
    ) -> StoredExtraction:
        """`extract`, stored at the server: it goes on when this client leaves; its values stay with the document."""
        fields = {"document_id": document_id, "job_id": job_id, "pages": pages}
        return as_stored_extraction(self._send(http_calls.store_extraction(schema, fields)))

    def extraction(self, extraction_id: str) -> StoredExtraction:
        """Status and progress of a stored extraction."""
        return as_stored_extraction(self._send(http_calls.extraction(extraction_id)))

    def wait_extraction(self, extraction_id: str, wait_s: float | None = None) -> StoredExtraction:
        """The stored extraction when it has ended, or as it is after `wait_s` seconds."""
        end = None if wait_s is None else time.monotonic() + wait_s
        while True:
            stored = as_stored_extraction(self._send(http_calls.extraction(extraction_id, wait_of(end))))
            if stored.done or (end is not None and time.monotonic() >= end):
                return stored

    def cancel_extraction(self, extraction_id: str) -> StoredExtraction:
        """End a stored extraction and the model's work for it; one that has ended is left as it is."""
        return as_stored_extraction(self._send(http_calls.cancel_extraction(extraction_id)))

    def extraction_result(self, extraction_id: str) -> Extraction:
        """The values of a stored extraction; raises `Refused` where it has none, `not_ready` before its end."""
        return as_extraction(self._send(http_calls.extraction_result(extraction_id)))

    def forget(self, document_id: str) -> None:
        """Remove a document for good: jobs, pages, bytes and index entries."""
        self._send(http_calls.forget(document_id))

    def ready(self) -> dict[str, Any]:
        """Each part of the server and what it runs; raises while one is not ready."""
        answer = self._send(http_calls.readyz())
        return answer.json()

    def _send(self, call: Call) -> httpx.Response:
        return self._retries.blocking()(self._once, call)

    def _once(self, call: Call) -> httpx.Response:
        try:
            with call.arguments() as arguments:
                answer = self._http.request(**arguments)
        except httpx.TransportError as error:
            raise Unreachable(f"{self._http.base_url}: {error or type(error).__name__}") from error
        if answer.is_error:
            raise refusal(answer)
        return answer

    def stream(self, call: Call, parse: Callable[[httpx_sse.ServerSentEvent], T | None]) -> Generator[T]:
        """The messages of one answer as `parse` gives them, without those of which it gives None, until the end."""
        try:
            with call.arguments() as arguments:
                with self._http.stream(**arguments) as answer:
                    if answer.is_error:
                        answer.read()
                        raise refusal(answer)
                    if answer.status_code == httpx.codes.NO_CONTENT:  # no further events: the job has ended
                        return
                    for message in httpx_sse.EventSource(answer).iter_sse():
                        if (value := parse(message)) is not None:
                            yield value
        except httpx.TransportError as error:
            raise Unreachable(f"{self._http.base_url}: {error or type(error).__name__}") from error


class Following:
    """The events of one job across its streams; none is repeated."""

    def __init__(self, client: Client, job_id: str, after: int) -> None:
        self._client = client
        self._job_id = job_id
        self._after = after
        self._stream: Generator[Event] | None = None

    def next(self) -> Event | None:
        """The next event; None: there is none any more. Raises where the stream broke; the next call opens another."""
        if self._stream is None:
            self._stream = self._client.stream(http_calls.events(self._job_id, self._after), as_event)
        try:
            event = next(self._stream, None)
        except BaseException:
            self._stream = None
            raise
        if event is not None:
            self._after = event.id
            return event
        self._stream = None
        job = self._client.job(self._job_id)
        if not job.done:
            raise Unreachable(f"the event stream of {self._job_id} was interrupted")
        return None

    def close(self) -> None:
        """Close the stream, wherever it is."""
        if self._stream is not None:
            self._stream.close()
