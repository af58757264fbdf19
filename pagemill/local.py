"""A server of one command: started on a free port below us, and ended with all its processes."""

from __future__ import annotations

import contextlib
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx

from configs.settings import HOME
from pagemill.errors import Unreachable
from pagemill.server import PR_SET_PDEATHSIG, _prctl

READY_S = 300.0
STOP_S = 40.0
LOOK_S = 0.5  # between two looks whether it is ready


@contextlib.contextmanager
def local_server(folder: Path, config: Path = HOME / "serve_config.yaml") -> Iterator[str]:
    """The address of a server whose data, and log, lie in `folder`, until the block is left.

    Raises:
        Unreachable: it did not start; the message has the end of its log.
    """
    folder.mkdir(parents=True, exist_ok=True)
    port = _free_port()
    command = [sys.executable, "-m", "pagemill", "serve", "--config", str(config)]
    command += ["--host", "127.0.0.1", "--port", str(port), "--data-dir", str(folder)]
    with (folder / "server.log").open("ab") as log:
        # a session of its own: a terminal's Ctrl-C reaches it through us, when our work has been put down
        process = subprocess.Popen(  # noqa: S603  our own command
            command,
            cwd=HOME,
            stdout=log,
            stderr=log,
            start_new_session=True,
            preexec_fn=lambda: _prctl(PR_SET_PDEATHSIG, signal.SIGINT),  # noqa: PLW1509  it stops, too, if we are killed
        )
        try:
            url = f"http://127.0.0.1:{port}"
            _await_ready(process, url, folder / "server.log")
            yield url
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _await_ready(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + READY_S
    while time.monotonic() < deadline:
        with contextlib.suppress(httpx.HTTPError):
            if httpx.get(f"{url}/readyz", timeout=10, trust_env=False).status_code == httpx.codes.OK:
                return
        with contextlib.suppress(subprocess.TimeoutExpired):  # its end is an event, its readiness is none
            process.wait(LOOK_S)
            break
    end = "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-15:])
    raise Unreachable(f"the server did not start; the end of {log}:\n{end}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
