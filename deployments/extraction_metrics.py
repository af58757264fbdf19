"""Prometheus metrics of extractions: outcome, duration, and how many values were located on a page."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

from ray.util.metrics import Counter, Histogram

from retrieval.extraction.extractor import Extraction

SECONDS: list[float] = [0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600]


class ExtractionMetrics:
    """The metrics `pagemill_extract_*`."""

    def __init__(self) -> None:
        self._ended = Counter("pagemill_extract_requests", "Extractions that ended.", ("outcome",))
        self._seconds = Histogram("pagemill_extract_seconds", "Seconds of an extraction.", SECONDS)
        self._calls = Counter("pagemill_extract_model_calls", "Calls of the model for extractions.")
        self._unplaced = Counter("pagemill_extract_unplaced_values", "Values that are printed on no page.")

    @contextlib.contextmanager
    def observed(self) -> Iterator[None]:
        """Around one extraction; a client that leaves counts as cancelled."""
        began, outcome = time.perf_counter(), "cancelled"
        try:
            yield
            outcome = "succeeded"
        except Exception:
            outcome = "failed"
            raise
        finally:
            self._ended.inc(tags={"outcome": outcome})
            self._seconds.observe(time.perf_counter() - began)

    def count(self, extraction: Extraction) -> None:
        """What one that succeeded took and gave; counters take no 0."""
        self._calls.inc(extraction.usage.num_calls)
        if extraction.num_unplaced:
            self._unplaced.inc(extraction.num_unplaced)
