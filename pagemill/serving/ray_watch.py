"""Restarts the server's graph when Ray's raylet or GCS process has died."""

from __future__ import annotations

import contextlib
import subprocess
import threading
from collections.abc import Callable

import psutil

CHECK_INTERVAL_S = 2.0  # time between two checks; the kernel does not report the end of a grandchild
NUM_CHECKS = 3  # a process must be missing in all of them: a graph that stops by itself ends its processes first
VITAL_PROCESSES = frozenset({"raylet", "gcs_server"})


class RayWatch:
    """`lost` names what ended while its graph went on; the graph was killed then."""

    def __init__(
        self,
        graph: subprocess.Popen[bytes],
        is_stopping: Callable[[], bool],
        *,
        programs: Callable[[], set[str]] | None = None,
    ) -> None:
        self._graph = graph
        self._is_stopping = is_stopping
        self._programs = programs or programs_below
        self._seen: set[str] = set()
        self._missing = 0
        self.lost: str | None = None

    def follow(self, ended: threading.Event) -> None:
        """Look every CHECK_INTERVAL_S seconds until `ended` is set, or the graph was ended."""
        while self.lost is None and not ended.wait(CHECK_INTERVAL_S):
            with contextlib.suppress(psutil.Error):  # a process went while it was looked at
                self.look()

    def look(self) -> None:
        """End the graph if one of Ray's two was missing in the last looks."""
        running = self._programs() & VITAL_PROCESSES
        self._seen |= running
        missing = self._seen - running
        self._missing = self._missing + 1 if missing and not self._is_stopping() else 0
        if self._missing == NUM_CHECKS:
            self.lost = min(missing)
            self._graph.kill()


def programs_below() -> set[str]:
    """The names of the programs that run below us."""
    names: set[str] = set()
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if process.status() != psutil.STATUS_ZOMBIE:
                names.add(process.name())
    return names
