"""Captures the log of the server's processes in DATA/logs/ray.log, and picks the lines to show."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

CHECK_INTERVAL_S = 0.3  # between two looks at the file; nothing tells of its growth
MAX_LOG_BYTES = 50_000_000  # the file is emptied into ray.log.1 then
NUM_OLD_LOGS = 5  # logs of earlier starts that are kept
COLOUR_CODE = re.compile(r"\x1b\[[0-9;]*m")
PARTS_PREFIX = "pagemill parts: "  # as deployments.library_internals.own_ray prints it
REPLICA_PREFIX = re.compile(r"\(ServeReplica:pagemill:(?P<part>\w+) pid=\d+\) (?P<rest>.*)")
LOG_LINE = re.compile(r"(?P<level>[A-Z]+) \d{4}-\d\d-\d\d \S+ \S+ (?:\S+ )*?-- (?P<message>.*)")
JOB_MESSAGE = re.compile(r"job (?P<id>\S+): (?P<status>succeeded|partial|failed|cancelled) (?P<ending>\{.*\})")
VISIBLE_LEVELS = ("WARNING", "ERROR", "CRITICAL")
ROUTINE_MESSAGES = (  # Serve's own; a failure is reported in the job's line or in the answer
    "Failed to get queue length",
    "The following",
    "Didn't receive",
    "Replica at capacity",
    "Request failed",
)


@dataclass(frozen=True, slots=True)
class Parts:
    """Which deployments run, by name."""

    running: dict[str, bool]


@dataclass(frozen=True, slots=True)
class JobEnd:
    """A job that has ended."""

    job_id: str
    status: str
    file_name: str
    num_pages: int
    seconds: float
    num_warnings: int
    error: str | None


@dataclass(frozen=True, slots=True)
class Notice:
    """A warning or an error of one of the parts."""

    level: str
    part: str
    message: str


Message = Parts | JobEnd | Notice


def message_of(line: str) -> Message | None:
    """What a line tells a person; None: nothing that matters."""
    plain = COLOUR_CODE.sub("", line).strip()
    if plain.startswith(PARTS_PREFIX):
        return _parts(plain.removeprefix(PARTS_PREFIX))
    replica = REPLICA_PREFIX.match(plain)
    if replica is None:
        return None
    level, message = _level_and_message(replica["rest"])
    if replica["part"].startswith("Jobs") and (job := JOB_MESSAGE.match(message)) is not None:
        return _job_end(job)
    if level in VISIBLE_LEVELS and not message.startswith(ROUTINE_MESSAGES):
        return Notice(level, replica["part"], message)
    return None


def _parts(text: str) -> Parts | None:
    try:
        return Parts({str(name): bool(runs) for name, runs in json.loads(text).items()})
    except (ValueError, AttributeError):
        return None


def _level_and_message(text: str) -> tuple[str, str]:
    """Of a log line in either of Serve's formats; empty where it is another program's."""
    if text.startswith("{"):
        try:
            fields: Any = json.loads(text)
            return str(fields.get("levelname", "")), str(fields.get("message", ""))
        except (ValueError, AttributeError):
            return "", ""
    match = LOG_LINE.match(text)
    return (match["level"], match["message"]) if match else ("", "")


def _job_end(job: re.Match[str]) -> JobEnd | None:
    try:
        ending: dict[str, Any] = json.loads(job["ending"])
        return JobEnd(
            job_id=job["id"],
            status=job["status"],
            file_name=str(ending["file"]),
            num_pages=int(ending["pages"]),
            seconds=float(ending["seconds"]),
            num_warnings=int(ending["warnings"]),
            error=ending["error"],
        )
    except (ValueError, KeyError, TypeError):
        return None


class ServerLog:
    """DATA/logs/ray.log: all that the processes of one start print, bounded; earlier starts have a number behind."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "ray.log"

    def open(self) -> BinaryIO:
        """A new file to append to; those of earlier starts move on by one."""
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        for number in range(NUM_OLD_LOGS - 1, 0, -1):
            if self._numbered(number).exists():
                self._numbered(number).replace(self._numbered(number + 1))
        if self.path.exists():
            self.path.replace(self._numbered(1))
        return self.path.open("ab")

    def follow(self, ended: threading.Event, take: Callable[[str], None]) -> None:
        """Hand each line to `take` until `ended` is set, and then those that are left."""
        with self.path.open("rb") as file:
            rest = b""
            while True:
                last_look = ended.wait(CHECK_INTERVAL_S)
                rest = self._lines(file, rest, take)
                if last_look:
                    return

    def end(self, num_lines: int) -> str:
        """The last lines, for an error."""
        lines = self.path.read_text(encoding="utf-8", errors="replace").splitlines()
        return "\n".join(COLOUR_CODE.sub("", line) for line in lines[-num_lines:])

    def _lines(self, file: BinaryIO, rest: bytes, take: Callable[[str], None]) -> bytes:
        """The beginning of a line that is not whole yet."""
        *whole, rest = (rest + file.read()).split(b"\n")
        for line in whole:
            take(line.decode("utf-8", errors="replace"))
        if file.tell() > MAX_LOG_BYTES:
            self._empty(file)
        return rest

    def _empty(self, file: BinaryIO) -> None:
        """Its writers append, so they go on at the new beginning."""
        self._numbered(1).write_bytes(self.path.read_bytes())
        with self.path.open("r+b") as content:
            content.truncate(0)
        file.seek(0)

    def _numbered(self, number: int) -> Path:
        return self.path.with_name(f"{self.path.name}.{number}")
