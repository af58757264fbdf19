"""`deployments.replicas.loop_watchdog` in a real Serve: a replica whose loop stands still is replaced."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from benchmarks.harness.server import ROOT

pytestmark = pytest.mark.serve


def test_a_replica_whose_loop_stands_still_is_replaced_and_its_log_says_where_it_stood() -> None:
    """A validator on the loop stopped all of HTTP for ever: Serve's health check runs on another loop and passed (A1).

    A pattern that keeps the interpreter's lock stopped it for 100 s, three health checks of 30 s (A2).
    """
    command = [sys.executable, "-m", "tests.serve.stalled_loops"]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True, timeout=300)
    report = json.loads(done.stdout.splitlines()[-1])
    assert report["stayed"], "a loop that has its turns is left alone, however long its work takes"
    assert all(away is not None and away < 60 for away in report["away"].values()), report["away"]
    assert "in count" in "".join(report["stacks"])
    assert "in match" in "".join(report["stacks"])
