"""The ways to start and stop a server; each starts a Ray of its own, so they run in `make test-long`."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil
import pytest
import yaml

from benchmarks.harness.server import ROOT, free_port, server
from tests.serve.files import pdf

pytestmark = [pytest.mark.serve, pytest.mark.slow]

LOOPBACK_UP = """
import fcntl, socket, struct, sys
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
    fcntl.ioctl(probe, 0x8914, struct.pack("16sh", b"lo", 0x1 | 0x40))  # SIOCSIFFLAGS: up, running
"""


def test_two_servers_run_side_by_side_and_one_stops_alone(tmp_path: Path) -> None:
    """Guards against servers that share ports or a Ray, and against a Ctrl-C that reaches the neighbour."""
    with server(tmp_path / "one") as one:
        with server(tmp_path / "two") as two:
            below = psutil.Process(two.pid).children(recursive=True)
            assert _ingested(two.url)
        assert [process for process in below if process.is_running()] == []
        assert httpx.get(f"{one.url}/readyz", trust_env=False, timeout=30).status_code == 200
        assert _ingested(one.url)


def test_documents_are_read_with_no_network_at_all() -> None:
    """Guards against anything in serving or converting that calls out, or waits for an answer from outside."""
    if shutil.which("unshare") is None:
        pytest.skip("no unshare here")
    python = shlex.quote(sys.executable)
    smoke = f"{python} -c '{LOOPBACK_UP}' && exec {python} -m benchmarks.smoke"
    command = ["unshare", "--net", "--map-root-user", "bash", "-c", smoke]
    done = subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True, timeout=400)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert done.stdout.count("succeeded") == 3


def test_plain_serve_run_works_as_the_file_stands(tmp_path: Path) -> None:
    """Guards against a `serve_config.yaml` that needs our own command to be of use."""
    port = free_port()
    config = yaml.safe_load((ROOT / "serve_config.yaml").read_text())
    config["http_options"]["port"] = port  # 8000 may be taken where this runs
    file = tmp_path / "serve_config.yaml"
    file.write_text(yaml.safe_dump(config))
    environment = os.environ | {"PAGEMILL_DATA_DIR": str(tmp_path / "data")}
    command = [str(Path(sys.executable).with_name("serve")), "run", "--address", "local", str(file)]
    with tempfile.TemporaryDirectory(prefix="ray-") as short, _running(command, environment | {"RAY_TMPDIR": short}):
        assert _ingested(f"http://127.0.0.1:{port}", ready_s=180)


def test_plain_serve_run_is_refused_a_folder_in_use(tmp_path: Path) -> None:
    """Guards against two servers that work with the same files, one of which waits for ever and does not say why."""
    hold = (
        f"from configs.data_lock import locked\nwith locked(__import__('pathlib').Path({str(tmp_path)!r}), 'http://x'):"
    )
    config = yaml.safe_load((ROOT / "serve_config.yaml").read_text())
    config["http_options"]["port"] = free_port()
    file, log = tmp_path / "serve_config.yaml", tmp_path / "log"
    file.write_text(yaml.safe_dump(config))
    log.touch()  # the shell may make it after it is first looked at
    first = subprocess.Popen(
        [sys.executable, "-c", f"{hold}\n print(flush=True)\n input()"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert first.stdin is not None
    assert first.stdout is not None
    first.stdout.readline()
    command = f"exec {Path(sys.executable).with_name('serve')} run --address local {file} >{log} 2>&1"
    environment = os.environ | {"PAGEMILL_DATA_DIR": str(tmp_path)}
    pause = threading.Event()
    with tempfile.TemporaryDirectory(prefix="ray-") as short:
        environment |= {"RAY_TMPDIR": short}
        with _running(["bash", "-c", command], environment):
            for _ in range(180):
                if "DataFolderInUse" in log.read_text():
                    break
                pause.wait(1)
    first.communicate(timeout=20)
    assert f"is in use by process {first.pid}, http://x" in log.read_text()


def test_a_port_that_is_taken_is_said_at_once() -> None:
    """Guards against a server that comes up after a minute and cannot be reached."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = str(listener.getsockname()[1])
        command = [sys.executable, "-m", "pagemill", "serve", "--port", port]
        done = subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True, timeout=240)
    assert done.returncode == 2
    assert "cannot listen" in done.stderr


@contextlib.contextmanager
def _running(command: list[str], environment: dict[str, str]) -> Iterator[None]:
    process = subprocess.Popen(command, cwd=ROOT, env=environment, start_new_session=True)
    try:
        yield
    finally:
        below = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGINT)
        try:
            process.wait(40)
        finally:
            for child in below:
                with contextlib.suppress(psutil.NoSuchProcess):
                    child.kill()


def _ingested(url: str, ready_s: float = 30) -> bool:
    pause = threading.Event()
    for _ in range(int(ready_s)):
        with contextlib.suppress(httpx.HTTPError):
            if httpx.get(f"{url}/readyz", trust_env=False, timeout=10).status_code == 200:
                break
        pause.wait(1)
    answer = httpx.post(
        f"{url}/v1/documents", params={"wait": 100}, files={"file": ("a.pdf", pdf())}, trust_env=False, timeout=120
    )
    return answer.json()["status"] == "succeeded"
