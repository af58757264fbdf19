"""`pagemill convert`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pagemill.cli import app
from pagemill.commands import convert_checkpoint as convert_module


def test_convert_says_why_a_file_is_no_checkpoint(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Guards against a traceback, or a success, for a file that is something else."""
    (tmp_path / "words.pt").write_text("no pickle")
    assert convert_module.convert(tmp_path / "words.pt", tmp_path / "made") == 1
    assert "words.pt cannot be converted" in capfd.readouterr().err
    assert not (tmp_path / "made").exists()


def test_convert_is_a_command_that_answers_with_the_status(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against a command that is documented and not there, or that ends well whatever happened."""
    calls = []
    monkeypatch.setattr("pagemill.cli.convert", lambda *paths: calls.append(paths) or 3)
    done = CliRunner().invoke(app, ["convert", str(tmp_path), str(tmp_path / "made")])
    assert done.exit_code == 3
    assert calls == [(tmp_path, tmp_path / "made")]
    assert CliRunner().invoke(app, ["convert", str(tmp_path / "missing.pt"), "made"]).exit_code == 2
    result = CliRunner().invoke(app, ["convert", str(tmp_path), "made", "--json"])
    assert (result.exit_code, json.loads(result.stdout)["converted"]) == (3, False)
