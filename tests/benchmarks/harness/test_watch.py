"""`benchmarks.harness.watch`: what is watched beside a server."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from types import SimpleNamespace

import psutil
import pytest

from benchmarks.harness.watch import memory_mb, name_of, peak_of_children


def test_the_memory_of_a_child_is_seen() -> None:
    """Guards against a limit on memory that is judged by the wrong process."""
    hold = "import sys; block = bytearray(b'x') * 60_000_000; print('holding', flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", hold]
    with (
        peak_of_children(psutil.Process()) as peak,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child,
    ):
        assert child.stdout is not None
        child.stdout.readline()
        assert memory_mb(os.getpid())["all"] > 50
        end = time.monotonic() + 20
        while peak.highest < 50 and time.monotonic() < end:  # the next look is a twentieth of a second away
            pass
    assert peak.take() > 50
    assert peak.take() == 0


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("ray::ServeReplica:pagemill:Ingress", "Ingress"),
        ("ray::ServeReplica:pagemill:Ingress.handle_request_with_rejection", "Ingress"),
        ("ray::ServeController.listen_for_change", "Ray: ServeController"),
        ("/usr/lib/raylet --port 1", "Ray: raylet"),
        ("python3.11 x.py", "Ray: python3.11"),
    ],
)
def test_a_busy_process_has_the_name_that_it_has_when_idle(title: str, name: str) -> None:
    """Guards against a replica that is never killed while it works, and memory that seems to have grown."""
    process = SimpleNamespace(cmdline=title.split, name=lambda: "")
    assert name_of(process) == name  # pyright: ignore[reportArgumentType]
