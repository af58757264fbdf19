"""The graph of each profile on processors alone: it starts, reads, and lets nobody without Ray's token in."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
import yaml

from benchmarks.harness.server import server
from configs.profiles import FOLDER, PROFILES, on_cpus, read_profile
from tests.serve.files import pdf, png

pytestmark = [pytest.mark.serve, pytest.mark.slow]

CONNECT = "import ray, sys; ray.init(address=sys.argv[1], log_to_driver=False); print('connected')"


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_reads_documents_and_needs_the_token(name: str, tmp_path: Path) -> None:
    """Guards against a profile that nobody has ever started: a policy, a router or an option that Ray refuses."""
    file = tmp_path / name
    file.write_text(yaml.safe_dump(on_cpus(read_profile(FOLDER / name))))
    with server(tmp_path / "data", "--config", str(file)) as running:
        with httpx.Client(base_url=running.url, timeout=200, trust_env=False) as client:
            for content, media in ((pdf(2), "a.pdf"), (png(), "a.png")):
                job = client.post("/v1/documents", params={"wait": 100}, files={"file": (media, content)}).json()
                assert job["status"] == "succeeded", job
                text = client.get(job["links"]["result"], params={"format": "md"}).text
                assert "harbour master" in text
        where = json.loads((tmp_path / "data" / "server.json").read_text())
        bare = {key: value for key, value in os.environ.items() if not key.startswith("RAY_")} | {"HOME": str(tmp_path)}
        bare |= {key: value for key, value in where["environment"].items() if not key.startswith("RAY_AUTH_")}
        command = [sys.executable, "-c", CONNECT, where["ray_address"]]
        refused = subprocess.run(command, check=False, env=bare, capture_output=True, text=True, timeout=120)
        assert refused.stdout.strip() == ""
        assert refused.returncode != 0
        assert "token" in refused.stderr  # it came to the door: an address where nobody listens refuses, too
