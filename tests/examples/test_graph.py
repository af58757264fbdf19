"""`examples/graph.py`: how a driver finds the running graph; the connection itself runs in tests/serve."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "script", [("handle_call.py", "tests/data/letter.pdf"), ("bulk_ingest.py", "in", "out"), ("ray_job.py",)]
)
def test_an_example_without_a_server_says_what_to_do(
    script: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards against a traceback as the first thing that a newcomer sees."""
    monkeypatch.setenv("RAY_ADDRESS", "")
    command = [sys.executable, f"examples/{script[0]}", *script[1:], "--data-dir", str(tmp_path)]
    ran = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert (ran.returncode, "make serve" in ran.stderr, "Traceback" in ran.stderr) == (1, True, False)
