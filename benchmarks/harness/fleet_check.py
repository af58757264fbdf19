"""The model of a fleet against a real server on this machine: pages per second, and the 95th percentile of a document.

Documents that are sent one at a time show what each process spends on a page; the model is given that, the cores and
the number of senders, and predicts what happens when as many senders send at once. That is then measured.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import psutil

from benchmarks.harness.capacity_check import used_s
from benchmarks.harness.capacity_singles import commit_s, index_commit_s
from benchmarks.harness.fleet_model import DocumentKind, Fleet, MachineKind, Stage, World, percentile
from benchmarks.harness.server import server
from benchmarks.loads.letters import Letter, letter, send

SENDERS = 8
WAIT_S = 110
PAGES = 4  # of a born-digital document; every other document is a scan of a page
MAX_THROUGHPUT_ERROR, MAX_P95_ERROR = 0.15, 0.25
SIMULATED_S = 2000.0


def measured(*, quick: bool) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """Flat figures, and a row for what was measured and what was predicted."""
    alone, together = (6, 32) if quick else (16, 120)
    with (
        tempfile.TemporaryDirectory(prefix="pm-", ignore_cleanup_errors=True) as folder,
        server(Path(folder)) as running,
        httpx.Client(base_url=running.url, timeout=WAIT_S + 30, trust_env=False) as client,
    ):
        _sent(client, _letters(0, 2 * SENDERS), SENDERS)  # every child started
        digital = _spent(client, running.pid, [one for one in _letters(1000, 2 * alone) if len(one.marks) > 1])
        scanned = _spent(client, running.pid, [one for one in _letters(2000, 2 * alone) if len(one.marks) == 1])
        letters = _letters(3000, together)
        begun = time.monotonic()
        latencies = _sent(client, letters, SENDERS)
        pages_per_s = sum(len(one.marks) for one in letters) / (time.monotonic() - begun)
    world = world_of(digital, scanned, commit_s(), index_commit_s())
    predicted = Fleet(world, SIMULATED_S).run()
    rows = [
        {"side": "measured", "pages_per_s": pages_per_s, "p95_s": percentile(latencies, 0.95)},
        {
            "side": "predicted",
            "pages_per_s": predicted.num_pages / SIMULATED_S,
            "p95_s": percentile(predicted.latencies, 0.95),
        },
    ]
    throughput, p95 = (rows[1][name] / rows[0][name] for name in ("pages_per_s", "p95_s"))
    agrees = abs(throughput - 1) <= MAX_THROUGHPUT_ERROR and abs(p95 - 1) <= MAX_P95_ERROR
    figures = {"throughput_over_measured": throughput, "p95_over_measured": p95, "agrees": float(agrees)}
    return figures, rows


def world_of(digital: dict[str, float], scanned: dict[str, float], commit: float, index_commit: float) -> World:
    """This machine: `digital` and `scanned` are processor seconds of a page by process."""
    ocr_s = scanned.get("Ocr", 0.0)
    digital_s, scanned_s = sum(digital.values()), sum(scanned.values())
    cores = len(psutil.Process().cpu_affinity())
    return World(
        machines=1,
        kind=MachineKind(cores=cores),
        stages=(
            Stage(name="pages", seconds=digital_s, of_kind="digital"),
            Stage(name="drawing", seconds=scanned_s - ocr_s, of_kind="scanned"),
            Stage(name="ocr", seconds=ocr_s, of_kind="scanned", width=cores),
        ),
        senders=SENDERS,
        documents=(
            DocumentKind(share=0.5, num_pages=PAGES, scanned_share=0.0),
            DocumentKind(share=0.5, num_pages=1, scanned_share=1.0),
        ),
        in_flight=SENDERS,
        commit_s=commit,
        index_commit_s=index_commit,
    )


def _letters(first: int, count: int) -> list[Letter]:
    return [letter(first + at, PAGES, scanned=at % 2 == 1) for at in range(count)]


def _spent(client: httpx.Client, pid: int, letters: Sequence[Letter]) -> dict[str, float]:
    """Processor seconds of a page, by process, of documents that are sent one at a time."""
    before = used_s(pid)
    _sent(client, letters, 1)
    num_pages = sum(len(one.marks) for one in letters)
    return {
        name.rsplit(":", 1)[-1]: max(0.0, spent - before.get(name, 0.0)) / num_pages
        for name, spent in used_s(pid).items()
    }


def _sent(client: httpx.Client, letters: Sequence[Letter], at_once: int) -> list[float]:
    """Seconds that each document took, so many at a time."""

    def read(document: Letter) -> float:
        begun = time.monotonic()
        job = send(client, document, wait_s=WAIT_S).json()
        if job.get("status") != "succeeded":
            raise RuntimeError(f"{document.name}: {job}")
        return time.monotonic() - begun

    with ThreadPoolExecutor(at_once) as senders:
        return list(senders.map(read, letters))
