"""`configs.data_lock`: two servers never share a data folder, and a dead one holds nothing."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from configs.data_lock import LOCK_FILE, DataFolderInUse, GraphLock, holder, locked
from pagemill.cli import app
from pagemill.commands.serve import Server
from pagemill.ingesting.local_server import free_port
from pagemill.serving.serve_config import compose

ROOT = Path(__file__).resolve().parents[2]
HOLD = """
import subprocess, sys
from pathlib import Path
from configs.data_lock import locked
with locked(Path(sys.argv[1]), "http://127.0.0.1:8123"):
    child = subprocess.Popen(["sleep", "600"])
    print(child.pid, flush=True)
    child.wait()
"""


@pytest.fixture(autouse=True)
def nothing_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that is not refused fails the test instead of running for ever."""
    monkeypatch.setattr(Server, "_started", lambda *_: pytest.fail("the graph was started"))


def test_a_second_server_on_the_folder_is_refused_before_it_changes_anything(tmp_path: Path) -> None:
    """Guards against a `serve_config.yaml` overwritten and a `server.json` removed under a running server."""
    kept = {"serve_config.yaml": "of the first", "server.json": "{}"}
    for name, content in kept.items():
        (tmp_path / name).write_text(content)
    with locked(tmp_path, "http://127.0.0.1:8123"):
        composed = compose(ROOT / "serve_config.yaml", {"data_dir": str(tmp_path), "port": str(free_port())}, {})
        with pytest.raises(DataFolderInUse, match=rf"process {os.getpid()}, http://127\.0\.0\.1:8123"):
            Server(composed).run()
    assert {name: (tmp_path / name).read_text() for name in kept} == kept


def test_the_command_says_who_holds_the_folder(tmp_path: Path) -> None:
    """Guards against a traceback where two words help."""
    with locked(tmp_path, "http://127.0.0.1:8123"):
        options = ["--config", str(ROOT / "serve_config.yaml"), "--data-dir", str(tmp_path), "--port", str(free_port())]
        ran = CliRunner().invoke(app, ["serve", *options], env={"COLUMNS": "400", "TERM": "dumb"})
    assert (ran.exit_code, f"process {os.getpid()}" in ran.stderr, "Traceback" in ran.stderr) == (2, True, False)


def test_a_killed_server_holds_nothing_although_its_child_lives_on(tmp_path: Path) -> None:
    """Guards against a lock that Ray's processes inherit, and a file that outlives its server."""
    first = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert first.stdout is not None
    child = int(first.stdout.readline())
    try:
        assert holder(tmp_path) == f"process {first.pid}, http://127.0.0.1:8123"
        first.kill()
        first.wait()
        os.kill(child, 0)  # it lives
        assert holder(tmp_path) is None
        with locked(tmp_path, "http://127.0.0.1:8124"):
            assert holder(tmp_path) == f"process {os.getpid()}, http://127.0.0.1:8124"
    finally:
        os.kill(child, signal.SIGKILL)
        first.stdout.close()


def test_a_folder_without_a_server_has_no_holder(tmp_path: Path) -> None:
    assert holder(tmp_path / "none") is None
    assert holder(tmp_path) is None


def test_a_graph_started_otherwise_is_refused_a_folder_in_use(tmp_path: Path) -> None:
    """Guards against a plain `serve run` that works with the data of a running `pagemill serve`."""
    first = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert first.stdout is not None
    child = int(first.stdout.readline())
    try:
        with pytest.raises(DataFolderInUse, match=f"process {first.pid}, "):
            GraphLock(tmp_path, "127.0.0.1:6379").take()
    finally:
        first.kill()
        first.wait()
        os.kill(child, signal.SIGKILL)
        first.stdout.close()
    GraphLock(tmp_path, "127.0.0.1:6379").take()


def test_a_graph_below_the_server_that_holds_the_folder_is_not_refused(tmp_path: Path) -> None:
    """Guards against a server that keeps its own jobs from starting."""
    take = (
        "import sys, pathlib; from configs.data_lock import GraphLock; GraphLock(pathlib.Path(sys.argv[1]), 'r').take()"
    )
    with locked(tmp_path, "http://127.0.0.1:8123"):
        subprocess.run([sys.executable, "-c", take, str(tmp_path)], cwd=ROOT, check=True)
        assert holder(tmp_path) == f"process {os.getpid()}, http://127.0.0.1:8123"


def test_a_graph_holds_the_folder_against_others_and_not_against_its_own_next_replica(tmp_path: Path) -> None:
    """Guards against two plain servers on one folder, and against a replica that the one before it keeps out."""
    first, second, other = (GraphLock(tmp_path, ray) for ray in ("127.0.0.1:1", "127.0.0.1:1", "127.0.0.1:2"))
    first.take()
    second.take()
    with pytest.raises(DataFolderInUse, match=re.escape(f"process {os.getpid()}, Ray at 127.0.0.1:1")):
        other.take()
    with pytest.raises(DataFolderInUse), locked(tmp_path, "http://127.0.0.1:8123"):
        pass
    first.release()
    second.take()  # as soon as it has the lease
    with pytest.raises(DataFolderInUse):
        other.take()


def test_looking_for_a_server_keeps_none_from_starting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against `doctor` beside a start, which is refused then by the name of a server that died long ago."""
    (tmp_path / LOCK_FILE).write_text("process 1, http://127.0.0.1:8123")
    close, started = os.close, list[str | None]()

    def close_after_a_start(descriptor: int) -> None:
        monkeypatch.undo()
        with locked(tmp_path, "http://127.0.0.1:8124"):
            started.append(holder(tmp_path))
        close(descriptor)

    monkeypatch.setattr("configs.data_lock.os.close", close_after_a_start)
    assert holder(tmp_path) is None
    assert started == [f"process {os.getpid()}, http://127.0.0.1:8124"]
