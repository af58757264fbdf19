"""Office files, web pages, mail and text: how each ends and how long it takes; and their text beside a peer's.

    python -m benchmarks.office FOLDER ... [--url URL] [--out benchmarks/results/office.json]
    python -m benchmarks.office FOLDER ... --peer 'PYTHON -m markitdown' --sample 40

In process each file goes through the same sandboxed child as on a server; pages that are drawn are counted, not read.
Of a sample (the smallest SHA-256 of each format, of the files in which a third reader finds words) the words are held
against those of the third reader: python-docx, python-pptx, openpyxl, or the text nodes of lxml.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import itertools
import json
import shlex
import statistics
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.harness import report
from benchmarks.truths.office_text import facts_of_markdown, third_reader
from documents.document.assemble_document import assemble
from documents.errors import IngestError
from documents.exports.markdown import markdown
from documents.media_types import sniff_file
from documents.sandbox import RendererPool
from documents.values import Document, Opened, Page, Source
from pagemill import Client
from pagemill.errors import Refused

ENDINGS = (
    "docx",
    "docm",
    "dotx",
    "pptx",
    "pptm",
    "xlsx",
    "xlsm",
    "odt",
    "ods",
    "odp",
    "html",
    "htm",
    "md",
    "txt",
    "csv",
)
ENDINGS += ("eml", "msg", "epub", "zip")
COMPARED = ("docx", "pptx", "xlsx", "html")
PEER_S = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How one file ended: `ok`, `empty` (it says nothing), or the code of the error that names why not."""

    name: str
    ending: str
    outcome: str
    seconds: float
    num_pages: int = 0
    num_regions: int = 0
    num_drawn: int = 0
    warnings: tuple[str, ...] = ()


def files_in(folders: Sequence[Path]) -> Iterator[Path]:
    """Each file once, by its bytes."""
    digests: set[str] = set()
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.suffix[1:].lower() not in ENDINGS or not path.is_file() or not path.stat().st_size:
                continue
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            if digest not in digests:
                digests.add(digest)
                yield path


async def read(pool: RendererPool, path: Path) -> tuple[Outcome, Document | None]:
    """One file in a child of the sandbox."""
    ending = path.suffix[1:].lower()
    with path.open("rb") as file:
        kind = sniff_file(file, path.name)
    if kind is None:
        return Outcome(name=path.name, ending=ending, outcome="unsupported_media_type", seconds=0.0), None
    begun = time.perf_counter()
    source = Source(path=str(path), media_type=kind)
    try:
        opened: Opened = await pool.open(source)
        pages = [await pool.authored(source, number) for number in range(1, opened.num_pages + 1)]
    except IngestError as error:
        seconds = time.perf_counter() - begun
        return Outcome(name=path.name, ending=ending, outcome=error.code, seconds=seconds), None
    seconds = time.perf_counter() - begun
    authored = [page for page in pages if isinstance(page, Page)]
    document = assemble("d", 1, opened, authored)
    num_regions = sum(len(page.regions) for page in authored)
    outcome = Outcome(
        name=path.name,
        ending=ending,
        outcome="ok" if num_regions or len(authored) < len(pages) else "empty",
        seconds=seconds,
        num_pages=len(pages),
        num_regions=num_regions,
        num_drawn=len(pages) - len(authored),
        warnings=tuple(sorted({warning.code for warning in opened.warnings})),
    )
    return outcome, document


def sent(client: Client, path: Path) -> Outcome:
    """One file through a server."""
    ending, begun = path.suffix[1:].lower(), time.perf_counter()
    try:
        job = client.wait(client.ingest(path).id)
    except Refused as refused:
        code = refused.problem.code
        return Outcome(name=path.name, ending=ending, outcome=code, seconds=time.perf_counter() - begun)
    code = job.error.code if job.error is not None else job.status
    return Outcome(
        name=path.name,
        ending=ending,
        outcome="ok" if code in ("succeeded", "partial") else code,
        seconds=time.perf_counter() - begun,
        num_pages=job.num_pages or 0,
        warnings=tuple(sorted({warning.code for warning in job.warnings})),
    )


def by_format(outcomes: Sequence[Outcome]) -> dict[str, dict[str, object]]:
    """Files of each ending by outcome, and their seconds."""
    table: dict[str, dict[str, object]] = {}
    for ending in dict.fromkeys(ENDINGS):
        own = [outcome for outcome in outcomes if outcome.ending == ending]
        if own:
            seconds = [outcome.seconds for outcome in own]
            table[ending] = {
                "files": len(own),
                "outcomes": dict(sorted(Counter(outcome.outcome for outcome in own).items())),
                "seconds_median": round(statistics.median(seconds), 4),
                "seconds_max": round(max(seconds), 3),
                "pages": sum(outcome.num_pages for outcome in own),
            }
    return table


