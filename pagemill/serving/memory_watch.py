"""When memory runs out: makes the kernel kill a model process first, and reports which one was killed."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable
from pathlib import Path

import psutil

from configs.machine_memory import cgroup_used_share, num_own_oom_kills

CHECK_INTERVAL_S = 2.0  # time between two checks; the kernel does not notify us
NUM_CHECKS_AFTER_SHORTAGE = 5  # after a shortage, the processes that it ended may take seconds to disappear
REPLICA_TITLE = "ray::ServeReplica:pagemill:"  # Ray's process title of a replica begins with this
OOM_SCORES = {
    "Ocr": 500,
    "Lm": 500,
    "Models": 500,
    "Layout": 400,
    "Embedder": 400,
}  # added to thousandths of the memory that it holds
MEMORY_MARGIN = 0.02  # share of the memory that may become free between Ray's check and ours

Parts = dict[int, str]  # name of the deployment by process


def memory_variables(threshold: float | None) -> dict[str, str]:
    """Variables of Ray: its memory monitor is off without a threshold, and no worker is the kernel's first choice.

    Ray's own default ends every worker of ours, the controller of Serve first, when other programs fill the machine.
    """
    monitor = {"RAY_memory_monitor_refresh_ms": "0"}
    if threshold is not None:
        monitor = {"RAY_memory_usage_threshold": str(threshold)}
    return {"RAY_worker_oom_score_adjustment": "0", **monitor}


class MemoryWatch:
    """Every model process below us has its OOM score; each that is gone after a shortage was named once."""

    def __init__(
        self,
        say: Callable[[str], None],
        threshold: float | None = None,
        *,
        parts: Callable[[], Parts] | None = None,
        oom_kills: Callable[[], int] = num_own_oom_kills,
        used_share: Callable[[], float] | None = None,
    ) -> None:
        self._say = say
        self._threshold = threshold
        self._look_for_parts = parts or replicas_below
        self._oom_kills = oom_kills
        self._used_share = used_share or _used_share
        self._parts: Parts = {}
        self._killed = oom_kills()
        self._looks_left = 0

    def follow(self, ended: threading.Event) -> None:
        """Look every CHECK_INTERVAL_S seconds until `ended` is set."""
        while not ended.wait(CHECK_INTERVAL_S):
            self.look()

    def look(self) -> None:
        """Score what is new; say what is gone, if memory was short."""
        parts, killed = self._look_for_parts(), self._oom_kills()
        for pid in parts.keys() - self._parts.keys():
            set_oom_score(pid, OOM_SCORES.get(parts[pid], 0))
        lost_parts = [self._parts[pid] for pid in self._parts.keys() - parts.keys()]
        if killed > self._killed:
            self._looks_left = NUM_CHECKS_AFTER_SHORTAGE
        if lost_parts and self._looks_left:
            self._say(f"Out of memory: {_listed(lost_parts)} ended; Serve restarts it, and its pages are read again")
        self._looks_left = max(0, self._looks_left - 1)
        self._parts = parts
        self._killed = killed
        if self._threshold is not None and self._used_share() >= self._threshold - MEMORY_MARGIN:
            self._looks_left = NUM_CHECKS_AFTER_SHORTAGE


def replicas_below() -> Parts:
    """The replicas among our descendants."""
    parts: Parts = {}
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            title = " ".join(process.cmdline())
            if title.startswith(REPLICA_TITLE):
                name = title.removeprefix(REPLICA_TITLE).split()[0]
                parts[process.pid] = name.split("#")[0].split(".")[0]  # a busy one names its call behind
    return parts


def _used_share() -> float:
    """Of the machine's memory, or of the container's where that is fuller."""
    return max(psutil.virtual_memory().percent / 100, cgroup_used_share())


def set_oom_score(pid: int, score: int) -> None:
    """How much sooner than others of its size the kernel ends a process; raising it needs no right."""
    if score:
        with contextlib.suppress(OSError):  # gone by now
            Path(f"/proc/{pid}/oom_score_adj").write_text(str(score), encoding="ascii")


def _listed(names: Iterable[str]) -> str:
    *others, last = sorted(set(names))
    return f"{', '.join(others)} and {last} were" if others else f"{last} was"
