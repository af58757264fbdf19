"""Importing the layout network's package touches neither network nor home."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from documents.layout.doclayout.offline_import import quiet_import

ROOT = Path(__file__).parents[4]

IMPORT = """
import socket, sys

tried = []
def refuse(*args, **kwargs):
    tried.append(args)
    raise OSError("guarded")
socket.socket.connect = socket.socket.connect_ex = refuse
real = socket.getaddrinfo
socket.getaddrinfo = refuse

from documents.layout.doclayout.offline_import import quiet_import
with quiet_import():
    from doclayout_yolo.nn.tasks import YOLOv10DetectionModel
import albumentations
assert not tried, tried
print("quiet")
"""


def test_nothing_is_probed_and_no_file_is_left(tmp_path):
    """Guards against a server that hangs for seconds, or tells of itself, wherever there is no network."""
    home = tmp_path / "home"
    home.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", IMPORT],
        capture_output=True,
        text=True,
        timeout=120,
        env={"PYTHONPATH": str(ROOT), "HOME": str(home), "PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"},
        check=False,
    )
    assert done.stdout == "quiet\n", done.stderr
    assert list(home.rglob("*")) == []


def test_the_environment_of_others_is_left_as_it_is(monkeypatch):
    """Guards against variables that another thread sets during the import, and that are lost with it."""
    monkeypatch.delenv("YOLO_CONFIG_DIR", raising=False)
    monkeypatch.setenv("MPLCONFIGDIR", "/somewhere")
    monkeypatch.delenv("NO_ALBUMENTATIONS_UPDATE", raising=False)
    connect = socket.create_connection
    monkeypatch.setenv("SET_BY_ANOTHER_THREAD", "before")
    with quiet_import():
        assert os.environ["MPLCONFIGDIR"] == "/somewhere"
        assert os.environ["YOLO_CONFIG_DIR"]
        with pytest.raises(OSError, match="no probing"):
            socket.create_connection(("127.0.0.1", 9))
        os.environ["SET_BY_ANOTHER_THREAD"] = "after"
    assert os.environ["SET_BY_ANOTHER_THREAD"] == "after"
    assert "YOLO_CONFIG_DIR" not in os.environ
    assert os.environ["MPLCONFIGDIR"] == "/somewhere"
    assert socket.create_connection is connect
