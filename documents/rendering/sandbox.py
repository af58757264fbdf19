"""A process that has entered the sandbox dies with its parent, writes no file, opens no socket and keeps its limits."""

from __future__ import annotations

import ctypes
import math
import os
import resource
import signal
import sys
from pathlib import Path
from typing import BinaryIO

from documents.rendering import landlock, seccomp

_PR_SET_PDEATHSIG = 1


def enter(memory_bytes: int, parent_pid: int) -> tuple[BinaryIO, BinaryIO, tuple[str, ...]]:
    """Set all limits.

    Returns the streams of requests and replies, which no library can write to by accident, and which of the kernel's
    walls stand: of "seccomp" and "landlock".
    """
    _die_with_parent(parent_pid)
    os.nice(10)
    for limit, value in (
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, 64),
    ):
        resource.setrlimit(limit, (value, value))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    silence = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(silence, standard)
    walls = ("landlock",) if landlock.confine() else ()
    return requests, replies, (*walls, "seccomp") if seccomp.forbid() else walls


def allow_cpu(seconds: float) -> None:
    """The process ends by SIGXCPU when it has used so many seconds of processor time from now on."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    soft = math.ceil(used.ru_utime + used.ru_stime + seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (soft, resource.RLIM_INFINITY))


def resident_bytes() -> int:
    """Memory that this process holds now; mapped files, which the kernel may drop, do not count."""
    resident, of_files = Path("/proc/self/statm").read_text().split()[1:3]
    return (int(resident) - int(of_files)) * resource.getpagesize()


def _die_with_parent(parent_pid: int) -> None:
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent_pid:  # it went before the signal was asked for
        sys.exit(0)
