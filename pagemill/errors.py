"""Exceptions of the Python client: server unreachable, or a request refused with its problem document.

PagemillError
├── Unreachable   no answer: refused, broken off, out of time
└── Refused       an error answer; `problem` is the server's document, `retry_after_s` its Retry-After
"""

from __future__ import annotations

import httpx
from pydantic import ValidationError

from pagemill.values import Problem

# status codes by which a server or a proxy says that it may be available again soon
RETRY_STATUSES = (429, 502, 503, 504)


class PagemillError(Exception):
    """Any of these."""


class Unreachable(PagemillError):
    """The server gave no answer, or not all of it."""


class Refused(PagemillError):
    """The server answered with an error."""

    def __init__(self, problem: Problem, retry_after_s: float | None = None) -> None:
        super().__init__(f"{problem.detail} ({problem.status}, {problem.code})")
        self.problem = problem
        self.retry_after_s = retry_after_s


def refusal(answer: httpx.Response) -> Refused:
    """The error of an answer whose body has been read."""
    try:
        problem = Problem.model_validate_json(answer.content)
    except ValidationError:  # not of our server
        problem = Problem(
            title=answer.reason_phrase,
            status=answer.status_code,
            detail=f"{answer.request.url} answered {answer.status_code}",
            code="not_a_problem_document",
            retryable=answer.status_code in RETRY_STATUSES,
        )
    after = answer.headers.get("retry-after", "")
    return Refused(problem, float(after) if after.isdecimal() else None)
