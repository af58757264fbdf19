"""What becomes of ten times the load a server can take: every answer is a result or a polite refusal, nothing is lost.

`python -m benchmarks.overload [--seconds 60] [--json FILE]`
"""

from __future__ import annotations

import asyncio
import collections
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx

from benchmarks.harness import report
from benchmarks.harness.options import parser_of
from benchmarks.harness.server import Running, server
from benchmarks.harness.watch import memory_mb, pulse
from benchmarks.loads.letters import Letter, letter

OPTIONS = ("--limits-max-queued-jobs", "40", "--limits-max-uploads", "8", "--limits-max-requests", "64")
TIMES = 10
CAPACITY_S = 15.0
AT_ONCE = 4  # documents while the capacity is measured
PATIENCE_S = 300.0
REFUSALS = (429, 503)
NO_ANSWER = 0  # in the place of a status
MAX_GROWTH_MB = 500.0  # models that are loaded at first use are in it


def main() -> int:
    parser = parser_of(__doc__, quick="as without: it takes three minutes")
    parser.add_argument("--seconds", type=float, default=60.0)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pagemill-overload-") as folder, server(Path(folder), *OPTIONS) as running:
        figures, rows = asyncio.run(measured(running, args.seconds))
    print(report.table(rows))
    print(report.table([{"figure": name, "value": value} for name, value in figures.items()]))
    if args.out:
        report.record(args.out, "overload", figures, rows)
    wrong = figures["unexpected_statuses"] or figures["accepted_lost"] or not figures["accepted"]
    return 0 if not wrong and figures["memory_after_growth_mb"] <= MAX_GROWTH_MB else 1


async def measured(running: Running, seconds: float) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """Figures, and rows: how many answers of each status, and by how much each process has grown."""
    limits = httpx.Limits(max_connections=None)  # who waits for a place must not hold up the next one here
    async with httpx.AsyncClient(base_url=running.url, timeout=120, limits=limits, trust_env=False) as client:
        rate = await _capacity(client)
        letters = [
            letter(number) for number in range(round(TIMES * rate * seconds) + 1)
        ]  # made while sending: no open load
        before = memory_mb(running.pid)
        answers: list[tuple[int, str | None, str | None]] = []
        with pulse(running.url) as felt:
            highest = await _flood(client, running.pid, letters, seconds, answers)
        accepted = {job for status, job, _ in answers if status in (200, 202) and job}
        lost = [job for job in accepted if not await _ends(client, job)]
        after = memory_mb(running.pid)
    counts = collections.Counter(status for status, _, _ in answers)
    silent = sum(status in REFUSALS and not again for status, _, again in answers)
    odd = sum(count for status, count in counts.items() if not 200 <= status < 300 and status not in REFUSALS)
    figures = {
        "capacity_documents_per_s": rate,
        "offered_documents_per_s": len(answers) / seconds,
        "requests": float(len(answers)),
        "accepted": float(len(accepted)),
        "unexpected_statuses": float(odd + silent),
        "accepted_lost": float(len(lost)),
        "memory_before_mb": before["all"],
        "memory_peak_growth_mb": highest - before["all"],
        "memory_after_growth_mb": after["all"] - before["all"],
        "livez_p99_s": felt.p99(),
        "livez_max_s": max(felt.seconds),
    }
    counts_by_name = collections.Counter(name if status == NO_ANSWER else str(status) for status, _, name in answers)
    by_answer = [{"what": f"answers {name}", "number": float(n)} for name, n in sorted(counts_by_name.items())]
    return figures, by_answer + _grown(before, after)


def _grown(before: dict[str, float], after: dict[str, float]) -> list[dict[str, Any]]:
    """A row a process, the one that has grown most first."""
    by_name = {name: after[name] - before.get(name, 0.0) for name in after if name != "all"}
    return [
        {"what": f"MB grown: {name}", "number": round(by, 1)}
        for name, by in sorted(by_name.items(), key=lambda entry: -entry[1])
    ]


async def _capacity(client: httpx.AsyncClient) -> float:
    """Documents a second that the server finishes when it is kept busy."""
    end, count = time.monotonic() + CAPACITY_S, 0

    async def work(number: int) -> None:
        nonlocal count
        while time.monotonic() < end:
            number += AT_ONCE
            answer = await _post(client, letter(number), wait_s=60)
            count += answer.status_code == httpx.codes.OK

    await _post(client, letter(0), wait_s=60)  # warm
    begun = time.monotonic()
    await asyncio.gather(*(work(number) for number in range(1_000_000, 1_000_000 + AT_ONCE)))
    return count / (time.monotonic() - begun)


async def _flood(
    client: httpx.AsyncClient,
    pid: int,
    letters: list[Letter],
    seconds: float,
    answers: list[tuple[int, str | None, str | None]],
) -> float:
    """Send them evenly over these seconds whatever comes back; the most MB that all processes held meanwhile."""
    begun, highest, num_sent = time.monotonic(), 0.0, 0

    async def send(document: Letter) -> None:
        try:
            answer = await _post(client, document)
        except httpx.HTTPError as error:
            answers.append((NO_ANSWER, None, type(error).__name__))
            return
        job = answer.json().get("id") if answer.status_code < httpx.codes.BAD_REQUEST else None
        answers.append((answer.status_code, job, answer.headers.get("retry-after")))

    async with asyncio.TaskGroup() as group:
        while (now := time.monotonic() - begun) < seconds:
            while num_sent < len(letters) * min(1.0, now / seconds):
                group.create_task(send(letters[num_sent]))
                num_sent += 1
            if num_sent % 50 == 0:
                highest = max(highest, (await asyncio.to_thread(memory_mb, pid))["all"])
            await asyncio.sleep(0.02)  # the load is open: it comes by the clock
    return max(highest, (await asyncio.to_thread(memory_mb, pid))["all"])


async def _post(client: httpx.AsyncClient, document: Letter, *, wait_s: float = 0) -> httpx.Response:
    files = {"file": (document.name, document.content)}
    return await client.post("/v1/documents", params={"wait": wait_s}, files=files)


async def _ends(client: httpx.AsyncClient, job: str) -> bool:
    """Whether an accepted job comes to a good end."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        answer = await client.get(f"/v1/jobs/{job}", params={"wait": 60})
        if answer.status_code == httpx.codes.OK and answer.json()["finished_at"]:
            return answer.json()["status"] == "succeeded"
    return False


if __name__ == "__main__":
    sys.exit(main())
