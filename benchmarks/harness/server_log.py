"""The traces in a server's logs (`log_format` JSON), each with the job and page that it belongs to."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

BEGUN = "Traceback (most recent call last)"  # in a message: the trace of another process, logged as text
FOLDER = Path("ray/ray/session_latest/logs/serve")  # below the data folder


class Trace(NamedTuple):
    """An exception that the server logged."""

    job_id: str | None
    page: int | None
    request_id: str | None
    message: str
    text: str


def traces(folder: Path) -> list[Trace]:
    """The exceptions in the files of `folder`, in order of file and line; those of one call share its job and page."""
    records = [record for file in sorted(folder.rglob("*.log*")) for record in _records(file)]
    of_call: dict[str, tuple[str, int | None]] = {}
    for record in records:
        if record.get("request_id") and record.get("job"):
            of_call[record["request_id"]] = record["job"], record.get("page")
    return [
        _trace(record, of_call) for record in records if record.get("exc_text") or BEGUN in record.get("message", "")
    ]


def text_of(
    traces: Sequence[Trace],
    *,
    job_id: str | None,
    page: int | None = None,
    request_id: str | None = None,
    word: str = "",
) -> str | None:
    """The first trace of the call, or of the job and page, whose message or text has `word`; None if there is none."""
    for trace in traces:
        of_call = request_id is not None and trace.request_id == request_id
        of_page = job_id is not None and (trace.job_id, trace.page) == (job_id, page)
        if (of_call or of_page) and (word in trace.message or word in trace.text):
            return f"{trace.message}\n{trace.text}".strip()
    return None


def _trace(record: dict[str, Any], of_call: dict[str, tuple[str, int | None]]) -> Trace:
    request_id = record.get("request_id") or None
    job_id, page = of_call.get(request_id or "", (None, None))
    return Trace(
        job_id=record.get("job") or job_id,
        page=record.get("page") or page,
        request_id=request_id,
        message=str(record.get("message", "")),
        text=str(record.get("exc_text") or ""),
    )


def _records(file: Path) -> Iterator[dict[str, Any]]:
    """The lines of a log that are JSON objects; the proxy and Ray itself write text between."""
    with file.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if line.startswith("{"):
                try:
                    record = json.loads(line)
                except ValueError:  # the last line may be half written
                    continue
                if isinstance(record, dict):
                    yield record
