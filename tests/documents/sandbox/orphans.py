"""Whether a process leaves its children behind."""

from __future__ import annotations

import os
import select
import signal
import subprocess
from contextlib import suppress


def assert_child_dies_with(parent: subprocess.Popen[bytes]) -> None:
    """Kill a process that has printed its child's id; its child must end, too."""
    assert parent.stdout is not None
    child = os.pidfd_open(int(parent.stdout.readline()))
    try:
        parent.send_signal(signal.SIGKILL)
        ended, _, _ = select.select([child], [], [], 10)
        assert ended, "the child still runs"
    finally:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(child, signal.SIGKILL)
        os.close(child)
