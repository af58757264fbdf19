"""The capacity model against a real server: CPU time per page on an idle machine predicts pages per second under load.

Each of five rounds sends documents one at a time, adds up what the server's processes (and this one) used, and then
sends as many as the server takes at once. What an idle server uses is measured first and taken off.
"""

from __future__ import annotations

import contextlib
import itertools
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import psutil

from benchmarks.harness.capacity_singles import commit_s, index_commit_s, request_s
from benchmarks.harness.server import Running, server
from benchmarks.harness.watch import name_of
from benchmarks.loads.letters import Letter, letter, send

ROUNDS = 5
AT_ONCE = 8
IDLE_S = 15.0
WAIT_S = 110
PAGES, SCANNED = 4, (False, True)  # born-digital documents have so many pages, scanned ones a page: a fifth of all


class NotRead(Exception):
    """A document did not come to its end: a rate over it would mean nothing."""


def measured(*, quick: bool) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """Flat figures, and a row a round."""
    alone, together = (6, 16) if quick else (10, 40)
    numbers = itertools.count(1)
    with (
        tempfile.TemporaryDirectory(prefix="pm-", ignore_cleanup_errors=True) as folder,
        server(Path(folder)) as running,
    ):
        with httpx.Client(base_url=running.url, timeout=WAIT_S + 30, trust_env=False) as client:
            warm = _sent(client, _letters(numbers, 2 * AT_ONCE), AT_ONCE)  # every child started
            idle_cores = used_when_idle(running)
            requests = [request_s(running.url) for _ in range(ROUNDS)]
            rows = [_round(client, running, numbers, alone, together, idle_cores) for _ in range(ROUNDS)]
        stored = _stored_kb(Path(folder))
    ratio = statistics.median(row["predicted_over_measured"] for row in rows)
    figures = {
        "predicted_over_measured": ratio,
        "within_25_percent": float(0.75 <= ratio <= 1.25),
        "cpu_s_a_page": statistics.median(row["cpu_s_a_page"] for row in rows),
        "cpu_beside_gpu_s": statistics.median(row["cpu_beside_gpu_s"] for row in rows),
        "pages_per_s": statistics.median(row["pages_per_s"] for row in rows),
        "idle_cores": idle_cores,
        "request_s": statistics.median(requests),
        "commit_s": statistics.median(commit_s() for _ in range(ROUNDS)),
        "index_commit_s": statistics.median(index_commit_s() for _ in range(ROUNDS)),
        "stored_kb_a_page": stored / (warm + sum(row["num_pages"] for row in rows)),
    }
    return figures, rows


def _round(
    client: httpx.Client, running: Running, numbers: Iterator[int], alone: int, together: int, idle_cores: float
) -> dict[str, Any]:
    calm = _letters(numbers, alone)
    before, begun = used_s(running.pid), time.monotonic()
    pages = _sent(client, calm, 1)
    seconds = time.monotonic() - begun
    used = {name: spent - before.get(name, 0.0) for name, spent in used_s(running.pid).items()}
    cpu_s = max(1e-6, sum(used.values()) - idle_cores * seconds) / pages
    on_gpus = sum(spent for name, spent in used.items() if name.rsplit(":", 1)[-1] in ("Layout", "Ocr"))
    crowd = _letters(numbers, together)
    begun = time.monotonic()
    crowded = _sent(client, crowd, AT_ONCE)
    rate = crowded / (time.monotonic() - begun)
    predicted = saturated_pages_per_s(len(psutil.Process().cpu_affinity()), idle_cores, cpu_s)
    most = max(used, key=used.__getitem__)
    return {
        "cpu_s_a_page": cpu_s,
        "cpu_beside_gpu_s": max(1e-6, cpu_s - on_gpus / pages),
        "most_of_it": most,
        "predicted_pages_per_s": predicted,
        "pages_per_s": rate,
        "predicted_over_measured": predicted / rate,
        "num_pages": pages + crowded,
    }


def used_s(pid: int) -> dict[str, float]:
    """Processor seconds that a server's processes, those that they have reaped, and this one have used, by name."""
    used: dict[str, float] = {"client": sum(psutil.Process().cpu_times()[:2])}
    for process in (psutil.Process(pid), *psutil.Process(pid).children(recursive=True)):
        with contextlib.suppress(psutil.Error):
            times, name = process.cpu_times(), name_of(process)
            used[name] = used.get(name, 0.0) + times.user + times.system + times.children_user + times.children_system
    return used


def saturated_pages_per_s(cores: float, idle_cores: float, cpu_s: float) -> float:
    """Pages a second at which the cores that the server's idle processes leave are full."""
    return (cores - idle_cores) / cpu_s


def used_when_idle(running: Running) -> float:
    """Cores that a server's processes use while nobody asks for anything."""
    before = sum(used_s(running.pid).values())
    threading.Event().wait(IDLE_S)  # what is measured is the passing of time
    return (sum(used_s(running.pid).values()) - before) / IDLE_S


def _letters(numbers: Iterator[int], count: int) -> list[Letter]:
    return [
        letter(number, PAGES, scanned=SCANNED[at % len(SCANNED)])
        for at, number in enumerate(itertools.islice(numbers, count))
    ]


def _sent(client: httpx.Client, letters: Sequence[Letter], at_once: int) -> int:
    """Pages read, so many documents at a time."""

    def read(document: Letter) -> int:
        job = send(client, document, wait_s=WAIT_S).json()
        if job.get("status") != "succeeded":
            raise NotRead(f"{document.name}: {job}")
        return len(document.marks)

    with ThreadPoolExecutor(at_once) as senders:
        return sum(senders.map(read, letters))


def _stored_kb(data: Path) -> float:
    """Of blobs, rows and index."""
    names = ("blobs", "index", "jobs.sqlite", "jobs.sqlite-wal")
    files = [
        file for name in names for file in ([data / name] if (data / name).is_file() else (data / name).rglob("*"))
    ]
    return sum(file.stat().st_size for file in files if file.is_file()) / 1000