async def compared(paths: Sequence[Path], peer: str, num_files: int) -> list[dict[str, object]]:
    """Words, headings and tables of a sample, ours and the peer's, against a third reader's."""
    pool = RendererPool(1)
    rows: list[dict[str, object]] = []
    try:
        for path in sample(paths, num_files):
            truth = third_reader(path)
            outcome, document = await read(pool, path)
            if truth is None or document is None or not truth.words:
                continue
            begun = time.perf_counter()
            answer = await asyncio.to_thread(
                subprocess.run,
                [*shlex.split(peer), str(path)],
                capture_output=True,
                timeout=PEER_S,
                check=False,
            )
            peers = facts_of_markdown(answer.stdout.decode("utf-8", "replace"))
            own = facts_of_markdown(markdown(document))
            rows.append(
                {
                    "name": path.name,
                    "ending": outcome.ending,
                    "seconds": round(outcome.seconds, 3),
                    "peer_seconds": round(time.perf_counter() - begun, 3),
                    "truth": {
                        "words": truth.words.total(),
                        "headings": len(truth.headings),
                        "tables": truth.num_tables,
                    },
                    "ours": own.against(truth),
                    "peer": peers.against(truth),
                }
            )
    finally:
        await pool.close()
    return rows


def sample(paths: Sequence[Path], num_files: int) -> list[Path]:
    """As many of each compared format, those of the smallest SHA-256."""
    sample_files: list[Path] = []
    for ending in COMPARED:
        own = [path for path in paths if path.suffix[1:].lower() == ending]
        ranked = sorted(own, key=lambda path: hashlib.sha256(path.read_bytes()).hexdigest())
        sample_files += itertools.islice((path for path in ranked if _has_words(path)), num_files // len(COMPARED))
    return sample_files


def _has_words(path: Path) -> bool:
    truth = third_reader(path)
    return truth is not None and truth.words.total() > 0


def means(rows: Sequence[dict[str, object]]) -> dict[str, dict[str, dict[str, float]]]:
    """Of each format and of all: the means of what was compared."""
    means_by_format: dict[str, dict[str, dict[str, float]]] = {}
    for ending in (*COMPARED, "all"):
        own = [row for row in rows if ending in (row["ending"], "all")]
        if own:
            means_by_format[ending] = {
                who: {
                    name: round(statistics.fmean(row[who][name] for row in own if row[who][name] is not None), 4)  # pyright: ignore[reportIndexIssue, reportArgumentType]
                    for name in ("words_f1", "headings_f1", "tables")
                    if any(row[who][name] is not None for row in own)  # pyright: ignore[reportIndexIssue, reportArgumentType]
                }
                for who in ("ours", "peer")
            } | {"files": {"number": float(len(own))}}
    return means_by_format


async def in_process(paths: Sequence[Path]) -> list[Outcome]:
    pool = RendererPool(1)
    try:
        return [(await read(pool, path))[0] for path in paths]
    finally:
        await pool.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--url", help="a server; unset: in process")
    parser.add_argument("--peer", help="a command that prints Markdown of the file behind it")
    parser.add_argument("--only-peer", action="store_true", help="the comparison without the table of formats")
    parser.add_argument("--sample", type=int, default=40)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    paths = list(files_in(options.folders))
    outcomes: list[Outcome] = []
    if options.only_peer:
        pass
    elif options.url:
        client = Client(options.url)
        outcomes = [sent(client, path) for path in paths]
    else:
        outcomes = asyncio.run(in_process(paths))
    table = by_format(outcomes)
    for ending, row in table.items():
        print(f"{ending:6} {row['files']:5} {row['seconds_median']:8} {row['seconds_max']:8}  {row['outcomes']}")
    result: dict[str, object] = {**report.origin("office"), "way": "server" if options.url else "in process"}
    result |= {"formats": table, "files": [asdict(outcome) for outcome in outcomes if outcome.outcome not in ("ok",)]}
    if options.peer:
        rows = asyncio.run(compared(paths, options.peer, options.sample))
        result |= {"peer": options.peer.rpartition(" ")[2], "means": means(rows), "compared": rows}
        print(json.dumps(means(rows), indent=1))
    if options.out is not None:
        options.out.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
