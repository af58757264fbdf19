"""A cluster of a head and two machines under load, of which the one that owns the jobs dies; prints what became of it.

Run by test_two_machines.py in a process of its own: Ray takes its token from the environment when it is first loaded.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import psutil
import yaml
from ray.cluster_utils import Cluster

from benchmarks.harness.server import ROOT, free_port
from tests.serve.files import pdf, png
from tests.serve.fleet.cluster import TWICE, await_ready, replicas, spread_out, wait_until

NUM_DOCUMENTS, NUM_PAGES, NUM_LATER = 6, 3, 2


def main(folder: Path) -> dict[str, Any]:
    """What was on the machine that died, and every job at the end."""
    port = free_port()
    file = folder / "fleet.yaml"
    args = {"data_dir": str(folder / "data")}  # of both machines: the database and the uploads
    file.write_text(yaml.safe_dump(spread_out("127.0.0.1", port, args, dict.fromkeys(TWICE, 2))))
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "dashboard_port": free_port()})
    machines = [cluster.add_node(num_cpus=2, resources={"cpu_machine": 1}) for _ in range(2)]
    try:
        assert cluster.address is not None
        with served(file, cluster.address), httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
            await_ready(client)
            jobs = [send(client, number) for number in range(NUM_DOCUMENTS)]
            wait_until(lambda: any(done_pages(client, job) for job in jobs))
            dying = next(machine for machine in machines if "Jobs" in replicas(below(machine)))
            lost, before = replicas(below(dying)), [done_pages(client, job) for job in jobs]
            cluster.remove_node(dying, allow_graceful=False)
            jobs += [send(client, NUM_DOCUMENTS + number) for number in range(NUM_LATER)]
            ended = [ended_job(client, job) for job in jobs]
            return {"lost": sorted(lost), "pages_done_before": sum(before), "jobs": ended}
    finally:
        cluster.shutdown()


@contextlib.contextmanager
def served(file: Path, address: str) -> Iterator[None]:
    """`serve run` on that cluster; its log lies beside the file."""
    command = [sys.executable, "-m", "ray.serve.scripts", "run", "--address", address, str(file)]
    with file.with_suffix(".log").open("wb") as log:
        process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)
        try:
            yield
        finally:
            process.terminate()
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()


def below(machine: Any) -> list[psutil.Process]:
    """What runs on a machine."""
    (raylet,) = machine.all_processes["raylet"]
    return psutil.Process(raylet.process.pid).children(recursive=True)


def send(client: httpx.Client, number: int) -> str:
    """The job of an upload, tried until it is taken: a client of a cluster does that."""
    title = f"Harbour Rules {number}"
    content = png(title) if number % 3 == 0 else pdf(NUM_PAGES, title=title)
    job_ids: list[str] = []

    def accepted() -> bool:
        with contextlib.suppress(httpx.HTTPError):
            answer = client.post(
                "/v1/documents", files={"file": ("a", content)}, headers={"Idempotency-Key": f"document {number}"}
            )
            if answer.status_code in (200, 202):
                job_ids.append(answer.json()["id"])
        return bool(job_ids)

    wait_until(accepted)
    return job_ids[0]


def done_pages(client: httpx.Client, job: str) -> int:
    """Pages of a job that have succeeded; 0 while the server does not answer."""
    with contextlib.suppress(httpx.HTTPError):
        answer = client.get(f"/v1/jobs/{job}")
        if answer.status_code == 200:
            return sum(page["status"] == "succeeded" for page in answer.json()["pages"])
    return 0


def ended_job(client: httpx.Client, job: str) -> dict[str, Any]:
    """What became of a job."""
    last_answer: dict[str, Any] = {}

    def ended() -> bool:
        with contextlib.suppress(httpx.HTTPError):
            answer = client.get(f"/v1/jobs/{job}", params={"wait": 20})
            if answer.status_code == 200:
                last_answer.update(answer.json())
        return last_answer.get("status") in ("succeeded", "partial", "failed", "cancelled")

    wait_until(ended)
    return {"status": last_answer.get("status"), "pages": [page["status"] for page in last_answer.get("pages", [])]}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="pm-", ignore_cleanup_errors=True) as place:
        report = main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(place))
    sys.stdout.write(json.dumps(report) + "\n")
