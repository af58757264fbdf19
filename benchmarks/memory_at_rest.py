"""How much memory a server holds at rest: PSS of its processes by kind, once it is ready and again after documents.

PSS counts a page that several processes share in parts, so that the sum over all processes is what the machine gives.
`torch` and `transformers` say whether a process of that kind has the library mapped or imported files of it.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psutil

from benchmarks.report import commit, cpu_model, record, table
from benchmarks.server import ROOT, server
from benchmarks.smoke import WAIT_S, ingest
from benchmarks.watch import MB, name_of

DOCUMENTS = ("columns.pdf", "letter.pdf", "scan.png")
MAX_REST_MB = 2_500.0  # wanted
SETTLE_S = 20.0  # allocators give back what a start took, and Ray's idle workers end


@dataclass(slots=True)
class Kind:
    """The processes of one kind, and what they hold together."""

    num_processes: int = 0
    pss_mb: float = 0.0
    private_mb: float = 0.0
    libraries: set[str] = field(default_factory=set)


def main() -> int:
    assert __doc__
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a shorter rest before each look")
    parser.add_argument("--json", type=Path, dest="out", help="write the figures here")
    args = parser.parse_args()
    settle_s = SETTLE_S / 4 if args.quick else SETTLE_S
    with tempfile.TemporaryDirectory(prefix="pagemill-rest-") as folder, server(Path(folder)) as running:
        time.sleep(settle_s)
        ready = by_kind(running.pid)
        first_s = read(running.url)
        time.sleep(settle_s)
        after = by_kind(running.pid)
    rows = rows_of("ready", ready) + rows_of("after documents", after)
    figures = {
        "ready_pss_mb": total(ready),
        "after_documents_pss_mb": total(after),
        "num_processes": float(sum(kind.num_processes for kind in after.values())),
        "start_s": round(running.seconds, 1),
        "first_document_s": round(first_s, 2),
    }
    print(table(rows))
    print(table([{"figure": name, "value": value} for name, value in figures.items()]))
    if args.out:
        machine = {"model": cpu_model(), "commit": commit(), "quick": args.quick}
        record(args.out, "memory_at_rest", figures, rows, machine)
    return 0 if figures["after_documents_pss_mb"] <= MAX_REST_MB else 1


def read(url: str) -> float:
    """Have each document read; the seconds that the first, whose text is born digital, took."""
    seconds: list[float] = []
    with httpx.Client(base_url=url, timeout=WAIT_S + 30, trust_env=False) as client:
        for name in DOCUMENTS:
            begun = time.monotonic()
            job = ingest(client, ROOT / "tests" / "data" / name)
            seconds.append(time.monotonic() - begun)
            if job.get("status") != "succeeded":
                raise RuntimeError(f"{name}: {job}")
    return seconds[0]


def by_kind(server_pid: int) -> dict[str, Kind]:
    """What the server and all processes below it hold, by the name of their kind."""
    root = psutil.Process(server_pid)
    kinds: dict[str, Kind] = {}
    for process in (root, *root.children(recursive=True)):
        with contextlib.suppress(psutil.Error, OSError):
            memory = process.memory_full_info()
            kind = kinds.setdefault("pagemill serve" if process == root else name_of(process), Kind())
            kind.num_processes += 1
            kind.pss_mb += memory.pss / MB
            kind.private_mb += memory.uss / MB
            kind.libraries |= libraries_of(mapping.path for mapping in process.memory_maps())
    return kinds


def libraries_of(paths: Iterable[str]) -> set[str]:
    """Which of the large libraries are mapped, by the files that a process has mapped."""
    marks = {
        "torch": "/libtorch_cpu.so",
        "cuda": "/libtorch_cuda.so",
        "tokenizers": "/tokenizers/",
        "lance": "/lancedb/",
    }
    mapped = list(paths)
    return {name for name, mark in marks.items() if any(mark in path for path in mapped)}


def total(kinds: dict[str, Kind]) -> float:
    """PSS of all in MB."""
    return round(sum(kind.pss_mb for kind in kinds.values()), 1)


def rows_of(moment: str, kinds: dict[str, Kind]) -> list[dict[str, Any]]:
    """A row per kind, the largest first."""
    return [
        {
            "moment": moment,
            "kind": name,
            "processes": kind.num_processes,
            "pss_mb": round(kind.pss_mb, 1),
            "private_mb": round(kind.private_mb, 1),
            "libraries": ", ".join(sorted(kind.libraries)),
        }
        for name, kind in sorted(kinds.items(), key=lambda pair: -pair[1].pss_mb)
    ]


if __name__ == "__main__":
    sys.exit(main())
