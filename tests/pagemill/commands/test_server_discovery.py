"""`pagemill.commands.server_discovery`: to which server a command sends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from pagemill.cli import app
from pagemill.commands.server_discovery import server_url
from pagemill.http.http_calls import DEFAULT_URL, connection


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('{"url": "http://127.0.0.1:8123"}', "http://127.0.0.1:8123"),
        ('{"url": "http://0.0.0.0:8123"}', "http://127.0.0.1:8123"),
        ('{"url": 3}', DEFAULT_URL),
        ("{", DEFAULT_URL),
        ("[]", DEFAULT_URL),
    ],
)
def test_a_server_of_the_data_folder_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, expected: str
) -> None:
    """Guards against a command that asks port 8000 while the server says where it is."""
    (tmp_path / "server.json").write_text(content)
    monkeypatch.setenv("PAGEMILL_DATA_DIR", str(tmp_path))
    assert server_url(None) == expected
    assert server_url("http://other:1/") == "http://other:1"


def test_without_any_word_it_is_the_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against a command that needs to be told what is always so."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PAGEMILL_DATA_DIR", raising=False)
    assert server_url(None) == DEFAULT_URL


def test_an_address_without_its_scheme_is_meant_as_http() -> None:
    """Guards against `localhost:8123` that is taken for a scheme."""
    assert server_url("localhost:8123/") == "http://localhost:8123"


@pytest.mark.parametrize("named", ["http://[bad", "ftp://host", "http://", "host:port", "file:///etc/passwd"])
def test_what_is_no_address_is_a_wrong_call(named: str) -> None:
    """Guards against a traceback, and against asking three times what can never answer."""
    with pytest.raises(typer.BadParameter, match="http://127"):
        server_url(named)


def test_a_key_that_no_header_can_carry_is_a_wrong_call() -> None:
    assert CliRunner().invoke(app, ["jobs", "--api-key", "schlüssel"]).exit_code == 2


def test_this_machine_is_never_asked_through_a_proxy() -> None:
    """Guards against documents that go by way of somebody else's machine."""
    assert connection("http://127.0.0.1:8000", None)["trust_env"] is False
    assert connection("https://pagemill.example", "k") == {
        "base_url": "https://pagemill.example",
        "headers": {"Authorization": "Bearer k"},
        "trust_env": True,
    }
    assert json.dumps(connection("http://localhost", None)["headers"]) == "{}"
