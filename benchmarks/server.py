"""A server of our own for a script: started on a free port with a data folder, ended with all its processes."""

from __future__ import annotations

import contextlib
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import httpx

ROOT = Path(__file__).resolve().parents[1]
READY_S = 180.0
STOP_S = 40.0


class DidNotStart(Exception):
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
def server(data: Path, *options: str, port: int | None = None) -> Iterator[Running]:
    """`pagemill serve` until the block is left.

    Raises:
        DidNotStart: with the end of its log.
    """
    port = port or free_port()
    data.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pagemill", "serve", "--port", str(port), "--data-dir", str(data), *options]
    begun = time.monotonic()
    with (data / "server.log").open("ab") as log:
        process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)
        try:
            url = f"http://127.0.0.1:{port}"
            _await_ready(process, url, data / "server.log")
            yield Running(url, process.pid, time.monotonic() - begun)
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                process.kill()
                raise


def _await_ready(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + READY_S
    pause = threading.Event()  # there is no event to wait for in another process
    while process.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(httpx.HTTPError):
            if httpx.get(f"{url}/readyz", timeout=10, trust_env=False).status_code == httpx.codes.OK:
                return
        pause.wait(0.5)
    raise DidNotStart(_end_of(log))


def _end_of(log: Path, num_lines: int = 40) -> str:
    with log.open(encoding="utf-8", errors="replace") as text:
        lines: IO[str] | list[str] = text.readlines()
    return "".join(lines[-num_lines:])
