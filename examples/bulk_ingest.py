"""A folder or bucket of documents, however many: one row of Parquet a document, and run again it goes on.

    python examples/bulk_ingest.py papers/ out/           # or s3://bucket/papers s3://bucket/out

The source is listed page by page, only as far ahead as the server takes documents, and what is done is compared page
by page: neither all keys nor all rows are ever in memory. Bytes are read only for documents inside an actor's window,
or by the server itself (--by-address); a full server is waited for. What could not be read for a reason that may pass
gets no row: the next run takes it up. `_failures.jsonl` beside the rows lists what failed and why.
One run at a time writes to a place.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from examples.bulk_report import BlockReport, Report, failure
from examples.bulk_rows import FinishedRows
from examples.bulk_source import Document, pages_of, source_of
from examples.graph import connect, disconnect

SOME_MISSING = 3  # the exit code, as of `pagemill ingest`
SHARE = 0.1  # of a core: actors wait, and the graph has reserved most of a small machine
BLOCKS_PER_ACTOR = 2  # while one waits for its last document, the other fills the window
STORAGE_VARIABLES = "AWS_"
MAX_RETRIES = 3  # processes of an actor that may die over a block
Block = list[Document]
Work = Callable[[Block], Awaitable[BlockReport]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", help="folder, or URL of a bucket")
    parser.add_argument("out", help="folder or URL of the Parquet files")
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--window", type=int, default=8, help="documents that an actor has on their way at once")
    parser.add_argument("--actors", type=int, default=1)
    parser.add_argument("--rows", type=int, default=100, help="of a file; a killed run repeats two of them per actor")
    parser.add_argument(
        "--by-address", action="store_true", help="the server copies objects itself, where its sources.buckets allow it"
    )
    args = parser.parse_args()
    connect(args.data_dir)
    work = actors(args.source, args.out, args.window, args.actors, by_address=args.by_address)
    num_blocks = BLOCKS_PER_ACTOR * args.actors
    counts = asyncio.run(run(args.source, args.out, work, rows_per_file=args.rows, max_blocks=num_blocks))
    disconnect()
    print(json.dumps(counts))
    sys.exit(SOME_MISSING if counts["left"] else 0)


def actors(source: str, out: str, window: int, count: int, *, by_address: bool) -> Work:
    """Actors of Ray that take a block each, the one with the fewest blocks first."""
    import ray  # after connecting, as everything that imports it
    from ray.exceptions import RayActorError

    from examples.bulk_actor import Ingest

    options: dict[str, Any] = {"num_cpus": SHARE, "max_restarts": -1, "max_task_retries": MAX_RETRIES}
    if variables := {name: value for name, value in os.environ.items() if name.startswith(STORAGE_VARIABLES)}:
        options["runtime_env"] = {"env_vars": variables}  # else they have those of the server
    kind: Any = ray.remote(**options)(Ingest)
    pool = [kind.remote(source, out, window, by_address) for _ in range(count)]
    num_blocks = dict.fromkeys(range(count), 0)

    async def ingested(block: Block) -> BlockReport:
        index = min(num_blocks, key=lambda index: num_blocks[index])
        num_blocks[index] += 1
        try:
            return await pool[index].ingested.remote(block)
        except RayActorError as error:
            outcome = {"status": None, "error": f"replica_lost: {type(error).__name__}", "failed_pages": None}
            return BlockReport(0, tuple(failure(document, outcome, is_final=False) for document in block))
        finally:
            num_blocks[index] -= 1

    return ingested


async def run(source: str, out: str, work: Work, *, rows_per_file: int, max_blocks: int) -> dict[str, int]:
    """The counts of `Report`; `work` has at most `max_blocks` blocks at once, and writes their rows."""
    finished = await asyncio.to_thread(FinishedRows, out)
    report = Report()
    try:
        blocks = unfinished(pages_of(source_of(source)), finished, report, rows_per_file)
        await all_ingested(blocks, work, report, max_blocks)
        await asyncio.to_thread(report.publish, out)
        return report.counts
    finally:
        report.close()
        finished.close()


def unfinished(pages: Iterable[Block], finished: FinishedRows, report: Report, num_per_block: int) -> Iterator[Block]:
    """The documents without a row, so many at a time; the next page is listed when a block is not full."""
    rest: Block = []
    for page in pages:
        rows = finished.of(page)
        report.listed(len(page), rows)
        rest += [document for document in page if document not in rows]
        while len(rest) >= num_per_block:
            block, rest = rest[:num_per_block], rest[num_per_block:]
            yield block
    if rest:
        yield rest


async def all_ingested(blocks: Iterator[Block], work: Work, report: Report, max_blocks: int) -> None:
    """Each block is taken from the listing when there is room for it."""
    running: set[asyncio.Task[BlockReport]] = set()
    try:
        while (block := await asyncio.to_thread(next, blocks, None)) is not None:
            running.add(asyncio.ensure_future(work(block)))
            if len(running) == max_blocks:
                running = await _with_room(running, report)
        while running:
            running = await _with_room(running, report)
    finally:
        for task in running:
            task.cancel()


async def _with_room(running: set[asyncio.Task[BlockReport]], report: Report) -> set[asyncio.Task[BlockReport]]:
    done, left = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
    for task in done:
        report.ended(task.result())
    return left


if __name__ == "__main__":
    main()
