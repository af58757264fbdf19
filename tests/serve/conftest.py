"""One real server for the whole session: the door's own command, a fresh data folder, small limits."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil
import pytest

from benchmarks.harness.server import ROOT, Running, server
from tests.deployments.lm_making import save_lm

OPTIONS = (
    *("--limits-max-file-mb", "2", "--limits-max-pages", "20", "--ocr-max-running", "16", "--ocr-check-idle", "true"),
    *("--limits-admission-wait-s", "900"),  # a burst ends well on any machine, however slow
    *("--layout-batch-wait-s", "0.2"),  # on a busy machine pages come one by one: the window makes them meet
    *("--log-format", "JSON"),
    *("--lm-num-blocks", "2048", "--lm-max-tokens", "32000", "--answers-max-tokens", "1500"),
)
TRACING = "tracing_config: {enabled: true, sampling_ratio: 1.0}  # as docs/operations.md says\n"


@pytest.fixture(scope="session")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="session")
def running(data_dir: Path) -> Iterator[Running]:
    config = data_dir / "observed.yaml"
    config.write_text((ROOT / "serve_config.yaml").read_text(encoding="utf-8") + TRACING, encoding="utf-8")
    lm = save_lm(data_dir / "lm", context=32_768)
    with server(data_dir, "--config", str(config), "--lm-model", str(lm), *OPTIONS) as started:
        below = psutil.Process(started.pid).children(recursive=True)
        yield started
        below += psutil.Process(started.pid).children(recursive=True)
    left = [process for process in below if process.is_running() and process.status() != psutil.STATUS_ZOMBIE]
    assert left == [], "stopping the server leaves no process behind"


@pytest.fixture(scope="session")
def client(running: Running) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=running.url, timeout=150, trust_env=False) as client:
        yield client


@pytest.fixture
def replicas(running: Running) -> dict[str, psutil.Process]:
    """The processes of the deployments, by name."""
    title = "ray::ServeReplica:pagemill:"
    below = psutil.Process(running.pid).children(recursive=True)
    named = {process: " ".join(process.cmdline()) for process in below if _ours(process)}
    # a busy one has its method behind its name
    return {re.split(r"[.\s]", line.split(title)[1])[0]: process for process, line in named.items() if title in line}


def _ours(process: psutil.Process) -> bool:
    return process.is_running() and process.uids().real == os.getuid() and process.status() != psutil.STATUS_ZOMBIE
