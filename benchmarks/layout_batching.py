"""What dynamic batching of pages gives: the Layout deployment over the compact network, without Ray.

Throughput in a closed loop of 64 callers; latency and batch sizes under random arrivals at shares of that throughput; a
call alone against the bare network; and every box against the page alone. One by one is the same deployment at batch
size 1, with all cores for each page; dynamic has a core for each page of a batch.
"""

from __future__ import annotations

import asyncio
import collections
import itertools
import logging
import os
import random
import statistics
import sys
import time
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from ray import serve

from benchmarks.gpu_check import drawn_page
from benchmarks.harness.options import parser_of
from benchmarks.harness.report import percentile, record, table
from configs import Settings
from deployments.layout.deployment import Item, Layout
from documents.values import Detection

CALLERS = 64
BATCH = 8
PAGE_SIZE = (612.0, 792.0)
SHARES = (0.25, 0.5, 0.75, 0.9)  # of the dynamic throughput
ROUNDS = 3
NUM_PAGES = 24


class Watched(Layout):
    """Layout that keeps the sizes of its batches."""

    sizes: collections.Counter[int]

    def _record(self, items: list[Item], seconds: float) -> None:
        super()._record(items, seconds)
        self.sizes[len(items)] += 1


def main() -> int:
    parser = parser_of(__doc__, quick="20 s a rate instead of 60")
    args = parser.parse_args()
    logging.getLogger("ray.serve").setLevel(logging.WARNING)  # it tells of every batch
    serve.get_replica_context = lambda: SimpleNamespace(  # pyright: ignore[reportAttributeAccessIssue]
        _deployment_config=SimpleNamespace(max_ongoing_requests=CALLERS)
    )  # what @serve.batch asks of a replica
    figures, rows = asyncio.run(measured(20 if args.quick else 60, 192 if args.quick else 768))
    print(table(rows))
    print(table([{"figure": name, "value": float(value)} for name, value in figures.items()]))
    if args.out:
        record(args.out, "layout_batching", figures, rows)
    return 0


