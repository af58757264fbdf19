"""Starts a temporary server for one command (`pagemill ingest --local`) on a free port, and stops it after."""

from __future__ import annotations

import contextlib
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx

from configs.child_processes import interrupt_with_parent
from configs.settings import HOME
from pagemill.errors import Unreachable

STARTUP_TIMEOUT_S = 300.0
STOP_TIMEOUT_S = 40.0
READINESS_INTERVAL_S = 0.5  # time between two checks whether the server is ready
NUM_LOG_LINES = 40  # last lines of the log, which explain why the server did not start


class DidNotStart(Unreachable):
    """The server ended, or was not ready in time; the message holds the end of its log."""


@dataclass(frozen=True, slots=True)
class Running:
    """A server that is ready."""

    url: str
    pid: int
    seconds: float  # from start to ready


def free_port() -> int:
    """A port that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def local_server(folder: Path, *options: str, port: int | None = None) -> Iterator[Running]:
    """A server whose data, and log, lie in `folder`, until the block is left; `options` are those of `pagemill serve`.

    Raises:
        DidNotStart: with the end of its log.
    """
    folder.mkdir(parents=True, exist_ok=True)
    port = port or free_port()
    command = [sys.executable, "-m", "pagemill", "serve", "--port", str(port), "--data-dir", str(folder), "--verbose"]
    command += options
    started_at = time.monotonic()
    with (folder / "server.log").open("ab") as log:
        # a session of its own: a terminal's Ctrl-C reaches it through us, when our work has been put down
        process = subprocess.Popen(  # noqa: S603  our own command
            command,
            cwd=HOME,
            stdout=log,
            stderr=log,
            start_new_session=True,
            preexec_fn=interrupt_with_parent,  # noqa: PLW1509
        )
        try:
            url = f"http://127.0.0.1:{port}"
            _await_ready(process, url, folder / "server.log")
            yield Running(url, process.pid, time.monotonic() - started_at)
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(STOP_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _await_ready(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + STARTUP_TIMEOUT_S
    while time.monotonic() < deadline:
        with contextlib.suppress(httpx.HTTPError):
            if httpx.get(f"{url}/readyz", timeout=10, trust_env=False).status_code == httpx.codes.OK:
                return
        with contextlib.suppress(subprocess.TimeoutExpired):  # its end is an event, its readiness is none
            process.wait(READINESS_INTERVAL_S)
            break
    raise DidNotStart(f"the server did not start; the end of {log}:\n{_end_of(log)}")


def _end_of(log: Path, num_lines: int = NUM_LOG_LINES) -> str:
    return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-num_lines:])
