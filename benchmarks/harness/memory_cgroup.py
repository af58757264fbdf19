"""A memory cgroup of our own (version 1 or 2; root only), whose limit is lowered and lifted again."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

MB = 1 << 20
ROOT = Path("/sys/fs/cgroup")
LOOK_S = 0.2
LOWERED_S = 30.0  # the kernel may need some time to let go of files


class MemoryCgroup:
    """There while the block is open; what is left in it then goes back to where we came from."""

    def __init__(self, name: str) -> None:
        version_1 = (ROOT / "memory").is_dir()
        top = ROOT / "memory" if version_1 else ROOT
        lines = Path("/proc/self/cgroup").read_text(encoding="ascii").splitlines()
        mark = ":memory:" if version_1 else "0::"
        self._home = top / next(line.split(mark)[1] for line in lines if mark in line).lstrip("/")
        self._folder = top / name
        self._limit, self._anonymous, self._unlimited = ("memory.max", "anon", "max")
        if version_1:
            self._limit, self._anonymous, self._unlimited = ("memory.limit_in_bytes", "total_rss", "-1")

    def __enter__(self) -> MemoryCgroup:
        self._folder.mkdir(exist_ok=True)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for pid in (self._folder / "cgroup.procs").read_text(encoding="ascii").split():
            with contextlib.suppress(OSError):
                self._move(int(pid), self._home)
        self._folder.rmdir()

    @contextlib.contextmanager
    def joined(self) -> Iterator[None]:
        """Processes that are started in the block are born in the group."""
        self._move(os.getpid(), self._folder)
        try:
            yield
        finally:
            self._move(os.getpid(), self._home)

    @contextlib.contextmanager
    def squeezed(self, leave_mb: int) -> Iterator[None]:
        """The limit stays `leave_mb` above what the group has allocated, and only falls, until the block is left.

        So what is ended leaves no room to what starts in its place, as beside a program that takes all that comes free.
        """
        stop, lowered = threading.Event(), threading.Event()

        def follow() -> None:
            lowest: int | None = None
            while not stop.is_set():
                target = self._allocated() + leave_mb * MB
                if lowest is None or target < lowest:
                    with contextlib.suppress(OSError):  # busy: it holds more again by now
                        (self._folder / self._limit).write_text(str(target), encoding="ascii")
                        lowest = target
                        lowered.set()
                stop.wait(LOOK_S)

        thread = threading.Thread(target=follow)
        thread.start()
        lowered.wait(LOWERED_S)
        try:
            yield
        finally:
            stop.set()
            thread.join()
            (self._folder / self._limit).write_text(self._unlimited, encoding="ascii")

    def _allocated(self) -> int:
        """Bytes of its processes beside files, which the kernel can drop."""
        lines = (self._folder / "memory.stat").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith(f"{self._anonymous} "))

    def _move(self, pid: int, folder: Path) -> None:
        (folder / "cgroup.procs").write_text(str(pid), encoding="ascii")
