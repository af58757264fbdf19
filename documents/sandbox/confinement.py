"""Locks the child process in: no network, no files, memory limit, dies with its parent."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
from typing import BinaryIO, NamedTuple, TextIO

from documents.walls import landlock, seccomp

_PR_SET_PDEATHSIG = 1


class MemoryGauge:
    """Reads how much memory this process holds, by a handle from before the walls."""

    def __init__(self) -> None:
        self._statm = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)

    def resident_bytes(self) -> int:
        """Memory that is held now; mapped files, which the kernel may drop, do not count."""
        resident, of_files = os.pread(self._statm, 256, 0).split()[1:3]
        return (int(resident) - int(of_files)) * resource.getpagesize()


class Sandbox(NamedTuple):
    """What a process keeps from the time before its walls; no library writes to these streams by accident."""

    requests: BinaryIO
    replies: BinaryIO
    last_words: TextIO  # for the parent's log; never waits, so that what is too much is lost
    memory: MemoryGauge
    walls: tuple[str, ...]  # that the kernel put up, of "landlock" and "seccomp"


def enter(memory_bytes: int, parent_pid: int, niceness: int = 0) -> Sandbox:
    """Set all limits but that of processor time, which is the parent's to set."""
    _die_with_parent(parent_pid)
    os.nice(niceness)
    for limit, value in (
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, 64),
    ):
        resource.setrlimit(limit, (value, value))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    requests, replies, last_words = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb"), os.fdopen(os.dup(2), "w")
    memory = MemoryGauge()
    silence = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(silence, standard)
    walls = ("landlock",) if landlock.confine() else ()
    if seccomp.forbid():
        walls = (*walls, "seccomp")
    return Sandbox(requests, replies, last_words, memory, walls)


def _die_with_parent(parent_pid: int) -> None:
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent_pid:  # it ended before the signal was set
        sys.exit(0)
