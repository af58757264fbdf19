"""What the C library does with memory that a model has freed."""

from __future__ import annotations

import contextlib
import ctypes

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3  # of mallopt(3)
KEPT = 64 << 20  # bytes at the end of a heap
LARGEST = 32 << 20  # bytes of one allocation that comes from a heap; glibc takes no more


def keep_freed_memory() -> None:
    """Keep what one pass frees for the next one.

    Given back and taken again, it costs more system time than small models compute: each page of it faults again. Does
    nothing where the C library has no `mallopt`.
    """
    with contextlib.suppress(AttributeError, OSError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(MMAP_THRESHOLD, LARGEST)
        mallopt(TRIM_THRESHOLD, KEPT)
