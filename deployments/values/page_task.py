"""The request to read one page (file, number, options, deadline) and the timer of its stages."""

from __future__ import annotations

import time
from typing import Literal

from deployments.values.jobs import Timings
from documents.boxes import Value
from documents.values import Source


class PageTask(Value):
    """One page to do."""

    source: Source
    number: int
    text_source: Literal["auto", "text_layer", "ocr"] = "auto"
    ocr_mode: Literal["plain", "format"] = "plain"
    label: str = ""  # names the document in the metrics of shared batches
    deadline_s: float | None = None  # the document's own, after which the page is given up
    job_id: str | None = None  # whose watchers receive partial results; None: there are none


class Stopwatch:
    """Seconds between laps."""

    def __init__(self) -> None:
        self.laps: Timings = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.laps[name] = round(now - self._last, 4)
        self._last = now
