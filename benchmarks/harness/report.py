"""What every benchmark writes: figures with stable names, rows, and where and when they were measured."""

from __future__ import annotations

import json
import math
import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from deployments.values.versions import versions


def record(
    file: Path,
    benchmark: str,
    figures: Mapping[str, float],
    rows: Sequence[Mapping[str, Any]] = (),
    machine: Mapping[str, Any] | None = None,
) -> None:
    """A result file: `origin` and `{figures, rows}`; `machine` adds to what is known of it."""
    result = origin(benchmark, machine) | {"figures": dict(figures), "rows": list(rows)}
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


def origin(benchmark: str, machine: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What a result comes from: `{benchmark, command, commit, date, machine, versions}`."""
    return {
        "benchmark": benchmark,
        "command": command(benchmark),
        "commit": commit(),
        "date": datetime.now(UTC).date().isoformat(),
        "machine": this_machine() | dict(machine or {}),
        "versions": versions(),
    }


def command(benchmark: str) -> str:
    """The command that runs now, without the folders of this machine."""
    arguments = [Path(argument).name if argument.startswith("/") else argument for argument in sys.argv[1:]]
    return shlex.join(["python", "-m", f"benchmarks.{benchmark}", *arguments])


def this_machine() -> dict[str, Any]:
    """The kind of machine, without its name."""
    return {
        "system": platform.system(),
        "processor": platform.machine(),
        "cpu": cpu_model(),
        "cpus": os.cpu_count(),
        "instruction_set": capability(),
    }


def capability() -> str:
    """The instruction set that torch uses on this processor."""
    import torch

    return torch.backends.cpu.get_cpu_capability()


def cpu_model() -> str:
    """What the processor calls itself; empty where the kernel does not tell."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "")


def commit() -> str:
    """The code that is measured, in short; empty outside a repository."""
    git = ["git", "rev-parse", "--short", "HEAD"]
    result = subprocess.run(git, check=False, capture_output=True, text=True, cwd=Path(__file__).parent)
    return result.stdout.strip()


def percentile(values: Sequence[float], share: float) -> float:
    """The least value that `share` (0..1) of the values do not exceed, by nearest rank; 0 of none."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else 0.0


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows of the same keys as aligned text."""
    if not rows:
        return ""
    cells = [list(rows[0]), *([_cell(value) for value in row.values()] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells
    )


def _cell(value: Any) -> str:
    return "-" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)
