"""Capacity on paper: what a corpus of so many pages needs, where the next bottleneck is, and at which figure it binds.

Every resource has a demand, in seconds of it per page; it is full when pages per second times demand reach what there
is of it (the utilisation law). `python -m benchmarks.capacity [--json FILE]` prints plans; `--check` measures this
machine's demands, predicts from them how many pages per second it does under load, and measures that, five times (idle
machine).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from benchmarks.harness.options import parser_of
from benchmarks.harness.report import record, table

GPU_REGIONS_PER_S = 54.0  # H100: 70 % of its bandwidth, 40 % of its peak (docs/scaling.md); on paper, none has run it
HOUR, DAY = 3600.0, 86_400.0
Kind = Literal["many", "one"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Demands:
    """Of one page; defaults are of the compact checkpoints here, and of published GOT-OCR2 where a GPU is named."""

    cpu_s: float = 0.88  # of a core: drawing, text, layout on the CPU, chunks, vectors, jobs; `--check` measures it
    cpu_beside_gpu_s: float = 0.40  # the same without what Layout and Ocr compute
    scanned_share: float = 0.2  # of pages that OCR reads
    regions: float = 12.0  # of a scanned page
    layout_gpu_s: float = 0.004  # of a GPU: a batch of 32 in 130 ms
    commit_s: float = 0.0027  # of the one owner of jobs: two commits, of page and event
    pages_a_document: float = 12.0
    index_commit_s: float = 0.039  # of the one writer of a table, for each document
    requests_a_document: float = 6.0  # upload, events, result
    request_s: float = 0.007  # of one proxy
    blob_kb: float = 120.0  # of the upload, a page
    row_kb: float = 6.0  # of the page's facts in the database
    index_kb: float = 9.0  # of its chunks with vectors of 384 numbers
    times_moved: float = 3.0  # each byte of an upload over the shared volume: written once, read by two renderers
    volume_mb_s: float = 500.0  # of that volume, assumed

    @property
    def gpu_s(self) -> float:
        """Seconds of a GPU that a page takes."""
        return self.layout_gpu_s + self.scanned_share * self.regions / GPU_REGIONS_PER_S


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Dollars; assumptions, to be replaced by one's own."""

    core_hour: float = 0.04
    gpu_hour: float = 2.5
    gb_month: float = 0.023
    used: float = 0.7  # of what is paid for: the rest is room for peaks and for machines that start


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """One thing that all pages pass."""

    name: str
    kind: Kind
    pages_per_s: float  # at which it is full: of one core or GPU, or of the only one there is
    then: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What so many pages in so many days need."""

    pages: float
    days: float
    pages_per_s: float
    cores: int
    gpus: int
    storage_gb: float
    compute_dollars: float
    storage_dollars_month: float
    binds: tuple[str, ...]  # what is full at this rate, though there is only one of it


def bounds(demands: Demands, *, on_gpus: bool = True) -> list[Bound]:
    """All of them, the first to bind of those that there is one of comes first."""
    of = demands
    documents = 1 / of.pages_a_document
    several = [
        Bound(
            name="processor core",
            kind="many",
            pages_per_s=1 / (of.cpu_beside_gpu_s if on_gpus else of.cpu_s),
            then="add machines: Renderer, Layout and Ocr scale by the work that waits",
        )
    ]
    if on_gpus:
        several.append(Bound(name="GPU", kind="many", pages_per_s=1 / of.gpu_s, then="add GPU machines"))
    alone = [
        Bound(
            name="index: one writer a table",
            kind="one",
            pages_per_s=1 / (documents * of.index_commit_s),
            then="shards; or bulk ingestion with index=false and one rebuild",
        ),
        Bound(
            name="proxy: one on the head",
            kind="one",
            pages_per_s=1 / (documents * of.requests_a_document * of.request_s),
            then="a proxy on every machine (proxy_location: EveryNode) behind a balancer",
        ),
        Bound(
            name="Jobs: one owner",
            kind="one",
            pages_per_s=1 / of.commit_s,
            then="shards",
        ),
        Bound(
            name="uploads: one shared volume",
            kind="one",
            pages_per_s=1000 * of.volume_mb_s / (of.blob_kb * of.times_moved),
            then="a faster volume, or one for each shard of jobs; the index is on object storage already",
        ),
    ]
    return [*several, *sorted(alone, key=lambda bound: bound.pages_per_s)]


def planned(
    pages: float, days: float, demands: Demands | None = None, prices: Prices | None = None, *, on_gpus: bool = True
) -> Plan:
    """Machines are whole; what there is one of is only named when it is too slow."""
    of, costs = demands or Demands(), prices or Prices()
    rate = pages / (days * DAY)
    cpu_s = of.cpu_beside_gpu_s if on_gpus else of.cpu_s
    cores = math.ceil(rate * cpu_s / costs.used)
    gpus = math.ceil(rate * of.gpu_s / costs.used) if on_gpus else 0
    storage_gb = pages * (of.blob_kb + of.row_kb + of.index_kb) / 1e6
    hours = days * DAY / HOUR
    return Plan(
        pages=pages,
        days=days,
        pages_per_s=rate,
        cores=cores,
        gpus=gpus,
        storage_gb=storage_gb,
        compute_dollars=hours * (cores * costs.core_hour + gpus * costs.gpu_hour),
        storage_dollars_month=storage_gb * costs.gb_month,
        binds=tuple(
            bound.name for bound in bounds(of) if bound.kind == "one" and rate > costs.used * bound.pages_per_s
        ),
    )


def main() -> int:
    parser = parser_of(__doc__, quick="fewer documents in each of the five rounds")
    parser.add_argument("--check", action="store_true", help="measure, and compare with what the model says")
    args = parser.parse_args()
    figures: dict[str, float] = {}
    rows: list[dict[str, Any]] = []
    demands = Demands()
    if args.check:
        from benchmarks.harness.capacity_check import measured

        figures, rows = measured(quick=args.quick)
        print(table(rows))
        demands = Demands(
            cpu_s=figures["cpu_s_a_page"],
            commit_s=figures["commit_s"],
            index_commit_s=figures["index_commit_s"],
            request_s=figures["request_s"],
            cpu_beside_gpu_s=figures["cpu_beside_gpu_s"],
        )
    plans = [
        planned(1e6, 1, demands),
        planned(1e6, 1, demands, on_gpus=False),
        planned(1e9, 30, demands),
        planned(1e9, 30, demands, on_gpus=False),
    ]
    limits = bounds(demands)
    print(table([shown(plan) for plan in plans]))
    print(table([{"bound": limit.name, "pages_per_s": limit.pages_per_s, "then": limit.then} for limit in limits]))
    figures |= {
        f"pages_per_s_{limit.name.split(':')[0].replace(' ', '_').lower()}": limit.pages_per_s for limit in limits
    }
    print(table([{"figure": name, "value": value} for name, value in figures.items()]))
    if args.out:
        record(args.out, "capacity", figures, rows + [shown(plan) for plan in plans])
    return 0 if figures.get("within_25_percent", 1.0) else 1


def shown(plan: Plan) -> Mapping[str, Any]:
    """A row of the table."""
    return {
        "pages": f"{plan.pages:.0e}",
        "days": plan.days,
        "pages_per_s": plan.pages_per_s,
        "cores": plan.cores,
        "gpus": plan.gpus,
        "storage_gb": round(plan.storage_gb),
        "compute_dollars": round(plan.compute_dollars),
        "dollars_a_million": round(plan.compute_dollars / plan.pages * 1e6),
        "storage_dollars_month": round(plan.storage_dollars_month),
        "binds": ", ".join(plan.binds) or "-",
    }


if __name__ == "__main__":
    sys.exit(main())
