"""What the kernel says of memory that ran out."""

from __future__ import annotations

from pathlib import Path

VMSTAT = Path("/proc/vmstat")


def num_oom_kills(vmstat: Path = VMSTAT) -> int:
    """Processes of this machine that the kernel has ended for want of memory since it started; 0 where it does not say.

    Containers count too: those of others on the machine as well as our own.
    """
    try:
        lines = vmstat.read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("oom_kill ")), 0)
