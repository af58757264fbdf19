"""Reads the machine's memory use and counts the processes that the kernel killed for lack of memory (OOM)."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

PROC = Path("/proc")
CGROUPS = Path("/sys/fs/cgroup")


def num_oom_kills(proc: Path = PROC) -> int:
    """Processes of this machine that the kernel has ended for want of memory since it started; 0 where it does not say.

    Containers count too: those of others on the machine as well as our own.
    """
    return _number(proc / "vmstat", "oom_kill") or 0


def num_own_oom_kills(proc: Path = PROC, cgroups: Path = CGROUPS) -> int:
    """As `num_oom_kills`, but of the processes in our cgroup alone, where there is one that counts.

    A container has one. What the kernel ended in it counts, whether the cgroup or the machine was short of memory.
    """
    for folder in _memory_folders(proc, cgroups):
        for name in ("memory.events", "memory.oom_control"):  # of version 2, of version 1
            if (count := _number(folder / name, "oom_kill")) is not None:
                return count
    return num_oom_kills(proc)


def cgroup_used_share(proc: Path = PROC, cgroups: Path = CGROUPS) -> float:
    """How much of its limit our cgroup uses, without files that can be dropped; 0 where it has no limit."""
    shares = [0.0]
    for folder in _memory_folders(proc, cgroups):
        with contextlib.suppress(OSError, ValueError):  # no such file; "max": no limit
            if (folder / "memory.max").exists():
                limit, used = _whole(folder / "memory.max"), _whole(folder / "memory.current")
                droppable = _number(folder / "memory.stat", "inactive_file") or 0
            else:
                limit, used = _whole(folder / "memory.limit_in_bytes"), _whole(folder / "memory.usage_in_bytes")
                droppable = _number(folder / "memory.stat", "total_inactive_file") or 0
            shares.append((used - droppable) / max(1, limit))
    return max(shares)


def _memory_folders(proc: Path, cgroups: Path) -> Iterator[Path]:
    """Our cgroup of the memory controller, by its path on the machine and as a container sees it."""
    with contextlib.suppress(OSError):
        for line in (proc / "self" / "cgroup").read_text(encoding="utf-8").splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers in ("", "memory"):
                top = cgroups / controllers
                yield top / path.lstrip("/")
                yield top


def _whole(file: Path) -> int:
    return int(file.read_text(encoding="ascii"))


def _number(file: Path, name: str) -> int | None:
    """The number behind `name` in a file of such lines."""
    with contextlib.suppress(OSError):
        for line in file.read_text(encoding="ascii").splitlines():
            key, _, value = line.partition(" ")
            if key == name:
                return int(value)
    return None
