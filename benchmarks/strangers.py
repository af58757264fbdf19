"""What becomes of documents that nobody here has seen: any folders, through a server.

`python -m benchmarks.strangers FOLDER... [--no-ocr] [--limit N] [--json FILE] [--url URL --logs FOLDER]`
The table counts files and pages by folder and outcome. Below it stands every internal error and every warning
`rule_failed` with its trace from the server's log, and every page that PyMuPDF can draw and that was not read.
Exit code 0: none of these; 1: some; 2: nothing was measured. Without `--url` a server is started, and its memory shown.
"""

from __future__ import annotations

import contextlib
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.harness import report, server_log
from benchmarks.harness.options import parser_of
from benchmarks.harness.outcomes import BrokenResult, Outcome, Trouble, by_ending, of_job, of_refusal, troubles
from benchmarks.harness.server import ROOT, DidNotStart, server
from benchmarks.harness.watch import memory_mb, peak_mb
from benchmarks.truths.drawable import drawable_pages
from pagemill.client import Client
from pagemill.errors import PagemillError, Refused
from pagemill.http.client_retries import Retries
from pagemill.ingesting.input_files import NoSuchFile, find
from pagemill.values import Format, Job, Options

AT_ONCE = 4  # documents sent at the same time
JOB_S = 900.0  # then a job is cancelled and counted as not ended
RESULTS: tuple[Format, ...] = ("md", "json", "docling", "chunks", "text")
WARM = ROOT / "tests" / "data"  # read once before the memory at the beginning is taken
RULE = re.compile(r"`(.+?)`")  # its name in the message of `rule_failed`
RETRIES = Retries(max_attempts=3)
PRINTED = frozenset({".pdf", ".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp"})  # Office files: benchmarks.office
TRACE_LINES = 30  # of each trace that are printed; the JSON has all


@dataclass(frozen=True, slots=True)
class Site:
    """A server that is ready, and what is known of its inside."""

    url: str
    pid: int | None  # None: not ours, its memory is not looked at
    logs: Path | None  # None: traces stay in its log


def main() -> int:
    parser = parser_of(__doc__)
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    parser.add_argument("--url", help="a server that runs already")
    parser.add_argument("--api-key", help="where that server asks for one")
    parser.add_argument("--logs", type=Path, help="its folder DATA/ray/ray/session_latest/logs/serve (log_format JSON)")
    parser.add_argument("--no-ocr", action="store_true", help="by the text layer alone: much faster, scans stay empty")
    parser.add_argument("--index", action="store_true", help="put them into the search index, too")
    parser.add_argument("--limit", type=int, help="files of each folder, spread evenly over it")
    parser.add_argument("--at-once", type=int, default=AT_ONCE, help=f"documents in flight, default {AT_ONCE}")
    args = parser.parse_args()
    options = Options(text_source="text_layer" if args.no_ocr else "auto", index=args.index)
    try:
        files = listed(args.folders, args.limit)
        with _site(args.url, args.logs) as site, _client(site.url, args.api_key) as client:
            outcomes, figures = measured(client, site, files, options, args.at_once)
            problems = [trouble for outcome in outcomes for trouble in troubles(outcome, _drawable(outcome))]
            traces = server_log.traces(site.logs) if site.logs else []
    except (DidNotStart, NoSuchFile, PagemillError, OSError) as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 2
    figures |= {
        kind: float(sum(problem.kind == kind for problem in problems)) for kind in ("internal", "rule_failed", "lost")
    }
    rows = by_ending(outcomes, problems)
    reports = [asdict(problem) | {"trace": trace_of(problem, traces)} for problem in problems]
    print(report.table(rows))
    print(report.table([{"figure": name, "value": value} for name, value in figures.items()]))
    print(f"instruction set: {report.capability()}")
    _print(reports, logs=site.logs is not None)
    if args.out:
        report.record(
            args.out, "strangers", figures, [*rows, *reports], {"options": options.model_dump(exclude_defaults=True)}
        )
    return bool(problems)


