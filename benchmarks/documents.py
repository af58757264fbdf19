"""Pages per second and memory of whole documents: as a library, beside other libraries, and through a server.

Each side is a process of its own that was warmed up; they read the same drawn papers in turn, and the least seconds
count. `pages_per_core_second_*` and `*_per_core` are by processor time, children included; the other rates are by the
clock, with as many cores as each side takes. Ours as a library reads no scans: its rows of those tell what finding
their regions takes. The server reads as many documents at once as `AT_ONCE`, its layout network on;
`http_over_library` is its rate over that of the library with layout on, in the same minutes. Other libraries run under
`--peers PYTHON`, one that has `pymupdf4llm` (with `pymupdf-layout`) or `docling`; a side that cannot be run is left
out, with the reason.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx

from benchmarks.harness.options import parser_of
from benchmarks.harness.report import record, table
from benchmarks.harness.server import ROOT, Running, server
from benchmarks.harness.watch import memory_mb
from benchmarks.loads.papers import paper, scan
from benchmarks.peers.document_sides import SIDES

AT_ONCE = 8
PEERS = ("pymupdf4llm", "docling")
WAIT_S = 600.0


def main() -> int:
    parser = parser_of(__doc__, quick="12 pages per document and two rounds, not 40 and four")
    parser.add_argument("--peers", default=sys.executable, help="a Python that has the other libraries")
    parser.add_argument("--no-server", action="store_true", help="libraries alone")
    args = parser.parse_args()
    num_pages, rounds = (12, 2) if args.quick else (40, 4)
    with tempfile.TemporaryDirectory(prefix="pagemill-documents-") as folder:
        figures, rows = of_libraries(Path(folder), args.peers, num_pages, rounds)
        print(table(rows))
        if not args.no_server:
            more, of_server = through_server(Path(folder), num_pages, rounds)
            print(table(of_server))
            figures |= more
            rows += of_server
    print(table([{"figure": name, "value": value} for name, value in figures.items()]))
    if args.out:
        record(args.out, "documents", figures, rows)
    return 0


def of_libraries(
    folder: Path, peers: str, num_pages: int, rounds: int, names: tuple[str, ...] = tuple(SIDES)
) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """Figures, and a row for each side and kind of document."""
    kinds = {"born-digital": paper(folder / "paper.pdf", num_pages, 1), "scanned": scan(folder / "scan.pdf", num_pages)}
    warm = paper(folder / "warm.pdf", 2, 99)
    with contextlib.ExitStack() as stack:
        libraries: dict[str, Callable[[Path], dict[str, Any]]] = {}
        for name in names:
            side = stack.enter_context(_side(name, peers if name in PEERS else sys.executable))
            try:
                side(warm)
            except RuntimeError as error:
                print(f"{name} is left out: {error}")
                continue
            libraries[name] = side
        rows = [
            _row(name, kind, answers)
            for kind, file in kinds.items()
            for name, answers in _in_turn(libraries, file, rounds).items()
        ]
    return _figures(rows), rows


def _in_turn(
    libraries: dict[str, Callable[[Path], dict[str, Any]]], file: Path, rounds: int
) -> dict[str, list[dict[str, Any]]]:
    answers: dict[str, list[dict[str, Any]]] = {name: [] for name in libraries}
    for _, (name, side) in itertools.product(range(rounds), libraries.items()):
        answers[name].append(side(file))
    return answers


def _row(name: str, kind: str, answers: list[dict[str, Any]]) -> dict[str, Any]:
    best = min(answers, key=lambda answer: answer["seconds"])
    return {
        "side": name,
        "documents": kind,
        "pages_per_s": best["pages"] / best["seconds"],
        "pages_per_core_s": best["pages"] / min(answer["cpu_s"] for answer in answers),
        "characters_a_page": best["characters"] / best["pages"],
        "peak_mb": answers[-1]["peak_mb"],
        "peak_mb_first": answers[0]["peak_mb"],
    }


def _figures(rows: list[dict[str, Any]]) -> dict[str, float]:
    of = {(row["side"], row["documents"]): row for row in rows}
    born = {side: row for (side, kind), row in of.items() if kind == "born-digital"}
    figures: dict[str, float] = {}
    if "ours_text" in born:
        figures["pages_per_core_second_library"] = born["ours_text"]["pages_per_core_s"]
    if ours := born.get("ours_layout"):
        figures["pages_per_core_second_layout"] = ours["pages_per_core_s"]
        figures["memory_last_over_first"] = ours["peak_mb"] / ours["peak_mb_first"]
        for peer in ("pymupdf_text", *PEERS):
            if peer in born:
                figures[f"ours_over_{peer}"] = ours["pages_per_s"] / born[peer]["pages_per_s"]
                figures[f"ours_over_{peer}_per_core"] = ours["pages_per_core_s"] / born[peer]["pages_per_core_s"]
    return figures


@contextlib.contextmanager
def _side(name: str, python: str) -> Iterator[Callable[[Path], dict[str, Any]]]:
    """Ask it with a path; RuntimeError, with the last that it said, if it has ended."""
    script = (
        ["-m", "benchmarks.peers.document_sides"]
        if python == sys.executable
        else [str(ROOT / "benchmarks" / "peers" / "document_sides.py")]
    )
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(
            [python, *script, name], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=output, text=True
        )
        assert process.stdin is not None
        assert process.stdout is not None
        to, back = process.stdin, process.stdout

        def ask(path: Path) -> dict[str, Any]:
            with contextlib.suppress(BrokenPipeError):
                to.write(f"{path}\n")
                to.flush()
            for line in back:
                if line.startswith("{"):  # a library may print, too
                    return json.loads(line)
            output.seek(0)
            raise RuntimeError((output.read().strip().splitlines() or ["it ended"])[-1])

        try:
            yield ask
        finally:
            with process, contextlib.suppress(BrokenPipeError):  # closes both pipes and waits
                to.close()


def through_server(folder: Path, num_pages: int, rounds: int) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """Figures, and a row for each kind of document, `AT_ONCE` documents at once; the library in turn with it."""
    with server(folder / "data") as running, _side("ours_layout", sys.executable) as library:
        library(paper(folder / "warm.pdf", 2, 99))
        ingested(running, [paper(folder / f"first-{n}.pdf", num_pages, 900 + n) for n in range(AT_ONCE)])
        before = memory_mb(running.pid)["all"]
        rates: list[float] = []
        alone: list[float] = []
        for round_ in range(rounds):
            papers = [paper(folder / f"{round_}-{n}.pdf", num_pages, 10 * round_ + n + 1) for n in range(AT_ONCE)]
            rates.append(AT_ONCE * num_pages / ingested(running, papers))
            read = [library(file) for file in papers[:2]]
            alone.append(2 * num_pages / sum(answer["seconds"] for answer in read))
        grown = memory_mb(running.pid)["all"] - before
        ingested(running, [scan(folder / "first-scan.pdf", 1, 199)])
        scans = [scan(folder / f"scan-{n}.pdf", 1, 200 + n) for n in range(AT_ONCE)]
        scanned = AT_ONCE / ingested(running, scans)
    ratios = [rate / bare for rate, bare in zip(rates, alone, strict=True)]
    figures = {
        "http_over_library": statistics.median(ratios),
        "http_pages_per_s": max(rates),
        "http_scanned_pages_per_s": scanned,
        "http_memory_growth_mb": grown,
    }
    rows = [
        {"side": "server", "documents": kind, "pages_per_s": rate}
        for kind, rate in (("born-digital", max(rates)), ("scanned, read by OCR", scanned))
    ]
    return figures, rows


def ingested(running: Running, files: list[Path]) -> float:
    """Seconds until all are done, sent at once."""
    with httpx.Client(base_url=running.url, timeout=WAIT_S, trust_env=False) as client:

        def one(file: Path) -> None:
            form = {"options": json.dumps({"index": False})}
            content = {"file": (file.name, file.read_bytes())}
            job = client.post("/v1/documents", params={"wait": 120}, files=content, data=form).raise_for_status().json()
            while job["status"] in ("queued", "running"):  # each look waits at the server
                job = client.get(f"/v1/jobs/{job['job_id']}", params={"wait": 120}).raise_for_status().json()
            if job["status"] != "succeeded":
                raise RuntimeError(f"{file.name} {job['status']}")

        begun = time.perf_counter()
        with ThreadPoolExecutor(len(files)) as threads:
            list(threads.map(one, files))
        return time.perf_counter() - begun


if __name__ == "__main__":
    sys.exit(main())
