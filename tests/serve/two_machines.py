"""A cluster of a head and two machines under load, of which the one that owns the jobs dies; prints what became of it.

Run by test_two_machines.py in a process of its own: Ray takes its token from the environment when it is first loaded.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import psutil
import yaml
from ray.cluster_utils import Cluster

from benchmarks.harness.server import ROOT, free_port
from configs.profiles import FOLDER, on_cpus, read_profile
from tests.serve.files import pdf, png

NUM_DOCUMENTS, NUM_PAGES, NUM_LATER = 6, 3, 2
READY_S, DONE_S = 600.0, 600.0
TWICE = ("Ingress", "Pipeline", "Renderer", "Layout", "Ocr")  # one replica on each machine
TITLE = "ray::ServeReplica:pagemill:"


def main(folder: Path) -> dict[str, Any]:
    """What was on the machine that died, and every job at the end."""
    port = free_port()
    file = folder / "fleet.yaml"
    file.write_text(yaml.safe_dump(spread_out(port, folder)))
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "dashboard_port": free_port()})
    machines = [cluster.add_node(num_cpus=2, resources={"cpu_machine": 1}) for _ in range(2)]
    try:
        with served(file, cluster.address), httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
            await_ready(client)
            jobs = [send(client, number) for number in range(NUM_DOCUMENTS)]
            wait_until(lambda: any(done_pages(client, job) for job in jobs))
            dying = next(machine for machine in machines if "Jobs" in replicas(machine))
            lost, before = replicas(dying), [done_pages(client, job) for job in jobs]
            cluster.remove_node(dying, allow_graceful=False)
            jobs += [send(client, NUM_DOCUMENTS + number) for number in range(NUM_LATER)]
            ended = [ended_job(client, job) for job in jobs]
            return {"lost": sorted(lost), "pages_done_before": sum(before), "jobs": ended}
    finally:
        cluster.shutdown()


def spread_out(port: int, folder: Path) -> dict[str, Any]:
    """The fleet's graph, a replica of each on each machine; one database and one folder of uploads for both."""
    config = on_cpus(read_profile(FOLDER / "gpu-fleet.yaml"))
    config["http_options"]["port"] = port
    (application,) = config["applications"]
    application["args"] |= {"data_dir": str(folder / "data")}
    for deployment in application["deployments"]:
        deployment["ray_actor_options"]["resources"] = {"cpu_machine": 0.001}
        if deployment["name"] in TWICE:
            deployment.pop("autoscaling_config", None)
            deployment |= {"num_replicas": 2, "max_replicas_per_node": 1}
    return config


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


def replicas(machine: Any) -> set[str]:
    """The deployments that have a replica on a machine."""
    (raylet,) = machine.all_processes["raylet"]
    below = psutil.Process(raylet.process.pid).children(recursive=True)
    titles = [" ".join(process.cmdline()) for process in below if process.status() != psutil.STATUS_ZOMBIE]
    named = [title.split(TITLE)[1].split()[0] for title in titles if TITLE in title]
    return {name.split("#")[0].split(".")[0] for name in named}  # a busy one names its call after a dot


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


def await_ready(client: httpx.Client) -> None:
    """Raises TimeoutError when the graph is not up in time."""

    def ready() -> bool:
        with contextlib.suppress(httpx.HTTPError):
            return client.get("/readyz").status_code == 200
        return False

    if not wait_until(ready, READY_S):
        raise TimeoutError("the graph did not come up")


def wait_until(true: Any, seconds: float = DONE_S) -> bool:
    """Whether it came true in time; nothing tells another process of it."""
    end, pause = time.monotonic() + seconds, threading.Event()
    while not (result := true()) and time.monotonic() < end:
        pause.wait(0.5)
    return result


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="pm-", ignore_cleanup_errors=True) as place:
        report = main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(place))
    sys.stdout.write(json.dumps(report) + "\n")
