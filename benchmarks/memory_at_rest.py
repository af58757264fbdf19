"""How much memory a server holds at rest: PSS of its processes by kind, once it is ready and again after documents.

PSS counts a page that several processes share in parts, so that the sum over all processes is what the machine gives.
`libraries` are the large ones that a process of the kind has mapped. The exit code is 0 if the laptop's server holds at
most 2,400 MB after documents, and 1 if it holds more or no figure could be taken.
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psutil

from benchmarks.harness.options import parser_of
from benchmarks.harness.report import commit, cpu_model, record, table
from benchmarks.harness.server import ROOT, server
from benchmarks.harness.watch import MB, name_of
from benchmarks.smoke import WAIT_S, ingest

DOCUMENTS = ("columns.pdf", "letter.pdf", "scan.png")
MAX_REST_MB = 2_400.0  # wanted
CONFIGS = {"default": "serve_config.yaml", "laptop": "configs/laptop.yaml"}
LOOK_S, STEADY_S, STEADY_MB, MAX_SETTLE_S = 1.0, 6.0, 10.0, 60.0  # rest: so long within so many MB


@dataclass(slots=True)
class Kind:
    """The processes of one kind, and what they hold together."""

    num_processes: int = 0
    pss_mb: float = 0.0
    private_mb: float = 0.0
    libraries: set[str] = field(default_factory=set)


def main() -> int:
    parser = parser_of(__doc__)
    parser.add_argument("--config", choices=CONFIGS, action="append", help="default: each of them")
    args = parser.parse_args()
    figures: dict[str, float] = {}
    rows: list[dict[str, Any]] = []
    for name in args.config or CONFIGS:
        of_config, rows_of_config = measured(name)
        figures |= {f"{name}_{figure}": value for figure, value in of_config.items()}
        rows += rows_of_config
    print(table(rows))
    print(table([{"figure": name, "value": value} for name, value in figures.items()]))
    if args.out:
        record(args.out, "memory_at_rest", figures, rows, {"model": cpu_model(), "commit": commit()})
    return exit_code(figures)


def exit_code(figures: Mapping[str, float]) -> int:
    """0 where the laptop's server keeps within MAX_REST_MB; where it was not measured: where there are figures at all.

    A sum of 0 is no figure: no process could be looked at.
    """
    totals = [value for name, value in figures.items() if name.endswith("_pss_mb")]
    if not totals or min(totals) <= 0:
        return 1
    return 0 if figures.get("laptop_after_documents_pss_mb", MAX_REST_MB) <= MAX_REST_MB else 1


def measured(name: str) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """Figures and rows of a server with one of CONFIGS.

    Processes of other servers that run from the same environment have its libraries mapped, too, and make PSS less:
    `others_with_torch` says how many there were.
    """
    with tempfile.TemporaryDirectory(prefix="rest-") as folder, server(Path(folder), "--config", CONFIGS[name]) as run:
        ready = at_rest(run.pid)
        first_s = read(run.url)
        after = at_rest(run.pid)
        others = num_others_with_torch(run.pid)
    figures = {
        "ready_pss_mb": total(ready),
        "after_documents_pss_mb": total(after),
        "after_documents_private_mb": round(sum(kind.private_mb for kind in after.values()), 1),
        "num_processes": float(sum(kind.num_processes for kind in after.values())),
        "start_s": round(run.seconds, 1),
        "first_document_s": round(first_s, 2),
        "others_with_torch": float(others),
    }
    rows = rows_of("ready", ready) + rows_of("after documents", after)
    return figures, [{"config": name, **row} for row in rows]


def at_rest(server_pid: int) -> dict[str, Kind]:
    """What is held when it has stayed for STEADY_S, or after MAX_SETTLE_S."""
    pause = threading.Event()
    begun = steady_since = time.monotonic()
    held = by_kind(server_pid)
    level = total(held)
    while time.monotonic() - steady_since < STEADY_S and time.monotonic() - begun < MAX_SETTLE_S:
        pause.wait(LOOK_S)  # nothing tells that a process gives memory back
        held = by_kind(server_pid)
        if abs(total(held) - level) > STEADY_MB:
            level, steady_since = total(held), time.monotonic()
    return held


def num_others_with_torch(server_pid: int) -> int:
    """Processes outside the server that have torch mapped from the environment that it runs in."""
    library = str(Path(sys.prefix).resolve())
    own = {server_pid, *(process.pid for process in psutil.Process(server_pid).children(recursive=True))}
    count = 0
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if process.pid not in own:
                paths = [mapping.path for mapping in process.memory_maps()]
                count += any(path.startswith(library) and "/libtorch_cpu.so" in path for path in paths)
    return count


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
