"""A fleet in simulation: what is full at so many pages per second, how many shards it needs, what a lost machine costs.

`python -m benchmarks.fleet [--json FILE]` runs the table of docs/scaling.md; `--check` also compares the model with the
server on this machine, by processor seconds that it measures there (idle machine).
"""

from __future__ import annotations

import math
import statistics
import sys
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from benchmarks.capacity import Demands
from benchmarks.harness.fleet_model import DocumentKind, Fleet, MachineKind, Outcome, Stage, World, percentile
from benchmarks.harness.options import parser_of
from benchmarks.harness.report import record, table

PAGES_A_MONTH = (1e6, 1e7, 1e8, 1e9, 1e10)
MONTH_S = 30 * 86_400.0
BILLION = 1e9 / MONTH_S  # pages per second
USED = 0.7  # of what is there, as in `capacity`
CORES = 16  # of a machine with a GPU
ENGINE_REGIONS = 256  # at once: `ocr.max_running` of configs/gpu-fleet.yaml
MIN_SECONDS, MAX_SECONDS, MAX_PAGES = 60.0, 3_600.0, 100_000  # of a run
RECOVERY_WINDOW_S = 20
ONE_SHARD_S = 120.0
TENANTS_RATE, TENANTS_S = 100.0, 400.0
PAGES_IN_FLIGHT = (1024, 256)  # of a shard


def stages_of(demands: Demands) -> tuple[Stage, ...]:
    """On a machine with a GPU."""
    regions_s = demands.gpu_s - demands.layout_gpu_s  # of the mean page
    return (
        Stage(name="draw and compose", seconds=demands.cpu_beside_gpu_s),
        Stage(name="layout", seconds=demands.layout_gpu_s, on_gpu=True),
        Stage(
            name="ocr",
            seconds=regions_s / demands.scanned_share,
            on_gpu=True,
            of_kind="scanned",
            width=int(ENGINE_REGIONS / demands.regions),
        ),
    )


def fleet_for(
    pages_per_s: float, demands: Demands, documents: Sequence[DocumentKind] | None = None, **changes: Any
) -> World:
    """As many machines and shards as `USED` of each leaves room."""
    kinds = documents or (
        DocumentKind(share=1.0, num_pages=round(demands.pages_a_document), scanned_share=demands.scanned_share),
    )
    pages_a_document = sum(kind.share * kind.num_pages for kind in kinds)
    shard_s = max(demands.commit_s, demands.index_commit_s / pages_a_document)
    machine_s = max(demands.cpu_beside_gpu_s / CORES, demands.gpu_s)
    world = World(
        machines=math.ceil(pages_per_s / USED * machine_s),
        kind=MachineKind(cores=CORES, gpus=1),
        stages=stages_of(demands),
        shards=math.ceil(pages_per_s / USED * shard_s),
        pages_per_s=pages_per_s,
        documents=kinds,
        commit_s=demands.commit_s,
        index_commit_s=demands.index_commit_s,
    )
    return replace(world, **changes)


def recovered_s(calm: Outcome, struck: Outcome, at: float, allowed: float) -> float:
    """Seconds from a death until fewer than `allowed` pages are missing, in the mean of `RECOVERY_WINDOW_S`."""
    seconds = range(int(at), int(struck.seconds - RECOVERY_WINDOW_S))
    missing = [
        bisect_right(calm.ends, moment) - bisect_right(struck.ends, moment) for moment in range(int(calm.seconds))
    ]
    behind = [second for second in seconds if statistics.mean(missing[second : second + RECOVERY_WINDOW_S]) > allowed]
    return behind[-1] + 1 - at if behind else 0.0


