"""CPU seconds of each stage of a program, those of its child processes included."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import psutil

OWN = 0  # stands for this process among the process ids of its children
NANOSECONDS = 1e-9


def cpu_seconds() -> dict[int, float]:
    """What this process (as `OWN`) and each process below it have used."""
    seconds = {OWN: time.process_time()}
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error, OSError):
            seconds[process.pid] = _of_process(process)
    return seconds


def _of_process(process: psutil.Process) -> float:
    """To the nanosecond where the kernel keeps statistics of its scheduler, else to the hundredth of a second."""
    tasks = list(Path(f"/proc/{process.pid}/task").glob("*/schedstat"))
    if tasks:
        return NANOSECONDS * sum(int(task.read_text(encoding="ascii").split()[0]) for task in tasks)
    times = process.cpu_times()
    return times.user + times.system


@dataclass(slots=True)
class StageClock:
    """All CPU time since the clock began is in one of the stages; what the clock itself takes is in none.

    A child that ends takes the time since its last lap with it.
    """

    seconds: dict[str, float] = field(default_factory=dict[str, float])
    num_laps: dict[str, int] = field(default_factory=dict[str, int])
    _before: Mapping[int, float] = field(default_factory=cpu_seconds)

    def lap(self, stage: str) -> None:
        """The CPU time since the last lap was of this stage."""
        now = cpu_seconds()
        spent = sum(seconds - self._before.get(pid, 0.0) for pid, seconds in now.items())
        self.seconds[stage] = self.seconds.get(stage, 0.0) + spent
        self.num_laps[stage] = self.num_laps.get(stage, 0) + 1
        self._before = cpu_seconds()
