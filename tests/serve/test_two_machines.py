"""A machine of a cluster dies in the middle of the load: the one that owns the jobs."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.harness.server import ROOT
from tests.serve.two_machines import NUM_DOCUMENTS, NUM_LATER, NUM_PAGES

pytestmark = [pytest.mark.serve, pytest.mark.slow]


def test_nothing_is_lost_when_the_machine_that_owns_the_jobs_dies(tmp_path: Path) -> None:
    """Guards against jobs that end with the machine, pages that end with a replica, and a door that closes with one."""
    token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    command = [sys.executable, "-m", "tests.serve.two_machines", str(tmp_path)]
    done = subprocess.run(command, check=False, cwd=ROOT, env=os.environ | token, capture_output=True, text=True)
    log = tmp_path / "fleet.log"
    assert done.returncode == 0, done.stderr[-3000:] + (log.read_text()[-3000:] if log.exists() else "")
    report = json.loads(done.stdout.splitlines()[-1])
    assert {"Jobs", "Ocr", "Layout", "Renderer", "Pipeline"} <= set(report["lost"])
    assert 0 < report["pages_done_before"] < sum(len(job["pages"]) for job in report["jobs"])
    assert len(report["jobs"]) == NUM_DOCUMENTS + NUM_LATER
    for number, job in enumerate(report["jobs"]):
        assert job == {"status": "succeeded", "pages": ["succeeded"] * (1 if number % 3 == 0 else NUM_PAGES)}
