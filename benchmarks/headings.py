"""Headings, their levels, lists and reading order compared with the structure trees of tagged PDFs.

`python -m benchmarks.headings FOLDER... [--half tuned|held] [--peer PYTHON] [--json benchmarks/results/headings.json]`
Files are read from copies without their trees, by the text layer, without OCR; so does the peer, pymupdf4llm with its
layout model, in a Python that has it. Documents fall into two halves by their names, whatever else is in the folders:
what is tuned on one is judged by the other. A tree tells what the author tagged, which is not always what one sees:
pages whose trees cannot be right are left out, others remain, so no side reaches 1.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import pymupdf

from benchmarks.harness import report
from benchmarks.harness.options import parser_of
from benchmarks.harness.page_networks import PageNetworks
from benchmarks.harness.peer_pages import peer_pages
from benchmarks.harness.rule_replay import Replay, facts_of
from benchmarks.harness.server import ROOT
from benchmarks.truths.headings import (
    HALVES,
    SCORES,
    Scores,
    Tagged,
    document_scores,
    stripped,
    tagged_documents,
)
from benchmarks.truths.rules import corpus_module
from configs.settings import Settings
from documents.errors import IngestError
from documents.exports.markdown import markdown
from documents.sandbox.renderer_pool import RendererPool
from documents.values import Document


@dataclass(frozen=True, slots=True)
class Result:
    """The Markdown of each page of a document's truth, in its order, and the seconds that all took."""

    pages: tuple[str, ...]
    seconds: float


def main() -> int:
    parser = parser_of(__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--half", choices=HALVES, help="this one alone")
    parser.add_argument("--peer", help="a Python that has pymupdf4llm and pymupdf-layout")
    parser.add_argument("--corpus", type=Path, default=ROOT.parent / "shared" / "corpus", help="its score.py is used")
    args = parser.parse_args()
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    documents = tagged_documents(args.folders, args.corpus)
    documents = [document for document in documents if args.half in (None, document.half)]
    with tempfile.TemporaryDirectory() as folder:
        copies = [Path(folder) / f"{k}.pdf" for k in range(len(documents))]
        for document, copy in zip(documents, copies, strict=True):
            stripped(document.path, copy)
        sides = {"ours": asyncio.run(read(documents, copies))}
        if args.peer:
            sides["peer"] = peer_results(args.peer, documents, copies)
    rows = rows_of(documents, sides, corpus_module(args.corpus))
    figures = figures_of(documents, rows, sides)
    print(report.table([{name: row[name] for name in row if name != "pages"} for row in rows]))
    print(report.table([{"figure": name, "value": value} for name, value in figures.items()]))
    if args.out:
        machine = {"commit": report.commit(), "instruction_set": report.capability(), "cpu": report.cpu_model()}
        report.record(args.out, "headings", figures, rows, machine)
    return 0


async def read(documents: Sequence[Tagged], copies: Sequence[Path]) -> list[Result]:
    """By the library's functions, one document after the other; a page that fails is empty."""
    networks = PageNetworks.of(Settings())
    pool = RendererPool(1)
    try:
        return [await _read(document, copy, pool, networks) for document, copy in zip(documents, copies, strict=True)]
    finally:
        await pool.close()


async def _read(document: Tagged, copy: Path, pool: RendererPool, networks: PageNetworks) -> Result:
    numbers = [page.number for page in document.pages]
    begun = time.perf_counter()
    try:
        opened, facts = await facts_of(copy, numbers, pool, networks)
    except IngestError as error:
        print(f"{document.name}: {error.code}", file=sys.stderr)
        return Result(("",) * len(numbers), time.perf_counter() - begun)
    pages = pages_of(Replay.of(document.name, opened, facts).document(), numbers)
    return Result(pages, time.perf_counter() - begun)


def pages_of(document: Document, numbers: Sequence[int]) -> tuple[str, ...]:
    """The Markdown of each of these pages alone, as the whole document has it."""
    pages = {page.number: page for page in document.pages}
    alone = (tuple(pages[k] for k in (number,) if k in pages) for number in numbers)
    return tuple(markdown(document.model_copy(update={"pages": page})) for page in alone)


def peer_results(python: str, documents: Sequence[Tagged], copies: Sequence[Path]) -> list[Result]:
    """As the peer reads the same pages."""
    requests = [(copy, [page.number for page in d.pages]) for d, copy in zip(documents, copies, strict=True)]
    return [Result(read.pages, read.seconds) for read in peer_pages(python, requests)]


def rows_of(documents: Sequence[Tagged], sides: dict[str, list[Result]], score: Any) -> list[dict[str, Any]]:
    """A row for each document with the scores of each side."""
    rows: list[dict[str, Any]] = []
    for k, document in enumerate(documents):
        row: dict[str, Any] = {"document": document.name, "half": document.half, "pages": len(document.pages)}
        for side, results in sides.items():
            scores: Scores = document_scores(document.pages, results[k].pages, score)
            row |= {f"{side}_{name}": None if scores[name] is None else round(scores[name], 4) for name in SCORES}  # pyright: ignore[reportArgumentType, reportCallIssue]
        rows.append(row)
    return rows


def figures_of(
    documents: Sequence[Tagged], rows: Sequence[dict[str, Any]], sides: dict[str, list[Result]]
) -> dict[str, float]:
    """Means over documents by half, and the seconds per page of each side."""
    figures: dict[str, float] = {}
    for half in HALVES:
        rows_of_half = [row for row in rows if row["half"] == half]
        figures[f"documents_{half}"] = len(rows_of_half)
        figures[f"pages_{half}"] = sum(row["pages"] for row in rows_of_half)
        for side in sides:
            for name in SCORES:
                values = [row[f"{side}_{name}"] for row in rows_of_half if row[f"{side}_{name}"] is not None]
                if values:
                    figures[f"{side}_{name}_{half}"] = round(fmean(values), 4)
    num_pages = max(1, sum(len(document.pages) for document in documents))
    for side, results in sides.items():
        figures[f"{side}_seconds_per_page"] = round(sum(result.seconds for result in results) / num_pages, 4)
    return figures


if __name__ == "__main__":
    sys.exit(main())
