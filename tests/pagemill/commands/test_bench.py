"""`pagemill bench`: benchmarks by name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pagemill.cli import app
from pagemill.commands import bench

CODE = '''"""How long is a piece of string?"""
import pathlib, sys
if __name__ == "__main__":
    print("a table", *sys.argv[1:])
    if "--json" in sys.argv:
        pathlib.Path(sys.argv[sys.argv.index("--json") + 1]).write_text('{"figures": {"length": 1}}')
    sys.exit(4 if "--fail" in sys.argv else 0)
'''


@pytest.fixture
def string(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "benchmarks" / "string.py").write_text(CODE)
    (tmp_path / "benchmarks" / "report.py").write_text('"""No benchmark."""')
    (tmp_path / "benchmarks" / "_strand.py").write_text(CODE)
    monkeypatch.setattr(bench, "HOME", tmp_path)
    monkeypatch.setattr(bench.benchmarks, "__defaults__", (tmp_path / "benchmarks",))


def test_only_what_can_be_run_is_listed_with_its_question(string: None) -> None:
    """Guards against a list that somebody has to keep."""
    ran = CliRunner().invoke(app, ["bench", "--json"])
    assert json.loads(ran.stdout) == {"string": "How long is a piece of string?"}


def test_a_benchmark_runs_and_its_figures_and_exit_code_are_ours(
    string: None, capfd: pytest.CaptureFixture[str]
) -> None:
    """Guards against a benchmark that fails and a command that says all is well."""
    ran = CliRunner().invoke(app, ["bench", "string", "--quick", "--json"])
    assert (ran.exit_code, json.loads(ran.stdout)) == (0, {"figures": {"length": 1}})
    assert CliRunner().invoke(app, ["bench", "string", "--", "--fail"]).exit_code == 4
    assert "a table --fail" in capfd.readouterr().out
    assert CliRunner().invoke(app, ["bench", "rope"]).exit_code == 2


def test_the_project_s_own_benchmarks_are_found() -> None:
    """Guards against a folder that has moved."""
    assert {"smoke", "quality"} <= set(bench.benchmarks())
