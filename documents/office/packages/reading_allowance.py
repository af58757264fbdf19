"""Limits what it takes to read the files inside of one document, however deep they lie."""

from __future__ import annotations

import math
from time import process_time

from documents.office.packages.unpack_limits import MAX_UNPACKED_BYTES


class ReadingAllowance:
    """Files in a document's PDFs unpack to at most `num_bytes_left` more; all are begun before the time is over.

    Files are read in one order, so more or less time changes only how many of the last are left out.
    """

    def __init__(self, cpu_s: float = math.inf) -> None:
        """`cpu_s`: seconds of this process, from now on."""
        self._end_s = process_time() + cpu_s
        self.num_bytes_left = MAX_UNPACKED_BYTES

    @property
    def is_over(self) -> bool:
        return process_time() > self._end_s

    def spend(self, num_bytes: int) -> None:
        self.num_bytes_left = max(0, self.num_bytes_left - num_bytes)
