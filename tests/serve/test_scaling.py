"""`deployments.calls.routing` and `deployments.replicas.scaling` in a real Serve."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from benchmarks.harness.server import ROOT

pytestmark = [pytest.mark.serve, pytest.mark.slow]


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.serve.held_calls"]
    done = subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_small_calls_go_round_the_replica_that_has_a_huge_one(report: dict[str, Any]) -> None:
    """Guards against a router that Serve never calls, or calls without the costs."""
    assert len(report["placed"]) == 12
    assert report["busy"] not in report["placed"]


def test_work_that_waits_brings_a_replica_and_its_end_takes_it_away(report: dict[str, Any]) -> None:
    """One call, so that Serve's own policy would leave one replica: guards against a figure that never arrives."""
    assert report["grew"]
    assert report["shrank"]
