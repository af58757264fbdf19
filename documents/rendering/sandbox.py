"""A process that has entered the sandbox dies with its parent, writes no file and keeps within its memory."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
from typing import BinaryIO

_PR_SET_PDEATHSIG = 1


def enter(memory_bytes: int, parent_pid: int) -> tuple[BinaryIO, BinaryIO]:
    """Set all limits; returns the streams of requests and replies, which no library can write to by accident."""
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
    return requests, replies


def _die_with_parent(parent_pid: int) -> None:
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent_pid:  # it went before the signal was asked for
        sys.exit(0)