async def measured(seconds: float, count: int) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """Figures, and a row for each rate and mode."""
    pages = [drawn_page(seed) for seed in range(NUM_PAGES)]
    single, dynamic = await asyncio.to_thread(_layouts)
    reference = [await single.detect(page, PAGE_SIZE) for page in pages]
    rows: list[dict[str, Any]] = []
    differences = [0.0]

    async def look(layout: Watched, number: int) -> None:
        detections = await layout.detect(pages[number % NUM_PAGES], PAGE_SIZE, label=str(number % 5))
        differences.append(apart(detections, reference[number % NUM_PAGES]))

    rates: dict[str, float] = {}
    modes = (("one by one", single), ("dynamic", dynamic))
    rounds = [
        [await _closed_loop(layout, mode, look, count // ROUNDS) for mode, layout in modes] for _ in range(ROUNDS)
    ]
    for rows_of_mode in zip(*rounds, strict=True):  # in turn, and the fastest round: the machine may have other work
        rows.append(max(rows_of_mode, key=lambda row: row["served_per_s"]))
        rates[rows[-1]["mode"]] = rows[-1]["served_per_s"]
    usual = statistics.median(row["served_per_s"] for _, row in rounds)
    for share, (mode, layout) in itertools.product(SHARES, modes):
        rows.append(await _random_arrivals(layout, mode, look, share * usual, seconds))
    of_75 = rows[2 + 2 * SHARES.index(0.75) + 1]
    figures = {
        "mean_batch": rows[1]["mean_batch"],
        "served_over_offered": of_75["served_over_offered"],
        "dynamic_over_single": rates["dynamic"] / rates["one by one"],
        "added_latency_alone_s": await _added_alone(dynamic, pages[0]),
        "max_box_difference_pt": max(differences),
        "pages_per_s": rates["dynamic"],
    }
    return figures, rows


def _layouts() -> tuple[Watched, Watched]:
    """One by one, and dynamic."""
    cores = len(os.sched_getaffinity(0))
    layouts: list[Watched] = []
    for batch_size, per_page in ((1, cores), (BATCH, 1)):
        torch.set_num_threads(per_page)  # taken up by the threads that the network starts now
        layouts.append(Watched(Settings.model_validate({"layout": {"batch_size": batch_size}})))
        layouts[-1].sizes = collections.Counter()
    return layouts[0], layouts[1]


def _begin(layout: Watched) -> None:
    layout.reconfigure({})  # the two share what the decorator keeps
    layout.sizes = collections.Counter()


async def _closed_loop(layout: Watched, mode: str, look: Any, count: int) -> dict[str, Any]:
    """All callers ask again as soon as they are answered."""
    _begin(layout)
    numbers = iter(range(count))
    latencies: list[float] = []

    async def caller() -> None:
        for number in numbers:
            begun = time.perf_counter()
            await look(layout, number)
            latencies.append(time.perf_counter() - begun)

    begun = time.perf_counter()
    await asyncio.gather(*(caller() for _ in range(CALLERS)))
    return _row(mode, "closed loop", None, count / (time.perf_counter() - begun), None, latencies, layout)


async def _random_arrivals(layout: Watched, mode: str, look: Any, rate: float, seconds: float) -> dict[str, Any]:
    """Poisson arrivals, the same for both modes; rates are from first to last, of arrivals and of answers."""
    _begin(layout)
    loop, r = asyncio.get_running_loop(), random.Random(7)
    offsets = list(itertools.accumulate(r.expovariate(1.0) for _ in range(max(2, round(rate * seconds)))))
    arrivals = [at * seconds / offsets[-1] for at in offsets]  # at that very rate, however few they are
    arrival_times: list[float] = []
    done: list[float] = []
    latencies: list[float] = []
    start = loop.time()

    async def one(number: int, at: float) -> None:
        await asyncio.sleep(start + at - loop.time())
        arrival_times.append(loop.time())
        await look(layout, number)
        done.append(loop.time())
        latencies.append(done[-1] - start - at)  # from when it should have come: a busy loop is part of the wait

    await asyncio.gather(*(one(number, at) for number, at in enumerate(arrivals)))
    served, offered = (len(arrivals) / (max(times) - min(times)) for times in (done, arrival_times))
    return _row(mode, f"{rate:.1f}/s", offered, served, served / offered, latencies, layout)


async def _added_alone(layout: Watched, page: np.ndarray, count: int = 20) -> float:
    """Seconds that a call alone takes beyond the bare network, in turn, by the medians."""
    _begin(layout)
    through: list[float] = []
    bare: list[float] = []
    for _ in range(count):
        begun = time.perf_counter()
        await layout.detect(page, PAGE_SIZE)
        through.append(time.perf_counter() - begun)
        begun = time.perf_counter()
        await asyncio.to_thread(layout._detector.detect, [page], [PAGE_SIZE])
        bare.append(time.perf_counter() - begun)
    return statistics.median(through) - statistics.median(bare)


def apart(detections: Sequence[Detection], alone: Sequence[Detection]) -> float:
    """The largest difference of an edge, in points; infinite where the regions are not the same."""
    if [detection.kind for detection in detections] != [detection.kind for detection in alone]:
        return float("inf")
    edges = ("x0", "y0", "x1", "y1")
    pairs = zip(detections, alone, strict=True)
    return max((abs(getattr(a.box, edge) - getattr(b.box, edge)) for a, b in pairs for edge in edges), default=0.0)


def _row(
    mode: str,
    arrivals: str,
    offered: float | None,
    served: float,
    ratio: float | None,
    latencies: list[float],
    layout: Watched,
) -> dict[str, Any]:
    batches = sum(layout.sizes.values())
    return {
        "mode": mode,
        "arrivals": arrivals,
        "offered_per_s": offered,
        "served_per_s": served,
        "served_over_offered": ratio,
        "p50_s": percentile(latencies, 0.5),
        "p99_s": percentile(latencies, 0.99),
        "mean_batch": len(latencies) / batches,
        "batches_by_size": " ".join(f"{size}:{layout.sizes[size]}" for size in sorted(layout.sizes)),
    }


if __name__ == "__main__":
    sys.exit(main())
