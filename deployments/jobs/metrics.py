"""Prometheus metrics of jobs and webhooks: pages by outcome, stage durations, queue length, deliveries."""

from __future__ import annotations

from ray.util.metrics import Counter, Gauge, Histogram

from deployments.values.jobs import Timings

SECONDS: list[float] = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300]


class JobMetrics:
    """One of the Jobs replica; a page that is tried again counts again."""

    def __init__(self) -> None:
        self._pages = Counter("pagemill_pages", "Pages that the pipeline finished.", ("outcome",))
        self._stages = Histogram("pagemill_page_seconds", "Seconds per page and stage.", SECONDS, ("stage",))
        self._unfinished = Gauge("pagemill_unfinished_jobs", "Unfinished jobs.")
        self._attempts = Counter(
            "pagemill_webhook_attempts", "Attempts to deliver an event to a webhook.", ("outcome",)
        )
        self._attempt_seconds = Histogram("pagemill_webhook_seconds", "Seconds per delivery attempt.", SECONDS)
        self._deliveries = Gauge("pagemill_webhook_pending", "Events not yet delivered to webhooks.")
        self._queued = Gauge("pagemill_queued_pages", "Queued pages.")

    def succeeded(self, timings: Timings) -> None:
        """A page is read; `timings` are seconds by stage, as in `layout_s`."""
        self._pages.inc(tags={"outcome": "succeeded"})
        for name, seconds in timings.items():
            self._stages.observe(seconds, {"stage": name.removesuffix("_s")})

    def failed(self) -> None:
        """A page could not be read, or its replica died."""
        self._pages.inc(tags={"outcome": "failed"})

    def reused(self) -> None:
        """A page was taken over from an earlier revision of its document."""
        self._pages.inc(tags={"outcome": "reused"})

    def attempted(self, outcome: str, seconds: float) -> None:
        """An event was sent to a webhook: `delivered`, `failed` or `refused`."""
        self._attempts.inc(tags={"outcome": outcome})
        self._attempt_seconds.observe(seconds)

    def pending(self, count: int) -> None:
        """Events that are on their way to webhooks."""
        self._deliveries.set(count)

    def left(self, *, num_jobs: int, num_pages: int) -> None:
        """What is unfinished at this moment."""
        self._unfinished.set(num_jobs)
        self._queued.set(num_pages)
