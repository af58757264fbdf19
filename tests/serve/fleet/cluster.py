"""The fleet's graph in small, who runs where, and waiting for what nothing tells another process of."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import httpx
import psutil

from configs.profiles import FOLDER, on_cpus, read_profile

READY_S, DONE_S = 600.0, 600.0
PAUSE_S = 0.5
TWICE = ("Ingress", "Pipeline", "Renderer", "Layout", "Ocr")
TITLE = "ray::ServeReplica:pagemill:"


def spread_out(host: str, port: int, args: Mapping[str, Any], num_replicas: Mapping[str, int]) -> dict[str, Any]:
    """The fleet's graph with so many replicas of each, one on a machine; the other deployments have one."""
    config = on_cpus(read_profile(FOLDER / "gpu-fleet.yaml"))
    config["http_options"] |= {"host": host, "port": port}
    (application,) = config["applications"]
    application["args"] |= args
    for deployment in application["deployments"]:
        deployment["ray_actor_options"]["resources"] = {"cpu_machine": 0.001}
        if (count := num_replicas.get(deployment["name"])) is not None:
            deployment.pop("autoscaling_config", None)
            deployment |= {"num_replicas": count, "max_replicas_per_node": 1}
    of_jobs = next(deployment for deployment in application["deployments"] if deployment["name"] == "Jobs")
    application["deployments"] += [{**of_jobs, "name": name} for name in owners(args.get("shards", 1))[1:]]
    return config


def owners(num_shards: int) -> list[str]:
    """The deployments that own jobs."""
    return [f"Jobs{shard or ''}" for shard in range(num_shards)]


def replicas(processes: Iterable[psutil.Process]) -> dict[str, psutil.Process]:
    """The replicas among processes, by the names of their deployments."""
    named: dict[str, psutil.Process] = {}
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            line = " ".join(process.cmdline())
            if TITLE in line and process.status() != psutil.STATUS_ZOMBIE:
                name = line.split(TITLE)[1].split()[0]
                named[name.split("#")[0].split(".")[0]] = process  # a busy one names its call after a dot
    return named


def await_ready(client: httpx.Client) -> None:
    """Raises TimeoutError when the graph is not up in time."""

    def ready() -> bool:
        with contextlib.suppress(httpx.HTTPError):
            return client.get("/readyz").status_code == 200
        return False

    if not wait_until(ready, READY_S):
        raise TimeoutError("the graph did not come up")


def wait_until(true: Callable[[], Any], seconds: float = DONE_S) -> Any:
    """What it gave last: something true, or the time is over."""
    end, pause = time.monotonic() + seconds, threading.Event()
    while not (result := true()) and time.monotonic() < end:
        pause.wait(PAUSE_S)
    return result
