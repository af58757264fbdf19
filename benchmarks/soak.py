"""Does memory only grow: what each process holds every fifty documents.

`python -m benchmarks.soak [--documents 500] [--json FILE]`
"""

from __future__ import annotations

import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx

from benchmarks.harness import report
from benchmarks.harness.options import parser_of
from benchmarks.harness.server import Running, server
from benchmarks.harness.watch import memory_mb
from benchmarks.loads.letters import letter, send

EVERY = 50
AT_ONCE = 4
WAIT_S = 110
MAX_GROWTH = 1.05  # of the memory after the first fifty documents
SCANNED_EVERY = 5  # one of so many is read by OCR


def main() -> int:
    parser = parser_of(__doc__, quick="150 documents")
    parser.add_argument("--documents", type=int)
    args = parser.parse_args()
    count = args.documents or (150 if args.quick else 500)
    with tempfile.TemporaryDirectory(prefix="pagemill-soak-") as folder, server(Path(folder)) as running:
        rows, failed = soaked(running, count)
    figures = {
        "documents": float(count),
        "failed": float(failed),
        "memory_at_50_mb": rows[0]["all"],
        "memory_last_mb": rows[-1]["all"],
        "memory_last_over_50": rows[-1]["all"] / rows[0]["all"],
    }
    print(report.table(rows))
    print(report.table([{"figure": name, "value": value} for name, value in figures.items()]))
    if args.out:
        report.record(args.out, "soak", figures, rows)
    return 0 if not failed and figures["memory_last_over_50"] <= MAX_GROWTH else 1


def soaked(running: Running, count: int) -> tuple[list[dict[str, Any]], int]:
    """A row for every fifty documents, in MB by process, and how many documents did not succeed."""
    rows: list[dict[str, Any]] = []
    failed = 0
    with httpx.Client(base_url=running.url, timeout=WAIT_S + 30, trust_env=False) as client:

        def read(number: int) -> bool:
            document = letter(number, 1 + number % 3, scanned=number % SCANNED_EVERY == 0)
            return send(client, document, wait_s=WAIT_S).json().get("status") == "succeeded"

        for start in range(0, count, EVERY):
            with ThreadPoolExecutor(AT_ONCE) as threads:
                failed += list(threads.map(read, range(start, min(count, start + EVERY)))).count(False)
            memory = {name: round(value, 1) for name, value in memory_mb(running.pid).items()}
            own_memory = {name: value for name, value in sorted(memory.items()) if not name.startswith("Ray: ")}
            rays = round(sum(value for name, value in memory.items() if name.startswith("Ray: ")), 1)
            rows.append(
                {"documents": min(count, start + EVERY), **own_memory, "Ray": rays, "all": own_memory.pop("all")}
            )
            print(rows[-1], file=sys.stderr)
    names = list(dict.fromkeys(name for row in rows for name in row))  # a process may be missing in a row
    return [{name: row.get(name) for name in names} for row in rows], failed


if __name__ == "__main__":
    sys.exit(main())
