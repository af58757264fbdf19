"""Do tenants share the renderer's children without a restart per call?

`python -m benchmarks.tenants [--json FILE] [--quick]`: small documents, each opened, inspected, drawn and composed, by
5 callers over 3 children: all of one namespace, then of two namespaces in turn, then of four, which is more than there
are children. Each pass has a pool of its own whose children are up before its clock starts; the passes take turns, and
medians are compared.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.harness.options import parser_of
from benchmarks.harness.report import record, table
from benchmarks.loads.letters import letter
from documents.sandbox import RendererPool
from documents.sandbox.structure_runner import StructureRunner
from documents.values import Source

NUM_CHILDREN, NUM_CALLERS = 3, 5
NUM_DOCUMENTS = 90
TENANTS = (1, 2, 4)
LONG_SIDE = 640  # pixels
LEAST_RATIO = 0.7  # of the rate of one tenant, that two must reach


def main() -> int:
    parser = parser_of(__doc__, quick="one pass of each instead of three")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pagemill-tenants-") as folder:
        rows = asyncio.run(measured(Path(folder), 1 if args.quick else 3))
    figures = ratios(rows)
    print(table(rows))
    print(table([{"figure": name, "value": value} for name, value in figures.items()]))
    if args.out:
        record(args.out, "tenants", figures, rows)
    return int(figures["two_over_one"] < LEAST_RATIO)


async def measured(folder: Path, num_passes: int, num_documents: int = NUM_DOCUMENTS) -> list[dict[str, Any]]:
    """A row per pass."""
    paths = [folder / f"{number}.pdf" for number in range(num_documents)]
    for number, path in enumerate(paths):
        path.write_bytes(letter(number).content)
    return [await _pass(paths, tenants) for _ in range(num_passes) for tenants in TENANTS]


def ratios(rows: Sequence[dict[str, Any]]) -> dict[str, float]:
    """Medians of the rates, and those of several tenants over that of one."""
    rates = {
        tenants: statistics.median(row["documents_per_s"] for row in rows if row["tenants"] == tenants)
        for tenants in TENANTS
    }
    return {
        **{f"documents_per_s_{tenants}": rate for tenants, rate in rates.items()},
        "two_over_one": rates[2] / rates[1],
        "four_over_one": rates[4] / rates[1],
    }


async def _pass(paths: Sequence[Path], tenants: int) -> dict[str, Any]:
    """Read all documents, that of number n for the tenant n modulo `tenants`."""
    sources = [
        Source(path=str(path), media_type="application/pdf", namespace=f"tenant-{number % tenants}")
        for number, path in enumerate(paths)
    ]
    ends: Counter[str] = Counter()
    pool = RendererPool(NUM_CHILDREN, on_end=lambda why: ends.update([why]))
    try:
        await asyncio.gather(*(pool.open(sources[number % tenants]) for number in range(NUM_CHILDREN)))
        waiting, begun = iter(sources), time.perf_counter()
        ends.clear()
        await asyncio.gather(*(_caller(pool, waiting) for _ in range(NUM_CALLERS)))
        seconds, restarts = time.perf_counter() - begun, ends["namespace"]
    finally:
        await pool.close()
    return {"tenants": tenants, "seconds": seconds, "restarts": restarts, "documents_per_s": len(paths) / seconds}


async def _caller(pool: RendererPool, waiting: Iterator[Source]) -> None:
    composer = StructureRunner(pool)
    for source in waiting:
        await pool.open(source)
        inspected = await pool.inspect(source, 1)
        await pool.picture(source, 1, long_side=LONG_SIDE)
        await composer.structure(inspected, [])


if __name__ == "__main__":
    sys.exit(main())
