"""Ocr under a step of load, its replicas scaled by the tokens that wait: load, replicas and latency, second by second.

One caller, then many at once, then one again, each sending a picture of text as soon as the last one is read. Replicas
reserve fractions of a core.
"""

from __future__ import annotations

import asyncio
import io
import itertools
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import yaml

from benchmarks.harness.options import parser_of
from benchmarks.harness.report import percentile, record, table
from benchmarks.harness.server import ROOT, Running, server
from benchmarks.harness.watch import processes
from configs.profiles import read_profile

FEW, MANY = 1, 12  # callers
TARGET = (
    4000  # tokens that a replica may have waiting: one caller's picture is a fraction of it, twelve are three times it
)
MAX_REPLICAS = 3
DOWN_S = 20.0
PHASES_S, QUICK_S = (40.0, 180.0, 120.0), (25.0, 100.0, 80.0)
LINES = 10
BACKLOG = "pagemill_engine_backlog_tokens"


@dataclass(slots=True)
class Watched:
    """What was seen, on one clock that starts with the load."""

    calls: list[tuple[float, float, bool]] = field(default_factory=list)  # when it ended, seconds it took, whether read
    samples: list[dict[str, float]] = field(default_factory=list)


def main() -> int:
    parser = parser_of(__doc__, quick="three and a half minutes instead of six")
    args = parser.parse_args()
    phases = QUICK_S if args.quick else PHASES_S
    os.environ["RAY_metrics_report_interval_ms"] = "1000"  # noqa: SIM112 # Ray spells it so; by itself 10 s
    with tempfile.TemporaryDirectory(prefix="pm-", ignore_cleanup_errors=True) as folder:
        file = Path(folder) / "serve_config.yaml"
        file.write_text(yaml.safe_dump(stepped()))
        with server(Path(folder) / "data", "--config", str(file)) as running:
            watched = asyncio.run(load(running, phases))
    figures = figures_of(watched, phases)
    print(table([{"figure": name, "value": float(value)} for name, value in figures.items()]))
    if args.out:
        record(args.out, "autoscaling", figures, rows_of(watched, phases))
    went = figures["seconds_to_scale_up"] >= 0 and figures["seconds_to_scale_down"] >= 0
    return 0 if went and not figures["failed_share"] else 1


def stepped() -> dict[str, Any]:
    """The graph of `serve_config.yaml`, its Ocr scaled within a minute and not within ten."""
    config = read_profile(ROOT / "serve_config.yaml")
    (ocr,) = (deployment for deployment in config["applications"][0]["deployments"] if deployment["name"] == "Ocr")
    ocr["autoscaling_config"] |= {"max_replicas": MAX_REPLICAS, "upscale_delay_s": 0, "downscale_delay_s": DOWN_S}
    ocr["autoscaling_config"]["policy"]["policy_kwargs"] |= {"target": TARGET}
    return config


async def load(running: Running, phases_s: Sequence[float]) -> Watched:
    """The three phases, watched."""
    watched, begun = Watched(), time.monotonic()
    async with httpx.AsyncClient(base_url=running.url, timeout=300, trust_env=False) as client:
        pictures = itertools.cycle([picture(number) for number in range(8)])
        watcher = asyncio.create_task(_watch(client, running.pid, watched, begun))
        edges = list(itertools.accumulate(phases_s))
        try:
            async with asyncio.TaskGroup() as callers:
                for number in range(MANY):
                    first, last = (0.0, edges[2]) if number < FEW else (edges[0], edges[1])
                    callers.create_task(_call_on(client, pictures, watched, begun, first, last))
        finally:
            ended_early = not watcher.cancel()
        if ended_early:
            await watcher  # raises what ended it
    return watched


async def _call_on(
    client: httpx.AsyncClient, pictures: Any, watched: Watched, begun: float, first: float, last: float
) -> None:
    await asyncio.sleep(first)
    while (at := time.monotonic()) - begun < last:
        read = False
        try:
            answer = await client.post("/v1/ocr", files={"file": ("a.png", next(pictures))})
            read = answer.status_code == httpx.codes.OK and bool(answer.json()["text"])
        except httpx.HTTPError:
            pass
        watched.calls.append((time.monotonic() - begun, time.monotonic() - at, read))


async def _watch(client: httpx.AsyncClient, pid: int, watched: Watched, begun: float) -> None:
    while True:  # until it is cancelled
        at = time.monotonic() - begun
        running = await asyncio.to_thread(processes, pid, "Ocr")
        metrics = await client.get("/metrics")
        waiting = sum(
            float(line.rsplit(" ", 1)[1])
            for line in metrics.text.splitlines()
            if BACKLOG in line and not line.startswith("#")
        )
        watched.samples.append({"at_s": at, "replicas": len(running), "waiting_tokens": waiting})
        await asyncio.sleep(1)


def figures_of(watched: Watched, phases_s: Sequence[float]) -> dict[str, float]:
    """Flat figures; seconds are from the step, to a replica's process, which still has to load its model; -1: never."""
    up, down = phases_s[0], phases_s[0] + phases_s[1]
    first = watched.samples[0]["replicas"]
    most = max(sample["replicas"] for sample in watched.samples)
    grown = [sample["at_s"] - up for sample in watched.samples if sample["at_s"] > up and sample["replicas"] > first]
    shrunk = [
        sample["at_s"] - down for sample in watched.samples if sample["at_s"] > down and sample["replicas"] <= first
    ]
    shrunk = shrunk if grown else []  # what never grew does not come down
    during = [(at, seconds) for at, seconds, _ in watched.calls if up < at <= down]
    third = phases_s[1] / 3
    early = [seconds for at, seconds in during if at <= up + third]
    late = [seconds for at, seconds in during if at > down - third]
    return {
        "replicas_before": first,
        "replicas_most": most,
        "seconds_to_scale_up": min(grown, default=-1.0),
        "seconds_to_scale_down": min(shrunk, default=-1.0),
        "p50_early_s": statistics.median(early) if early else 0.0,
        "p50_late_s": statistics.median(late) if late else 0.0,
        "calls_per_s_late_over_early": len(late) / max(1, len(early)),
        "p99_s": percentile([seconds for _, seconds in during], 0.99),
        "failed_share": sum(not read for _, _, read in watched.calls) / max(1, len(watched.calls)),
        "num_calls": len(watched.calls),
    }


def rows_of(watched: Watched, phases_s: Sequence[float]) -> list[dict[str, Any]]:
    """What is drawn: a row for each change of the number of callers, for each sample and for each call."""
    starts = [0.0, *itertools.accumulate(phases_s)]
    steps = [{"from_s": at, "callers": count} for at, count in zip(starts, (FEW, MANY, FEW, 0), strict=True)]
    calls = [{"ended_s": at, "took_s": seconds, "read": read} for at, seconds, read in watched.calls]
    return [*steps, *watched.samples, *calls]


def picture(number: int) -> bytes:
    """A PNG of lines of text, different for each number."""
    from PIL import Image, ImageDraw, ImageFont

    page = Image.new("RGB", (1000, 60 * LINES), "white")
    pen, font = ImageDraw.Draw(page), ImageFont.load_default(size=28)
    for line in range(LINES):
        words = (number * 31 + line) * 7919 % 10_000
        pen.text(
            (12, 10 + 58 * line), f"Line {line} of page {number}: the log has {words} words of the tide.", "black", font
        )
    picture_bytes = io.BytesIO()
    page.save(picture_bytes, "PNG")
    return picture_bytes.getvalue()


if __name__ == "__main__":
    sys.exit(main())
