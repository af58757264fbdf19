"""Decides when the client repeats a request and how long it pauses: only retryable errors, after `Retry-After`."""

from __future__ import annotations

from dataclasses import dataclass

from tenacity import AsyncRetrying, RetryCallState, Retrying, retry_if_exception, stop_after_attempt
from tenacity.wait import wait_random_exponential

from pagemill.errors import Refused, Unreachable


@dataclass(frozen=True, slots=True, kw_only=True)
class Retries:
    """How often a call is made, and the pauses between where the server names none; `max_pause_s` bounds both."""

    max_attempts: int = 6
    first_pause_s: float = 0.5
    max_pause_s: float = 30.0

    def blocking(self) -> Retrying:
        """For a caller that waits in its thread."""
        return Retrying(
            stop=stop_after_attempt(self.max_attempts),
            wait=self.pause_s,
            retry=retry_if_exception(may_help),
            reraise=True,
        )

    def awaited(self) -> AsyncRetrying:
        """For a caller that awaits."""
        return AsyncRetrying(
            stop=stop_after_attempt(self.max_attempts),
            wait=self.pause_s,
            retry=retry_if_exception(may_help),
            reraise=True,
        )

    def pause_s(self, state: RetryCallState) -> float:
        """Seconds before the next attempt: Retry-After where it was given, else growing at random."""
        error = state.outcome.exception() if state.outcome is not None else None
        if isinstance(error, Refused) and error.retry_after_s is not None:
            return min(error.retry_after_s, self.max_pause_s)
        return wait_random_exponential(multiplier=self.first_pause_s, max=self.max_pause_s)(state)


def may_help(error: BaseException) -> bool:
    """Whether the same call may go well later. A job that has ended does not change, nor does one end by asking."""
    if isinstance(error, Refused):
        problem = error.problem
        return problem.retryable and problem.job_id is None and problem.code != "not_ready"
    return isinstance(error, Unreachable)
