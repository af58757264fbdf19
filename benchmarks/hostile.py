"""Does every hostile file end as it should, and does nobody else feel it?

`python -m benchmarks.hostile [--json FILE] [--corpus FOLDER]`: the files of the corpus' `make_hostile.py` and the names
of its `names.txt` go one after the other through a server in a network of its own, where a packet to the address that
the files name would be seen. All files have been sent once before: what memory then grows by, grows with every file.
The judge is the corpus' own `score.py`.
"""

from __future__ import annotations

import contextlib
import csv
import json
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx

from benchmarks.harness import report
from benchmarks.harness.options import parser_of
from benchmarks.harness.server import ROOT, Running, server
from benchmarks.harness.watch import (
    CHILD_NAME,
    Calls,
    memory_mb,
    packets_to,
    peak_of_children,
    processes,
    pulse,
    take_address,
)
from configs.settings import Settings

ADDRESS = "198.51.100.7"  # the one that the files name
WAIT_S = 110
IDLE_S = 15
MAX_GROWTH_MB = 52.4  # 50 MiB, of the processes that stay, when all files come a second time
PASSING = (CHILD_NAME, "all")  # children are retired and replaced: how many stand, and how old, is chance
MAX_ANSWER_S = 60
MAX_PULSE_S, MAX_PULSE_RATIO = 1.0, 10


def main() -> int:
    parser = parser_of(__doc__)
    parser.add_argument("--corpus", type=Path, default=ROOT.parent / "shared" / "corpus")
    parser.add_argument("--only", nargs="*", help="only these files")
    parser.add_argument("--apart", action="store_true", help="this process has a network of its own already")
    args = parser.parse_args()
    if not args.corpus.is_dir():
        print(f"no corpus at {args.corpus}")
        return 1
    if not args.apart and shutil.which("unshare"):
        command = ["unshare", "--net", "--map-root-user", sys.executable, "-m", "benchmarks.hostile", "--apart"]
        return subprocess.run([*command, *sys.argv[1:]], check=False).returncode
    with tempfile.TemporaryDirectory(prefix="pagemill-hostile-") as folder, _watched(args.apart) as calls:
        figures, rows = measured(args.corpus, Path(folder), args.only)
    if calls is not None:
        figures["packets_to_named_address"] = float(calls.packets)
    print(report.table(rows))
    print(report.table([{"figure": name, "value": value} for name, value in figures.items()]))
    wrong = [*_wrong(figures), *(row["file"] for row in rows if not row["as_expected"])]
    print("all as expected" if not wrong else f"not as expected: {', '.join(wrong)}")
    if args.out:
        report.record(args.out, "hostile", figures, rows)
    return bool(wrong)


def measured(corpus: Path, folder: Path, only: list[str] | None) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """Figures, and a row a file and a name."""
    files, results = folder / "files", folder / "results"
    results.mkdir()
    subprocess.run([sys.executable, str(corpus / "make_hostile.py"), str(files)], check=True, stdout=subprocess.DEVNULL)
    with (files / "cases.csv").open(encoding="utf-8", newline="") as file:
        cases = [case for case in csv.DictReader(file) if not only or case["file"] in only]
    with server(folder / "data") as running, _client(running) as client:
        for case in cases:  # what is made once is made: what grows from here on grows with every file
            _sent(client, case["file"], (files / case["file"]).read_bytes())
        (renderer,) = processes(running.pid, "Renderer")
        with pulse(running.url) as idle:
            threading.Event().wait(IDLE_S)
        before = memory_mb(running.pid)
        with pulse(running.url) as busy, peak_of_children(renderer) as peak:
            rows = [_row(client, files / case["file"], case, results, peak.take) for case in cases]
            rows += [
                _named(client, name, (files / "valid.pdf").read_bytes(), n) for n, name in enumerate(_names(corpus))
            ]
        control = _sent(client, "valid.pdf", (files / "valid.pdf").read_bytes(), {"metadata": {"n": "last"}})
        after = memory_mb(running.pid)
    judged = _judged(corpus, results, folder / "scores.json")
    for row in rows:
        row["as_expected"] = bool(judged.get(row["file"], row["as_expected"]))
    grown = {name: round(after[name] - before.get(name, 0.0), 1) for name in after if name not in PASSING}
    print(f"MB grown by process: {grown}")
    figures = {
        "files": float(len(cases)),
        "as_expected": float(sum(row["as_expected"] for row in rows)),
        "rows": float(len(rows)),
        "longest_answer_s": max(row["seconds"] for row in rows),
        "served_afterwards": float(control.status_code == httpx.codes.OK),
        "memory_before_mb": before["all"],
        "memory_growth_mb": sum(grown.values()),
        "children_mb": after.get(CHILD_NAME, 0.0),
        "livez_p99_idle_s": idle.p99(),
        "livez_p99_busy_s": busy.p99(),
        "livez_max_s": max(busy.seconds),
        "livez_lost": float(busy.lost),
    }
    return figures, rows


