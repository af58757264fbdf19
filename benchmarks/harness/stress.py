"""Locust against a server of our own: users who come by steps, what they saw each second, and in all."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.harness.server import ROOT, server

USERS_FILE = ROOT / "benchmarks" / "stress_users.py"
OTHERS = ("refused", "Aggregated")  # names that are no route's
LAST_S = 60  # that those who were sent before the time was over may take to be answered
NEEDS = "locust is missing; install it with `pip install -e .[benchmarks]`"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stress:
    """Users who send `file` to `route`; `rate` more of them a second, up to `users`, for `seconds` in all."""

    route: str
    field: str
    file: Path
    users: int
    rate: float
    seconds: int


def stressed(stress: Stress, mode: str, options: Sequence[str]) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """Figures, their names ending in `mode`, and a row a second; the server is started with `options`."""
    with tempfile.TemporaryDirectory(prefix="pagemill-stress-") as folder:
        with server(Path(folder) / "data", *options) as running:
            _run(stress, running.url, Path(folder) / "seen")
        history = _csv(Path(folder) / "seen_stats_history.csv")
        return figures_of(_csv(Path(folder) / "seen_stats.csv"), mode), rows_of(history, mode)


def rows_of(history: Sequence[Mapping[str, str]], mode: str) -> list[dict[str, Any]]:
    """A row a second since the start; rates and response times are of the last ten seconds, times without refusals."""
    of = {(row["Name"], row["Timestamp"]): row for row in history}
    seconds = [row for row in history if row["Name"] == "Aggregated"]
    route = next((name for name, _ in of if name not in OTHERS), "")
    rows: list[dict[str, Any]] = []
    for row in seconds:
        successes, refused = (of.get((name, row["Timestamp"]), {}) for name in (route, "refused"))
        rows.append(
            {
                "mode": mode,
                "second": int(row["Timestamp"]) - int(seconds[0]["Timestamp"]),
                "users": int(row["User Count"]),
                "answered_per_s": float(successes.get("Requests/s", 0)) - float(successes.get("Failures/s", 0)),
                "refused_per_s": float(refused.get("Requests/s", 0)),
                "failures_per_s": float(row["Failures/s"]),
                "p50_s": _seconds(successes.get("50%", "")),
                "p95_s": _seconds(successes.get("95%", "")),
            }
        )
    return rows


def figures_of(stats: Sequence[Mapping[str, str]], mode: str) -> dict[str, float]:
    """Requests answered, refused and failed, and how fast those that were answered were."""
    of = {row["Name"]: row for row in stats}
    refused = int(of["refused"]["Request Count"]) if "refused" in of else 0
    total, failed = (int(of["Aggregated"][name]) for name in ("Request Count", "Failure Count"))
    sending_row = next((row for name, row in of.items() if name not in OTHERS), None)
    figures = {
        f"answered_{mode}": float(total - refused - failed),
        f"refused_{mode}": float(refused),
        f"failed_{mode}": float(failed),
        f"failure_share_{mode}": failed / total if total else 0.0,
    }
    if sending_row is not None:
        figures[f"answered_per_s_{mode}"] = float(sending_row["Requests/s"])
        for name in ("50%", "95%", "99%"):
            figures[f"p{name[:-1]}_s_{mode}"] = _seconds(sending_row[name]) or 0.0
    return figures


def _run(stress: Stress, url: str, prefix: Path) -> None:
    command = [sys.executable, "-m", "locust", "-f", str(USERS_FILE), "--headless", "--host", url, "--only-summary"]
    command += ["-u", str(stress.users), "-r", str(stress.rate), "-t", f"{stress.seconds}s"]
    command += ["--stop-timeout", str(LAST_S)]  # else nobody would count who is answered late
    command += ["--csv", str(prefix), "--csv-full-history", "--exit-code-on-error", "0"]
    variables = {"STRESS_ROUTE": stress.route, "STRESS_FIELD": stress.field, "STRESS_FILE": str(stress.file)}
    subprocess.run(command, cwd=ROOT, env=os.environ | variables, check=True, stdout=sys.stderr)


def _csv(file: Path) -> list[dict[str, str]]:
    with file.open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def _seconds(milliseconds: str) -> float | None:
    """None where nothing was answered."""
    return None if milliseconds in ("", "N/A") else float(milliseconds) / 1000
