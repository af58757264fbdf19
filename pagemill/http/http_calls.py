"""The HTTP requests of the client: method, path, parameters, body and timeout of each call."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote, urlsplit

from configs.settings import is_loopback
from pagemill.values import Format, Mode, Options

ADDRESS_PREFIX = "s3://"
DEFAULT_URL = "http://127.0.0.1:8000"
UPLOAD_TIMEOUT_S = 600.0
LONG_POLL_S = 30.0  # the client's ?wait=; the server may allow less
ANSWER_TIMEOUT_S = 600.0  # timeout of a request for which a model writes an answer; the server has its own limit
MAX_SILENCE_S = 60.0  # a stream that sends nothing for longer is broken; the server's keep-alive interval is 10 s


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A file to send; opened again for each attempt."""

    content: Path | bytes
    name: str

    @contextlib.contextmanager
    def opened(self) -> Iterator[BinaryIO]:
        """The bytes from their beginning."""
        if isinstance(self.content, bytes):
            yield io.BytesIO(self.content)
        else:
            with self.content.open("rb") as file:
                yield file


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request; `timeout_s` is for silence, not for the whole."""

    method: str
    path: str
    params: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    json: Any = None
    form: Mapping[str, str] | None = None
    upload: Upload | None = None
    source: str | None = None  # the address of an object, in the place of the upload
    timeout_s: float = 60.0

    @contextlib.contextmanager
    def arguments(self) -> Iterator[dict[str, Any]]:
        """What httpx wants to know, with the file open."""
        plain = {"method": self.method, "url": self.path, "params": dict(self.params), "headers": dict(self.headers)}
        plain |= {"timeout": self.timeout_s}
        if self.source is not None:
            yield plain | {"files": {"source": (None, self.source)}, "data": self.form}
            return
        if self.upload is None:
            yield plain | ({} if self.json is None else {"json": self.json})
            return
        with self.upload.opened() as file:
            yield plain | {"files": {"file": (self.upload.name, file)}, "data": self.form}


def connection(url: str, api_key: str | None) -> dict[str, Any]:
    """What either client of httpx is made with; this machine itself is never asked through a proxy."""
    headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
    local = is_loopback(urlsplit(url).hostname or "")
    return {"base_url": url, "headers": headers, "trust_env": not local}


def ingest(
    file: Path | str | bytes,
    name: str | None,
    options: Options | Mapping[str, Any] | None,
    idempotency_key: str | None,
) -> Call:
    """The key makes the second attempt of an upload whose answer was lost give the job of the first."""
    source = file if isinstance(file, str) and file.startswith(ADDRESS_PREFIX) else None
    content = Path(file) if isinstance(file, str) else file
    if name is None:
        name = content.name if isinstance(content, Path) else "document"
    parsed = options if isinstance(options, Options) else Options.model_validate(options or {})
    return Call(
        method="POST",
        path="/v1/documents",
        headers={"Idempotency-Key": idempotency_key or uuid.uuid4().hex},
        form={"options": parsed.model_dump_json(exclude_unset=True)},
        upload=None if source else Upload(content=content, name=name),
        source=source,
        timeout_s=UPLOAD_TIMEOUT_S,
    )


def job(job_id: str, wait_s: float = 0) -> Call:
    params = {"wait": wait_s} if wait_s else {}
    return Call(method="GET", path=_of(job_id), params=params, timeout_s=60 + wait_s)


def jobs(status: str | None, limit: int) -> Call:
    params = {"limit": limit} | ({"status": status} if status else {})
    return Call(method="GET", path="/v1/jobs", params=params)


def cancel(job_id: str) -> Call:
    return Call(method="DELETE", path=_of(job_id))


def events(job_id: str, after: int) -> Call:
    headers = {"Accept": "text/event-stream"} | ({"Last-Event-ID": str(after)} if after else {})
    return Call(method="GET", path=f"{_of(job_id)}/events", headers=headers, timeout_s=MAX_SILENCE_S)


def partial_pages(job_id: str) -> Call:
    headers = {"Accept": "text/event-stream"}
    return Call(method="GET", path=f"{_of(job_id)}/regions", headers=headers, timeout_s=MAX_SILENCE_S)


def result(job_id: str, format: Format) -> Call:  # noqa: A002  the parameter's name
    return Call(method="GET", path=f"{_of(job_id)}/result", params={"format": format}, timeout_s=300)


def query(text: str, k: int, mode: Mode, filters: Mapping[str, Any] | None, further: Mapping[str, Any]) -> Call:
    body = {"query": text, "k": k, "mode": mode, "filters": dict(filters or {}), **further}
    timeout_s = ANSWER_TIMEOUT_S if further.get("answer") else 60.0
    return Call(method="POST", path="/v1/query", json=body, timeout_s=timeout_s)


def extract(schema: Mapping[str, Any] | str, fields: Mapping[str, Any]) -> Call:
    """A model writes; the server has its own limit."""
    body = {"schema": schema, **{name: value for name, value in fields.items() if value is not None}}
    return Call(method="POST", path="/v1/extract", json=body, timeout_s=ANSWER_TIMEOUT_S)


def store_extraction(schema: Mapping[str, Any] | str, fields: Mapping[str, Any]) -> Call:
    """It goes on whether anybody waits for it; made twice, there are two, of which the first is nobody's."""
    return dataclasses.replace(extract(schema, fields), params={"wait": 0}, timeout_s=60)


def extraction(extraction_id: str, wait_s: float = 0) -> Call:
    params = {"wait": wait_s} if wait_s else {}
    return Call(method="GET", path=_of_extraction(extraction_id), params=params, timeout_s=60 + wait_s)


def cancel_extraction(extraction_id: str) -> Call:
    return Call(method="DELETE", path=_of_extraction(extraction_id))


def extraction_result(extraction_id: str) -> Call:
    return Call(method="GET", path=f"{_of_extraction(extraction_id)}/result")


def forget(document_id: str) -> Call:
    return Call(method="DELETE", path=f"/v1/documents/{quote(document_id)}")


def readyz() -> Call:
    return Call(method="GET", path="/readyz", timeout_s=30)


def _of(job_id: str) -> str:
    return f"/v1/jobs/{quote(job_id, safe='')}"


def _of_extraction(extraction_id: str) -> str:
    return f"/v1/extractions/{quote(extraction_id, safe='')}"
