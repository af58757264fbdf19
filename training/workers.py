"""How many processes draw beside the one that trains."""

from __future__ import annotations

import os


def num_drawers() -> int:
    """One for each core that is left to this process, but one."""
    return max(1, len(os.sched_getaffinity(0)) - 1)
