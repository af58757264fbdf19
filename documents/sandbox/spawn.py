"""Starts the Python process of a child, with its pipes and socket."""

from __future__ import annotations

import asyncio
import json
import math
import os
import resource
import socket
import sys
import time
from asyncio.subprocess import PIPE, Process
from dataclasses import asdict, dataclass
from pathlib import Path

import documents
from documents.render_limits import RenderLimits

CHILD = "documents.sandbox.child"
CPUCLOCK_SCHED = 2  # a process's clock is `~pid << 3 | 2`: linux/posix-timers.h
MAX_OUTPUT_CHARACTERS = 2000  # only the end of a child's output is kept
PIPE_BYTES = 1 << 16  # the kernel keeps this much of the output
_ROOT = str(Path(documents.__file__).resolve().parent.parent)  # known before any loop runs: it asks the disk


@dataclass(slots=True)
class Spawned:
    """A process and what leads to it; `close` frees all but the process."""

    process: Process
    files: socket.socket  # over which it is handed files
    words: int  # reads what it writes when it fails; nobody reads before

    @property
    def replies(self) -> asyncio.StreamReader:
        assert self.process.stdout is not None
        return self.process.stdout

    @property
    def requests(self) -> asyncio.StreamWriter:
        assert self.process.stdin is not None
        return self.process.stdin

    def allow_cpu(self, seconds: float) -> None:
        """It ends by SIGXCPU when it has used so many seconds of processor time from now on; it cannot change that.

        Raises OSError if it is gone.
        """
        pid = self.process.pid
        used = time.clock_gettime(~pid << 3 | CPUCLOCK_SCHED)
        _, hard = resource.prlimit(pid, resource.RLIMIT_CPU)
        resource.prlimit(pid, resource.RLIMIT_CPU, (math.ceil(used + seconds), hard))

    def last_words(self) -> str:
        """What it wrote since it was started, at its end: printable ASCII in one line, for the log alone."""
        try:
            output = os.read(self.words, PIPE_BYTES)[-MAX_OUTPUT_CHARACTERS:]
        except OSError:  # it lives and has said nothing, or all is closed
            return ""
        return ascii(output.decode("utf-8", "replace"))[1:-1][-MAX_OUTPUT_CHARACTERS:]

    def close(self) -> None:
        self.files.close()
        os.close(self.words)
        self.words = -1
        self.process._transport.close()  # pyright: ignore[reportAttributeAccessIssue] (no public way to close the pipes)


async def spawn(limits: RenderLimits) -> Spawned:
    """Start a child in a bare environment: nothing of the parent's memory, secrets or files goes along.

    Raises OSError if the machine has no process or handle left for it.
    """
    words, write_end = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)  # what is too much is lost, and the child goes on
    try:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    except OSError:
        os.close(words)
        os.close(write_end)
        raise
    ours.setblocking(False)
    arguments = (json.dumps(asdict(limits)), str(os.getpid()), str(theirs.fileno()))
    command = [sys.executable, "-P", "-m", CHILD, *arguments]
    try:
        with theirs:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=PIPE,
                stdout=PIPE,
                stderr=write_end,
                cwd="/",
                env=_bare_environment(),
                limit=1 << 20,
                pass_fds=(theirs.fileno(),),
            )
    except BaseException:
        ours.close()
        os.close(words)
        raise
    finally:
        os.close(write_end)
    return Spawned(process, ours, words)


def _bare_environment() -> dict[str, str]:
    """What a child needs to find our modules and the program's, and nothing else of its parent's."""
    return {
        "PYTHONPATH": os.pathsep.join(p for p in (_ROOT, os.environ.get("PYTHONPATH", "")) if p),
        "PATH": os.environ.get("PATH", os.defpath),
        "LC_ALL": "C.UTF-8",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "MALLOC_MMAP_THRESHOLD_": str(16 << 20),  # a page's pictures take memory that the page before has used:
        "MALLOC_TRIM_THRESHOLD_": str(64 << 20),  # asking the kernel again is 5 ms of 80
    }
