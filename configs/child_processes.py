"""Ends all child processes when their parent ends or is killed, so that none is left over."""

from __future__ import annotations

import contextlib
import ctypes
import signal

import psutil

TERMINATION_S = 2.0  # time between SIGTERM and SIGKILL; Ray's daemons, which store nothing, need 5 s and more
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36


def adopt_orphans() -> None:
    """From now on a process below us whose parent ends is our child, and not the system's."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def interrupt_with_parent() -> None:
    """In a new child: it gets SIGINT when its parent ends, even by SIGKILL."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGINT)


def end_descendants() -> None:
    """SIGTERM, then SIGKILL, to every process below us; Ray's own shutdown leaves none, a crash may."""
    for end in (psutil.Process.terminate, psutil.Process.kill):
        remaining = psutil.Process().children(recursive=True)
        for process in remaining:
            with contextlib.suppress(psutil.NoSuchProcess):
                end(process)
        psutil.wait_procs(remaining, timeout=TERMINATION_S)


def _prctl(option: int, value: int) -> None:
    ctypes.CDLL(None).prctl(option, value)
