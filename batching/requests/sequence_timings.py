"""Timestamps of a sequence: time to first token, inter-token latency, queueing time."""

from __future__ import annotations

import time

from batching.requests.completion import Timings


class Clock:
    """Starts when its sequence is submitted; moments are those of `time.perf_counter`."""

    def __init__(self) -> None:
        self._submitted = time.perf_counter()
        self._admitted: float | None = None
        self._first_token: float | None = None
        self._last_token = 0.0
        self._max_itl = 0.0
        self._finished: float | None = None

    def admit(self) -> None:
        """It takes part in steps; only the first time counts."""
        self._admitted = self._admitted or time.perf_counter()

    def token(self, now: float) -> None:
        """It got one token more, or all of a beam search at once."""
        if self._first_token is None:
            self._first_token = now
        elif now - self._last_token > self._max_itl:
            self._max_itl = now - self._last_token
        self._last_token = now

    def finish(self) -> None:
        """It has ended."""
        self._finished = time.perf_counter()

    def timings(self, num_intervals: int) -> Timings:
        """Seconds since submit; `num_intervals` of them lie between tokens."""

        def since(moment: float | None) -> float | None:
            return None if moment is None else moment - self._submitted

        spread = self._first_token is not None and num_intervals > 0
        return Timings(
            queued_s=since(self._admitted),
            first_token_s=since(self._first_token),
            total_s=(self._finished or time.perf_counter()) - self._submitted,
            mean_itl_s=(self._last_token - (self._first_token or 0.0)) / num_intervals if spread else None,
            max_itl_s=self._max_itl if spread else None,
        )
