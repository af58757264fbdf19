"""A fleet under fire: owners, machines and the bucket fail one after the other, and each upload is read just once."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.harness.server import ROOT
from tests.deployments.postgres import programs
from tests.retrieval.object_storage import program
from tests.serve.fleet.cluster import owners
from tests.serve.fleet.machines import NAMESPACE, missing
from tests.serve.three_machines import NUM_DOCUMENTS, NUM_SHARDS

pytestmark = [
    pytest.mark.serve,
    pytest.mark.slow,
    pytest.mark.skipif(programs() is None, reason="PostgreSQL is not installed here"),
    pytest.mark.skipif(program() is None, reason="moto is not installed here"),
    pytest.mark.skipif(missing() is not None, reason=f"no machines: {missing()}"),
]


def test_each_upload_is_read_and_found_once_whatever_dies(tmp_path: Path) -> None:
    """Guards against documents that a death or an outage loses, doubles, shows to another tenant, or leaves behind."""
    token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    command = [*NAMESPACE, sys.executable, "-m", "tests.serve.three_machines", str(tmp_path)]
    done = subprocess.run(command, check=False, cwd=ROOT, env=os.environ | token, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    report = json.loads(done.stdout.splitlines()[-1])
    assert report["num_documents"] == NUM_DOCUMENTS
    assert 0 < report["num_jobs_of_shard_1"] < NUM_DOCUMENTS
    killed_owner, owners_machine, outage, headless_machine, renderers_machine = report["lost_replicas"]
    assert killed_owner == ["Jobs"]
    assert "Jobs" in headless_machine
    assert owners(NUM_SHARDS)[-1] in owners_machine
    assert outage == []
    assert "Renderer" in renderers_machine
    assert min(report["unfinished"][:5]) > 0, "something was under way whenever something failed"
    assert report["lost_or_doubled"] == []
    assert report["wrong_answers"] == []
    assert report["index"] == []
    assert report["left"] == []
