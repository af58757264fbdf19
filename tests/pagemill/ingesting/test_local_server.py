"""`pagemill.ingesting.local_server`: a server that does not come up says why."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from pagemill.ingesting.local_server import DidNotStart, _end_of, free_port, local_server


def test_a_free_port_can_be_listened_on() -> None:
    """Guards against a port that is taken by the time it is told."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", free_port()))


def test_only_the_end_of_a_log_is_shown(tmp_path: Path) -> None:
    """Guards against a screen full of the start's own lines."""
    log = tmp_path / "log"
    log.write_text("".join(f"{n}\n" for n in range(100)))
    assert _end_of(log, 2) == "98\n99"


def test_a_server_that_ends_at_once_is_not_waited_for(tmp_path: Path) -> None:
    """Guards against three minutes of waiting for a misspelt option."""
    with pytest.raises(DidNotStart, match="ocr"), local_server(tmp_path, "--ocr-max-runing", "3"):
        pass
