"""How well are documents read: the corpus through a running graph, scored by the corpus' own script.

`python -m benchmarks.quality [--library] [--json FILE] [--corpus FOLDER] [--results FOLDER] [--kinds real order ...]`
With `--library` no server is started: one process reads the text layers alone, so scans give nothing.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx

from benchmarks import ocr_use
from benchmarks.harness import library, report
from benchmarks.harness.options import parser_of
from benchmarks.harness.server import ROOT, server
from benchmarks.smoke import WAIT_S, ingest

AT_ONCE = 4  # documents sent at the same time
COLUMNS = ("text", "words", "order", "table", "heads", "furn")


def main() -> int:
    parser = parser_of(__doc__)
    parser.add_argument("--corpus", type=Path, default=ROOT.parent / "shared" / "corpus")
    parser.add_argument("--results", type=Path, help="keep the Markdown of every document here")
    parser.add_argument("--kinds", nargs="*", help="only these kinds of documents")
    parser.add_argument("--library", action="store_true", help="in this process, by the text layer alone")
    args = parser.parse_args()
    if not args.corpus.is_dir():
        print(f"no corpus at {args.corpus}")
        return 1
    with tempfile.TemporaryDirectory(prefix="pagemill-quality-") as folder:
        results = args.results or Path(folder) / "results"
        results.mkdir(parents=True, exist_ok=True)
        paths = listed(args.corpus, args.kinds)
        if args.library:
            jobs = library.read_all(paths, results)
        else:
            with server(Path(folder) / "data") as running:
                jobs = read_all(running.url, paths, results)
        means = scored(args.corpus, results, Path(folder) / "scores.json", args.kinds)
    print(report.table([{"kind": kind} | {name: row.get(name) for name in COLUMNS} for kind, row in means.items()]))
    lost = [job["document"] for job in jobs if job["status"] != "succeeded"]
    print(f"{len(jobs) - len(lost)} of {len(jobs)} succeeded" + (f"; not: {', '.join(lost)}" if lost else ""))
    if args.out:
        report.record(args.out, "quality", _figures(means) | ocr_use.figures(args.corpus, jobs), jobs)
    return 0


def listed(corpus: Path, kinds: list[str] | None) -> list[Path]:
    """The documents that have a truth."""
    with (corpus / "manifest.csv").open(encoding="utf-8", newline="") as manifest:
        rows = [row for row in csv.DictReader(manifest) if row["truth"]]
    return [corpus / row["file"] for row in rows if not kinds or row["kind"] in kinds]


def read_all(url: str, paths: list[Path], results: Path) -> list[dict[str, Any]]:
    """Send all documents, some at a time; write the Markdown of each beside its name."""
    with httpx.Client(base_url=url, timeout=WAIT_S + 60, trust_env=False) as client:

        def read(path: Path) -> dict[str, Any]:
            job = ingest(client, path)
            text = client.get(job["links"]["result"]).text if job.get("status") in ("succeeded", "partial") else ""
            (results / f"{path.name}.md").write_text(text, encoding="utf-8")
            seconds = job.get("timings", {}).get("total_s")
            used = ocr_use.pages_read(job)
            return {"document": path.name, "status": str(job.get("status")), "seconds": seconds, "ocr_pages": used}

        with ThreadPoolExecutor(AT_ONCE) as threads:
            return list(threads.map(read, paths))


def scored(corpus: Path, results: Path, scores: Path, kinds: list[str] | None) -> dict[str, dict[str, float | None]]:
    """Mean scores by kind, by the corpus' own script."""
    command = [sys.executable, str(corpus / "score.py"), str(results), "--json", str(scores)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    means: dict[str, dict[str, float | None]] = json.loads(scores.read_text(encoding="utf-8"))["means"]
    named = {name.removeprefix("mean ").split(" (")[0]: row for name, row in means.items()}
    return {kind: row for kind, row in named.items() if not kinds or kind in kinds}


def _figures(means: dict[str, dict[str, float | None]]) -> dict[str, float]:
    return {
        f"{column}_{'all' if kind == 'of all' else kind}": value
        for kind, row in means.items()
        for column in COLUMNS
        if (value := row.get(column)) is not None
    }


if __name__ == "__main__":
    sys.exit(main())