def _wrong(figures: dict[str, float]) -> list[str]:
    children = Settings().renderer
    limits = {
        "longest_answer_s": MAX_ANSWER_S,
        "memory_growth_mb": MAX_GROWTH_MB,
        "children_mb": children.num_children * children.retire_mb,
        "livez_p99_busy_s": MAX_PULSE_RATIO * figures["livez_p99_idle_s"],
        "livez_max_s": MAX_PULSE_S,
        "livez_lost": 0,
        "packets_to_named_address": 0,
    }
    exceeded = [name for name, most in limits.items() if figures.get(name, 0) > most]
    exceeded += [name for name in ("packets_to_named_address",) if name not in figures]  # not watched is not shown
    return exceeded if figures["served_afterwards"] else [*exceeded, "served_afterwards"]


def _row(
    client: httpx.Client, file: Path, case: dict[str, str], results: Path, peak: Callable[[], float]
) -> dict[str, Any]:
    peak()
    begun = time.monotonic()
    answer = _sent(client, file.name, file.read_bytes())
    seconds = time.monotonic() - begun
    body: dict[str, Any] = answer.json()
    done = body.get("status") in ("succeeded", "partial")
    text = client.get(body["links"]["result"]).text if done else ""
    warnings = sorted({warning["code"] for warning in body.get("warnings", ())})
    row = {
        "status": answer.status_code,
        "outcome": "ok" if done else "failed",
        "warnings": warnings,
        "peak_mb": round(peak()),
    }
    (results / f"{file.name}.json").write_text(json.dumps(row), encoding="utf-8")
    (results / f"{file.name}.md").write_text(text, encoding="utf-8")
    detail = {
        "file": file.name,
        "status": answer.status_code,
        "outcome": body.get("code", body.get("status")),
        "warnings": ", ".join(warnings),
        "peak_mb": row["peak_mb"],
        "seconds": round(seconds, 2),
        "expected": case["expected"],
        "as_expected": False,
    }
    print(f"{file.name:26} {detail['status']} {detail['outcome']} {detail['seconds']} s", file=sys.stderr)
    return detail


def _named(client: httpx.Client, name: str, content: bytes, number: int) -> dict[str, Any]:
    """A row of an upload whose name is hostile: it is served, and the name is shown without control characters."""
    begun = time.monotonic()
    answer = _sent(client, name, content, {"metadata": {"n": str(number)}})
    body: dict[str, Any] = answer.json()
    file_name = body.get("file_name", "")
    good = answer.status_code < httpx.codes.INTERNAL_SERVER_ERROR and file_name.isprintable()
    return {
        "file": f"name {number}: {file_name[:24]}",
        "status": answer.status_code,
        "outcome": body.get("code", body.get("status")),
        "warnings": "",
        "peak_mb": 0,
        "seconds": round(time.monotonic() - begun, 2),
        "expected": "below 500, printable",
        "as_expected": good,
    }


def _names(corpus: Path) -> list[str]:
    """The names as meant: `\\u0000`, `\\r` and `\\n` stand for the characters."""
    lines = (corpus / "hostile" / "names.txt").read_text(encoding="utf-8").split("\n")
    signs = {"\\u0000": "\0", "\\r": "\r", "\\n": "\n"}
    for name, sign in signs.items():
        lines = [line.replace(name, sign) for line in lines]
    return lines


def _sent(client: httpx.Client, name: str, content: bytes, options: dict[str, Any] | None = None) -> httpx.Response:
    """The answer to an upload by a form of our own making: no library changes the name on the way."""
    edge = b"pagemill-hostile-edge"
    head = b'Content-Disposition: form-data; name="%s"%s\r\n\r\n'
    named = b'; filename="%s"' % name.encode()
    parts = [(head % (b"options", b""), json.dumps(options or {}).encode()), (head % (b"file", named), content)]
    body = b"".join(b"--%s\r\n%s%s\r\n" % (edge, start, inside) for start, inside in parts) + b"--%s--\r\n" % edge
    kind = {"content-type": f"multipart/form-data; boundary={edge.decode()}"}
    return client.post("/v1/documents", params={"wait": WAIT_S}, content=body, headers=kind)


def _judged(corpus: Path, results: Path, scores: Path) -> dict[str, bool]:
    command = [sys.executable, str(corpus / "score.py"), str(results), "--json", str(scores)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return json.loads(scores.read_text(encoding="utf-8"))["hostile"]


def _client(running: Running) -> httpx.Client:
    return httpx.Client(base_url=running.url, timeout=WAIT_S + 30, trust_env=False)


@contextlib.contextmanager
def _watched(apart: bool) -> Iterator[Calls | None]:
    """The packets to the address that the files name; None where this process has no network of its own."""
    if not apart:
        print(f"no `unshare` here: packets to {ADDRESS} are not watched")
        yield None
        return
    take_address(ADDRESS)
    with packets_to(ADDRESS) as calls:
        yield calls


if __name__ == "__main__":
    sys.exit(main())
