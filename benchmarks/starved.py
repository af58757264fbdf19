"""Is anything lost when the machine runs out of memory in mid-load, and how soon after relief is the service back.

`python -m benchmarks.starved [--seconds N] [--by hog|limit] [--json FILE]`; as root. `hog` is a process that the kernel
may not end; it fills the whole machine until `--leave-mb` are available: for a machine of one's own. `limit` lowers the
limit of a memory cgroup that holds the server alone: nobody else is starved.
"""

from __future__ import annotations

import contextlib
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from benchmarks.chaos import Chaos
from benchmarks.harness import report
from benchmarks.harness.memory_cgroup import MemoryCgroup
from benchmarks.harness.options import parser_of
from benchmarks.loads.letters import letter, send
from configs.machine_memory import num_oom_kills

STARVED_S, BEFORE_S, AFTER_S = 120.0, 30.0, 30.0
LEAVE_MB = 200  # available to all while the hog is there
MAX_BACK_S = 60.0
PATIENCE_S = 600.0  # for the service to come back at all
LOOK_S = 0.5
CALL_S = 10.0
HOG = """
import contextlib, mmap, signal, sys, time
leave, seconds = int(sys.argv[1]) << 20, float(sys.argv[2])
signal.alarm(int(seconds) + 5)  # it ends whatever happens
with contextlib.suppress(OSError):
    open("/proc/self/oom_score_adj", "w").write("-1000")
def available():
    return next(int(line.split()[1]) << 10 for line in open("/proc/meminfo") if line.startswith("MemAvailable"))
held, step, end = [], 16 << 20, time.monotonic() + seconds
while time.monotonic() < end:
    if available() > leave + step:
        block = mmap.mmap(-1, step)
        block.write(b"x" * step)
        held.append(block)
    else:
        time.sleep(0.1)
"""


def main() -> int:
    parser = parser_of(__doc__)
    parser.add_argument("--seconds", type=float, default=STARVED_S)
    parser.add_argument("--by", choices=("hog", "limit"), default="hog")
    parser.add_argument("--leave-mb", type=int, default=LEAVE_MB)
    args = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="pagemill-starved-"))
    figures, rows = Starved(folder).starve(args.by, args.seconds, args.leave_mb)
    print(report.table(rows))
    print(report.table([{"figure": name, "value": value} for name, value in figures.items()]))
    if args.out:
        report.record(args.out, "starved", figures, rows, {"starved_by": args.by, "leave_mb": args.leave_mb})
    if passed(figures):
        shutil.rmtree(folder, ignore_errors=True)
        return 0
    print(f"what the server wrote and said is kept in {folder}")
    return 1


def passed(figures: dict[str, float]) -> bool:
    """Whether nothing was lost or failed, and the service was back in time."""
    none = ("losses", "duplicates", "failed_for_good", "bare_answers")
    all_there = figures["finished"] == figures["jobs"] > 0
    return all_there and not any(figures[name] for name in none) and figures["back_s"] <= MAX_BACK_S


class Starved(Chaos):
    """The senders and the count of `chaos`; memory runs out instead of a kill."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, random.Random(0))
        self._answers: dict[str, int] = {}

    def starve(self, by: str, seconds: float, leave_mb: int) -> tuple[dict[str, float], list[dict[str, Any]]]:
        """Figures, and a row per job whose pages are not all there, and per kind of answer in the shortage."""
        kills = num_oom_kills()
        with MemoryCgroup("pagemill-starved") if by == "limit" else contextlib.nullcontext() as group:
            with group.joined() if group else contextlib.nullcontext():
                served = self._served()
                served.__enter__()  # its processes are born in the group; we are not to be starved
            with contextlib.ExitStack() as up:
                up.push(served)
                with self._sending():
                    self._over.wait(BEFORE_S)
                    with _filled(seconds, leave_mb) if group is None else group.squeezed(leave_mb):
                        self._ask_until(time.monotonic() + seconds)
                    back_s = self._seconds_until_back()
                    self._over.wait(AFTER_S)
                figures = self._counted()
                failed = sum(self._ended(client, job, 0.1)["status"] != "succeeded" for client, job in self._jobs())
        bare = sum(count for kind, count in self._answers.items() if kind.startswith("bare"))
        figures |= {"failed_for_good": float(failed), "back_s": round(back_s, 1), "bare_answers": float(bare)}
        figures |= {"oom_kills": float(num_oom_kills() - kills), "starved_s": seconds}
        figures.pop("kills")
        rows = [{"event": kind, "jobs_sent": count, "detail": None} for kind, count in sorted(self._answers.items())]
        return figures, [*self._rows, *rows]

    def _jobs(self) -> Iterator[tuple[httpx.Client, dict[str, Any]]]:
        with self._client() as client:
            for _, job in self._sent:
                yield client, job

    def _ask_until(self, end: float) -> None:
        """What the server answers in the shortage: results, problem documents, or neither."""
        while time.monotonic() < end:
            kind = self._answer("/v1/jobs")
            self._answers[kind] = self._answers.get(kind, 0) + 1
            threading.Event().wait(LOOK_S)

    def _answer(self, path: str) -> str:
        try:
            answer = httpx.get(self._url + path, timeout=CALL_S, trust_env=False)
        except httpx.TimeoutException:
            return f"no answer within {CALL_S:.0f} s"
        except httpx.HTTPError as error:
            return f"bare: {type(error).__name__}"
        if answer.is_success:
            return "answered"
        problem = answer.headers.get("content-type") == "application/problem+json"
        return f"{'problem' if problem else 'bare'} {answer.status_code}"

    def _seconds_until_back(self) -> float:
        """From relief to the end of a document that was sent after it."""
        begun, number = time.monotonic(), next(self._numbers)
        while time.monotonic() - begun < PATIENCE_S:
            with contextlib.suppress(httpx.HTTPError, ValueError, KeyError), self._client() as client:
                answer = send(client, letter(number, scanned=True), wait_s=CALL_S)
                if answer.is_success and answer.json()["status"] == "succeeded":
                    return time.monotonic() - begun
            threading.Event().wait(LOOK_S)
        return time.monotonic() - begun


@contextlib.contextmanager
def _filled(seconds: float, leave_mb: int) -> Iterator[None]:
    """The whole machine's memory is taken but `leave_mb`, until the block is left, or for `seconds` at most."""
    hog = subprocess.Popen([sys.executable, "-c", HOG, str(leave_mb), str(seconds)])
    try:
        yield
    finally:
        hog.kill()
        hog.wait()


if __name__ == "__main__":
    sys.exit(main())
