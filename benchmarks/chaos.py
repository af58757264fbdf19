"""Is anything lost, and does anything hang, when processes die in the middle of a steady load?

Replicas of every deployment, Serve's controller and its proxy are killed in turn; between them, what the server cannot
do without: Ray's raylet and GCS, after which it comes back by itself, and `pagemill serve` or every process at once,
after which it is started again on its folder.
`python -m benchmarks.chaos [--quick] [--minutes N] [--json FILE]`; `--quick` is five minutes of load.
"""

from __future__ import annotations

import contextlib
import itertools
import random
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import psutil

from benchmarks.harness import report
from benchmarks.harness.options import parser_of
from benchmarks.harness.server import Running, free_port, server
from benchmarks.harness.watch import name_of, processes
from benchmarks.loads.letters import Letter, delivered, letter, send

QUICK_MINUTES, MINUTES = 5.0, 30.0
NUM_SENDERS = 4
GAP_S = 15.0  # from one document of a sender to its next, if the first has not ended by then
BETWEEN_KILLS_S = 15.0
PATIENCE_S = 300.0  # for the jobs that are left at the end
PAUSE_S = 1.0
MIN_KILLS = 5
STUCK_S = 60.0  # what belonged to a server that is gone has ended by then
BACK_S = 180.0  # a server that lost its Ray is ready again by then
KINDS = (
    *("Layout", "Ocr", "Renderer", "Pipeline", "Jobs", "Ingress", "Search", "Embedder"),
    *("Ray: ServeController", "Ray: ProxyActor", "Renderer child"),
)
THE_WHOLE = "the whole server"
LOST_RAY = ("Ray: raylet", "Ray: gcs_server")
FATAL = (THE_WHOLE, "Ray: raylet", "pagemill serve", "Ray: gcs_server")
DONE = ("succeeded", "partial", "failed", "cancelled")