def planned(pages_a_month: float, demands: Demands, quick: bool) -> dict[str, Any]:
    """One row: the fleet, what is full, and what deaths cost."""
    rate = pages_a_month / MONTH_S
    seconds = max(MIN_SECONDS, min(MAX_SECONDS, (MAX_PAGES / 10 if quick else MAX_PAGES) / rate))
    world, at = fleet_for(rate, demands), seconds / 3
    calm = Fleet(world, seconds).run()
    row: dict[str, Any] = {
        "pages_a_month": f"{pages_a_month:.0e}",
        "pages_per_s": rate,
        "machines": world.machines,
        "shards": world.shards,
        "used": max(calm.used, key=calm.used.__getitem__),
        **{f"used_{name}": share for name, share in calm.used.items()},
        "p50_s": percentile(calm.latencies, 0.5),
        "p95_s": percentile(calm.latencies, 0.95),
    }
    for name, of_owner in (("machine", False), ("owner", True)):
        struck = Fleet(replace(world, deaths=((at, of_owner),)), seconds).run()
        row |= {
            f"recovered_s_{name}": recovered_s(calm, struck, at, max(rate / 2, 2 * demands.pages_a_document)),
            f"pages_again_{name}": struck.num_again,
            f"p95_s_{name}": percentile(struck.latencies, 0.95),
        }
    return row


def one_shard(demands: Demands) -> dict[str, float]:
    """At 386 pages per second: what is full when nothing is sharded."""
    crowded = Fleet(fleet_for(BILLION, demands, shards=1), ONE_SHARD_S).run()
    return {
        "one_shard_pages_per_s": crowded.num_pages / ONE_SHARD_S,
        **{f"one_shard_used_{name}": share for name, share in crowded.used.items()},
    }


def hot_tenant(demands: Demands) -> dict[str, float]:
    """Half of all documents are one tenant's, and a fifth more come than the fleet can read: what the others wait."""
    world = fleet_for(TENANTS_RATE, demands)
    calm = Fleet(world, TENANTS_S).run()
    hot = Fleet(replace(world, pages_per_s=1.2 / USED * TENANTS_RATE, hot_share=0.5), TENANTS_S).run()
    return {
        "calm_p95_s": percentile(calm.latencies, 0.95),
        "hot_p95_s": percentile(hot.latencies, 0.95),
        "hot_p95_s_of_the_others": percentile(hot.cold, 0.95),
    }


def skewed(demands: Demands) -> dict[str, float]:
    """One document in 2,000 has 5,000 pages, the others are letters of two: what the letters wait."""
    kinds = (
        DocumentKind(share=0.9995, num_pages=2, scanned_share=0.2),
        DocumentKind(share=0.0005, num_pages=5000, scanned_share=0.2),
    )
    letters = Fleet(fleet_for(TENANTS_RATE, demands, documents=kinds[:1]), TENANTS_S).run()
    figures = {"letters_p95_s": percentile(letters.latencies, 0.95)}
    for in_flight in PAGES_IN_FLIGHT:
        mixed = Fleet(fleet_for(TENANTS_RATE, demands, documents=kinds, in_flight=in_flight), TENANTS_S).run()
        figures[f"letters_p95_s_beside_5000_pages_{in_flight}"] = percentile(mixed.latencies, 0.95)
        figures[f"used_gpus_beside_5000_pages_{in_flight}"] = mixed.used["gpus"]
    return figures


def main() -> int:
    parser = parser_of(__doc__, quick="a tenth of the pages")
    parser.add_argument("--check", action="store_true", help="compare with the server on this machine")
    args = parser.parse_args()
    demands, figures, checked = Demands(), {}, []
    if args.check:
        from benchmarks.harness.fleet_check import measured

        figures, checked = measured(quick=args.quick)
        print(table(checked))
    rows = [planned(pages, demands, args.quick) for pages in PAGES_A_MONTH]
    print(table(rows))
    figures |= one_shard(demands) | hot_tenant(demands) | skewed(demands)
    print(table([{"figure": name, "value": value} for name, value in figures.items()]))
    if args.out:
        record(args.out, "fleet", figures, [*rows, *checked])
    return 0 if figures.get("agrees", 1.0) else 1


if __name__ == "__main__":
    sys.exit(main())
