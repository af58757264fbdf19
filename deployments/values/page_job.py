"""The request to read one page (file, number, options, deadline) and the timer of its stages."""

from __future__ import annotations

import time
from typing import Literal

from deployments.values.jobs import Timings
from documents.boxes import Value
from documents.values import Source


class PageJob(Value):
    """One page to read: whoever reads parts of it has what is left of its time, and never more."""

    source: Source
    number: int
    text_source: Literal["auto", "text_layer", "ocr"] = "auto"
    ocr_mode: Literal["plain", "format"] = "plain"
    label: str = ""  # names the document in the metrics of shared batches
    until: float  # seconds since 1970; then the page is given up
    job_id: str | None = None  # whose watchers receive partial results; None: there are none

    @property
    def left_s(self) -> float:
        """Seconds until the page is given up; negative afterwards."""
        return self.until - time.time()

    def picture(self, name: str) -> PageJob:
        """A picture in the page's file, read as a page of its own in the same time; nobody watches it."""
        part = self.source.model_copy(update={"part": name})
        return self.model_copy(update={"source": part, "number": 1, "job_id": None})


class Stopwatch:
    """Seconds between laps."""

    def __init__(self) -> None:
        self.laps: Timings = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.laps[name] = round(now - self._last, 4)
        self._last = now