def main() -> int:
    parser = parser_of(__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()
    minutes = args.minutes or (QUICK_MINUTES if args.quick else MINUTES)
    folder = Path(tempfile.mkdtemp(prefix="pagemill-chaos-"))
    figures, rows = Chaos(folder, random.Random(args.seed)).run(60 * minutes)
    print(report.table(rows))
    print(report.table([{"figure": name, "value": value} for name, value in figures.items()]))
    if args.out:
        report.record(args.out, "chaos", figures, rows)
    whole = not (figures["duplicates"] or figures["losses"] or figures["stuck"])
    whole = whole and figures["finished"] == figures["jobs"] > 0
    if whole:
        shutil.rmtree(folder, ignore_errors=True)
    else:
        print(f"what the server wrote and said is kept in {folder}")
    return 0 if whole and figures["kills"] >= MIN_KILLS else 1


class Chaos:
    """Senders, a killer, and the count at the end."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self._folder, self._port = folder, free_port()
        self._url = f"http://127.0.0.1:{self._port}"
        self._numbers, self._over = itertools.count(1), threading.Event()
        self._kinds = itertools.cycle(chance.sample(KINDS, len(KINDS)))
        self._sent: list[tuple[Letter, dict[str, Any]]] = []
        self._rows: list[dict[str, Any]] = []
        self._broken: list[Exception] = []  # what ended a sender

    def run(self, seconds: float) -> tuple[dict[str, float], list[dict[str, Any]]]:
        """Figures, and one row per kill."""
        with contextlib.ExitStack() as up:
            running = up.enter_context(self._served())
            with self._sending():
                for victim in FATAL:
                    self._kill_for(running, seconds / (len(FATAL) + 1))
                    self._kill_server(running, victim)
                    if victim not in LOST_RAY or not self._is_back():
                        up.pop_all().close()
                        running = up.enter_context(self._served())
                self._kill_for(running, seconds / (len(FATAL) + 1))
            return self._counted(), self._rows

    def _served(self) -> contextlib.AbstractContextManager[Running]:
        return server(self._folder / "data", port=self._port)

    @contextlib.contextmanager
    def _sending(self) -> Iterator[None]:
        """A steady load until the block is left; raises RuntimeError if a sender failed."""
        senders = [threading.Thread(target=self._send_on) for _ in range(NUM_SENDERS)]
        for sender in senders:
            sender.start()
        try:
            yield
        finally:
            self._over.set()
            for sender in senders:
                sender.join()
        if self._broken:
            raise RuntimeError("a sender failed") from self._broken[0]

    def _send_on(self) -> None:
        try:
            self._send_until_over()
        except Exception as error:  # a thread's own error would go unseen
            self._broken.append(error)
            self._over.set()

    def _send_until_over(self) -> None:
        with self._client() as client:
            while not self._over.is_set():
                number = next(self._numbers)
                document = letter(number, 1 + number % 4, scanned=number % 5 == 0)
                job = self._accepted(client, document)
                if job is not None:
                    self._sent.append((document, job))
                    self._ended(client, job, GAP_S)  # a load that is steady, not one that piles up

    def _accepted(self, client: httpx.Client, document: Letter) -> dict[str, Any] | None:
        """The job of an upload, tried until the server takes it; None if it never answered until the end."""
        while True:
            with contextlib.suppress(httpx.HTTPError):
                answer = send(client, document)
                if answer.status_code in (200, 202):
                    return answer.json()
            if self._over.wait(PAUSE_S):
                return None

    def _kill_for(self, running: Running, seconds: float) -> None:
        end = time.monotonic() + seconds
        while not self._over.wait(min(BETWEEN_KILLS_S, max(0.0, end - time.monotonic()))) and time.monotonic() < end:
            kind = next(self._kinds)
            for victim in processes(running.pid, kind)[:1]:
                with contextlib.suppress(psutil.NoSuchProcess):
                    victim.kill()
                    self._rows.append(_killed(kind, len(self._sent)))

    def _kill_server(self, running: Running, victim: str) -> None:
        """SIGKILL to what the server cannot do without, or to all of it at once, as when the power fails."""
        server_process = psutil.Process(running.pid)
        everything = [server_process, *server_process.children(recursive=True)]
        by_name = {THE_WHOLE: everything, "pagemill serve": [server_process]}
        for process in by_name.get(victim) or processes(running.pid, victim):
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        self._rows.append(_killed(victim, len(self._sent)))
        ending = everything[1:] if victim in LOST_RAY else everything
        _, alive = psutil.wait_procs(ending, timeout=STUCK_S)
        for process in alive:
            with contextlib.suppress(psutil.NoSuchProcess):
                self._rows.append(_stuck(victim, len(self._sent), name_of(process)))
                process.kill()

    def _is_back(self) -> bool:
        """Whether the server is ready again, in time; noted if not."""
        end = time.monotonic() + BACK_S
        with self._client() as client:
            while time.monotonic() < end:
                with contextlib.suppress(httpx.HTTPError):
                    if client.get("/readyz").status_code == httpx.codes.OK:
                        return True
                threading.Event().wait(PAUSE_S)
        self._rows.append(
            {"event": f"did not come back in {BACK_S:.0f} s", "jobs_sent": len(self._sent), "detail": None}
        )
        return False

    def _counted(self) -> dict[str, float]:
        finished = expected = num_found = doubled = 0
        job_ids: set[str] = set()
        with self._client() as client:
            for document, job_id in self._sent:
                job = self._ended(client, job_id, PATIENCE_S)
                job_ids.add(job["id"])
                finished += job["status"] in DONE
                pages, more = delivered(client, job, document)
                expected, num_found, doubled = expected + len(document.marks), num_found + pages, doubled + more
                if pages != len(document.marks):
                    self._rows.append(_lost(document, job, pages))
        return {
            "jobs": float(len(self._sent)),
            "finished": float(finished),
            "pages_expected": float(expected),
            "pages_delivered": float(num_found),
            "duplicates": float(doubled + len(self._sent) - len(job_ids)),
            "losses": float(expected - num_found),
            "kills": float(sum("killed" in row["event"] for row in self._rows)),
            "stuck": float(sum("outlived" in row["event"] or "not come back" in row["event"] for row in self._rows)),
        }

    def _ended(self, client: httpx.Client, job: dict[str, Any], patience_s: float) -> dict[str, Any]:
        end = time.monotonic() + patience_s
        while time.monotonic() < end:
            with contextlib.suppress(httpx.HTTPError):
                answer = client.get(job["links"]["self"], params={"wait": min(30, patience_s)})
                if answer.status_code == httpx.codes.OK and answer.json()["status"] in DONE:
                    return answer.json()
            threading.Event().wait(PAUSE_S)
        return job

    @contextlib.contextmanager
    def _client(self) -> Iterator[httpx.Client]:
        with httpx.Client(base_url=self._url, timeout=60, trust_env=False) as client:
            yield client


def _killed(what: str, num_sent: int) -> dict[str, Any]:
    return {"event": f"killed {what}", "jobs_sent": num_sent, "detail": None}


def _stuck(victim: str, num_sent: int, name: str) -> dict[str, Any]:
    return {"event": f"{name} outlived {victim} by {STUCK_S:.0f} s", "jobs_sent": num_sent, "detail": None}


def _lost(document: Letter, job: dict[str, Any], pages: int) -> dict[str, Any]:
    """What became of a job whose pages are not all there."""
    errors = {page["error"]["code"] for page in job.get("pages", ()) if page["error"]}
    codes = sorted({*errors, *(warning["code"] for warning in job.get("warnings", ()))})
    detail = f"{document.name}: {job.get('status')}, {pages} of {len(document.marks)} pages; {', '.join(codes)}"
    return {"event": "pages missing", "jobs_sent": 0, "detail": f"{detail} {job.get('error') or ''}"}


if __name__ == "__main__":
    sys.exit(main())
