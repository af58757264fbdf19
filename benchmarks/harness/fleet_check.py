"""The model of a fleet against a real server on this machine: pages per second, and the 95th percentile of a document.

Documents of one kind, many at once, show what each process spends on a page when all cores are busy. The model is
given that, the cores and the number of senders, and predicts what happens when both kinds come at once, which is
measured in turn with them.
"""

from __future__ import annotations

import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import psutil

from benchmarks.harness.capacity_check import used_s, used_when_idle
from benchmarks.harness.capacity_singles import commit_s, index_commit_s
from benchmarks.harness.fleet_model import DocumentKind, Fleet, MachineKind, Stage, World, percentile
from benchmarks.harness.server import server
from benchmarks.loads.letters import Letter, letter, send

SENDERS = 8
NUM_ROUNDS = 2  # a machine shared with others is slower now and then
WAIT_S = 110
PAGES = 4  # of a born-digital document; every other document is a scan of a page
MAX_THROUGHPUT_ERROR, MAX_P95_ERROR = 0.15, 0.25
SIMULATED_S = 2000.0


def measured(*, quick: bool) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """Flat figures, and a row for what was measured and what was predicted."""
    alone, together = (8, 30) if quick else (20, 80)
    digital, scanned = defaultdict[str, float](float), defaultdict[str, float](float)
    latencies = list[float]()
    num_pages, seconds = 0, 0.0
    with (
        tempfile.TemporaryDirectory(prefix="pm-", ignore_cleanup_errors=True) as folder,
        server(Path(folder)) as running,
        httpx.Client(base_url=running.url, timeout=WAIT_S + 30, trust_env=False) as client,
    ):
        _sent(client, _letters(0, 2 * SENDERS), SENDERS)  # every child started
        idle_cores = used_when_idle(running)
        for first in range(1000, 1000 * (1 + NUM_ROUNDS), 1000):
            letters = _letters(first, 2 * alone)
            for spent, own in ((digital, letters[::2]), (scanned, letters[1::2])):
                for name, one in _spent(client, running.pid, own, idle_cores).items():
                    spent[name] += one / NUM_ROUNDS
            letters = _letters(first + 2 * alone, together)
            begun = time.monotonic()
            latencies += _sent(client, letters, SENDERS)
            seconds += time.monotonic() - begun
            num_pages += sum(len(one.marks) for one in letters)
    pages_per_s = num_pages / seconds
    world = world_of(digital, scanned, idle_cores, commit_s(), index_commit_s())
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


def world_of(
    digital: Mapping[str, float], scanned: Mapping[str, float], idle_cores: float, commit: float, index_commit: float
) -> World:
    """This machine: `digital` and `scanned` are processor seconds of a page by process.

    What the server's idle processes use makes all others slower.
    """
    cores = len(psutil.Process().cpu_affinity())
    slower = cores / (cores - idle_cores)
    ocr_s = slower * scanned.get("Ocr", 0.0)
    digital_s, scanned_s = slower * sum(digital.values()), slower * sum(scanned.values())
    return World(
        machines=1,
        kind=MachineKind(cores=cores),
        stages=(
            Stage(name="pages", seconds=digital_s, of_kind="digital"),
            Stage(name="drawing", seconds=scanned_s - ocr_s, of_kind="scanned"),
            Stage(name="ocr", seconds=ocr_s, of_kind="scanned"),
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


def _spent(client: httpx.Client, pid: int, letters: Sequence[Letter], idle_cores: float) -> dict[str, float]:
    """Processor seconds of a page, by process, without what an idle server uses."""
    before, begun = used_s(pid), time.monotonic()
    _sent(client, letters, SENDERS)
    num_pages = sum(len(one.marks) for one in letters)
    idle_s = idle_cores * (time.monotonic() - begun) / num_pages
    spent = {name.rsplit(":", 1)[-1]: (now - before.get(name, 0.0)) / num_pages for name, now in used_s(pid).items()}
    return spent | {"idle": -idle_s}


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
