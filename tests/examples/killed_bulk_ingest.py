"""A bulk ingestion whose documents are read by nobody, and that kills itself before or behind its n-th file of rows.

Each document that it takes is a line of a file, so that others see what was done twice.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

from examples.bulk_ingest import Block, run
from examples.bulk_report import BlockReport
from examples.bulk_rows import write_rows

ROWS_PER_FILE = 100
MAX_BLOCKS = 4


def main(source: str, out: str, log: str, killed_at: int, when: str) -> None:
    num_files = 0

    async def work(block: Block) -> BlockReport:
        nonlocal num_files
        await asyncio.to_thread(append, Path(log), block)
        num_files += 1
        number = num_files
        if number == killed_at and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        rows = [{"path": document.path, "size": document.size, "status": "succeeded"} for document in block]
        await asyncio.to_thread(write_rows, out, block, rows)
        if number == killed_at and when == "behind":
            os.kill(os.getpid(), signal.SIGKILL)
        return BlockReport(len(rows), ())

    counts = asyncio.run(run(source, out, work, rows_per_file=ROWS_PER_FILE, max_blocks=MAX_BLOCKS))
    sys.stdout.write(json.dumps(counts))


def append(log: Path, block: Block) -> None:
    with log.open("a") as file:
        file.writelines(f"{document.path}\n" for document in block)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5])