def listed(folders: Sequence[str], limit: int | None) -> list[tuple[str, Path]]:
    """The documents of each folder with its name, in an order that does not change.

    Raises:
        NoSuchFile: a folder is not there, or has no document.
    """
    files: list[tuple[str, Path]] = []
    for folder in folders:
        paths = [source.path for source in find([folder]) if source.path.suffix.lower() in PRINTED]
        count = len(paths) if limit is None else min(limit, len(paths))
        files += [(Path(folder).name, paths[k * len(paths) // count]) for k in range(count)]
    return files


def measured(
    client: Client, site: Site, files: Sequence[tuple[str, Path]], options: Options, at_once: int
) -> tuple[list[Outcome], dict[str, float]]:
    """The outcome of each file, in order, and figures of all."""
    for path in sorted(WARM.glob("*.pdf"))[:3]:
        sent(client, "", path, options)
    before = _memory(site, "begin")
    begun = time.monotonic()
    with ThreadPoolExecutor(at_once) as threads:
        outcomes = list(threads.map(lambda file: _noted(sent(client, file[0], file[1], options)), files))
    seconds = time.monotonic() - begun
    pages = sum(len(outcome.read) for outcome in outcomes)
    figures = {
        "files": float(len(outcomes)),
        "pages_done": float(pages),
        "pages_failed": float(sum(len(outcome.failed) for outcome in outcomes)),
        "seconds": seconds,
        "pages_per_s": pages / seconds,
    }
    return outcomes, figures | before | _memory(site, "end")


def sent(client: Client, folder: str, path: Path, options: Options) -> Outcome:
    """The outcome of one document, and of its result in every format that is text.

    Raises:
        Unreachable: the server is gone.
    """
    begun = time.monotonic()
    try:
        job = client.ingest(path, options=options, wait_s=JOB_S)
        job = job if job.done else client.cancel(job.id)
        seconds = time.monotonic() - begun
        return of_job(folder, str(path), job, seconds, _broken_results(client, job))
    except Refused as refused:
        return of_refusal(folder, str(path), refused.problem, time.monotonic() - begun)


def trace_of(trouble: Trouble, traces: Sequence[server_log.Trace]) -> str | None:
    """The trace that the server logged for it; None where it has none, as for a page that failed by name."""
    if trouble.kind == "lost":
        return None
    rule = RULE.search(trouble.message) if trouble.kind == "rule_failed" else None
    word = rule[1] if rule else ""
    place: dict[str, Any] = {"job_id": trouble.job_id, "page": trouble.page, "request_id": trouble.request_id}
    return server_log.text_of(traces, **place, word=word) or server_log.text_of(traces, **place)


def _broken_results(client: Client, job: Job) -> list[BrokenResult]:
    broken: list[BrokenResult] = []
    for form in RESULTS if job.status in ("succeeded", "partial") else ():
        try:
            client.result(job.id, form)
        except Refused as refused:
            broken.append(BrokenResult(form, refused.problem.code, refused.problem.request_id))
    return broken


def _drawable(outcome: Outcome) -> frozenset[int]:
    return drawable_pages(Path(outcome.file)) if outcome.may_have_lost else frozenset()


def _noted(outcome: Outcome) -> Outcome:
    if outcome.ending not in ("done", "done with warnings"):
        print(f"{outcome.ending}: {outcome.file}", file=sys.stderr)
    return outcome


def _memory(site: Site, moment: str) -> dict[str, float]:
    """MB of the server's processes: what they hold, and the sum of the most that each has held."""
    if site.pid is None:
        return {}
    return {f"memory_{moment}_mb": memory_mb(site.pid)["all"], f"peak_{moment}_mb": peak_mb(site.pid)["all"]}


@contextlib.contextmanager
def _site(url: str | None, logs: Path | None) -> Iterator[Site]:
    if url is not None:
        yield Site(url, None, logs)
        return
    with tempfile.TemporaryDirectory(prefix="pagemill-strangers-") as folder:
        data = Path(folder) / "data"
        with server(data, "--log-format", "JSON") as running:
            yield Site(running.url, running.pid, data / server_log.FOLDER)


def _client(url: str, api_key: str | None) -> Client:
    return Client(url, api_key=api_key, retries=RETRIES)


def _print(reports: Sequence[dict[str, Any]], *, logs: bool) -> None:
    for problem in reports:
        page = "" if problem["page"] is None else f", page {problem['page']}"
        print(f"\n{problem['kind']}: {problem['file']}{page}: {problem['message']}")
        if problem["trace"]:
            print("\n".join(problem["trace"].splitlines()[-TRACE_LINES:]))
        elif problem["kind"] != "lost":
            print(
                f"(no trace in the log; job {problem['job_id']})" if logs else "(--logs names the folder of its trace)"
            )


if __name__ == "__main__":
    sys.exit(main())
