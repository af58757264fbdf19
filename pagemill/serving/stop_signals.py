"""Ctrl-C and SIGTERM: the first stops the server in good order, the second kills it."""

from __future__ import annotations

import signal
import subprocess
from typing import Any, Self


class StopSignals:
    """A first signal asks the child to stop, a second one, or the end of its time, ends it; ours within a `with`."""

    def __init__(self, patience_s: int) -> None:
        self.stop_requested = False
        self._patience_s = patience_s
        self._child: subprocess.Popen[bytes] | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            self._before[number] = signal.signal(number, self._stop)
        self._before[signal.SIGALRM] = signal.signal(signal.SIGALRM, self._give_up)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def pass_to(self, child: subprocess.Popen[bytes]) -> None:
        """Signals are for this child from now on, and so is one that came before it was there."""
        self._child = child
        if self.stop_requested:
            child.send_signal(signal.SIGINT)

    def _stop(self, *_: object) -> None:
        if self.stop_requested:
            self._give_up()
            return
        self.stop_requested = True
        signal.alarm(self._patience_s)
        if self._child is not None:
            self._child.send_signal(signal.SIGINT)

    def _give_up(self, *_: object) -> None:
        if self._child is not None:
            self._child.kill()
