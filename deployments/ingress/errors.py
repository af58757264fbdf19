"""Errors that the HTTP layer raises itself (no key, body too large, unknown option ...), each with its status and
`code`.

Problem
├── Malformed       400  not a form, or not JSON
├── NotReady        409  the job has not ended
├── Cancelled       409  the job was cancelled before a page was done
├── UnknownOption   422
├── Unauthorized    401  no key, or an unknown one
├── Forbidden       403  the key's role does not allow it
├── HeadersTooLarge 431
├── BodyTooLarge    413  more bytes than this route takes
├── FormNotTaken    415  a form where the route takes JSON
├── Stalled         408  a body that came too slowly
├── TooManyRequests 429  the key's quota, with Retry-After
├── Unavailable     503  no room, with Retry-After
├── NoMetrics       503  Ray's agent does not answer
├── NoLm            503  no language model is set
├── NoModel         503  the same, of later calls
├── UnknownModel    404  a model that is not served here
└── InvalidSchema   422  no JSON schema, or none that models here can follow

`documents.errors` has the errors of files, `deployments.errors` those between deployments; `error_responses` turns them
all into responses.
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import ClassVar

from starlette.exceptions import HTTPException

from deployments.errors import Refusal
from deployments.values.jobs import JobError


class Problem(Refusal, HTTPException):
    """A call that is refused; an HTTPException, since FastAPI makes a 400 of all others that a body raises."""

    def __init__(self, detail: str) -> None:
        HTTPException.__init__(self, self.status, detail, dict(self.extra_headers))

    @property
    def message(self) -> str:
        return self.detail


class Unauthorized(Problem):
    """No key, or one that is not known."""

    status = HTTPStatus.UNAUTHORIZED
    code = "unauthorized"
    extra_headers: ClassVar[Mapping[str, str]] = {"WWW-Authenticate": "Bearer"}


class Forbidden(Problem):
    """A key whose roles do not allow the call."""

    status = HTTPStatus.FORBIDDEN
    code = "forbidden"


class TooManyRequests(Problem):
    """The key's own quota is used up."""

    status = HTTPStatus.TOO_MANY_REQUESTS
    code = "quota_exceeded"
    retryable = True


class HeadersTooLarge(Problem):
    """The request's headers are too long."""

    status = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
    code = "headers_too_large"


class BodyTooLarge(Problem):
    """A body has more bytes than its route takes."""

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    code = "body_too_large"


class FormNotTaken(Problem):
    """A multipart form for a route that takes JSON."""

    status = HTTPStatus.UNSUPPORTED_MEDIA_TYPE
    code = "unsupported_media_type"


class NotReady(Problem):
    """The job has not ended yet."""

    status = HTTPStatus.CONFLICT
    code = "not_ready"
    retryable = True


class Cancelled(Problem):
    """The job was cancelled before it had a result."""

    status = HTTPStatus.CONFLICT
    code = "cancelled"


class Malformed(Problem):
    """The request itself is not well formed."""

    status = HTTPStatus.BAD_REQUEST
    code = "malformed_request"


class UnknownOption(Problem):
    """An option that does not exist, or a value that it cannot take."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    code = "invalid_option"


class Unavailable(Problem):
    """No room now."""

    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = "full"
    retryable = True


class Stalled(Problem):
    """A body that came too slowly, or stood still."""

    status = HTTPStatus.REQUEST_TIMEOUT
    code = "stalled"
    retryable = True


class NoMetrics(Problem):
    """Ray's metrics agent of this node does not answer."""

    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = "no_metrics"
    retryable = True


class NoLm(Problem):
    """No language model is served here, and none elsewhere is named."""

    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = "lm_not_configured"


class NoModel(Problem):
    """No language model is served here, and none elsewhere is named."""

    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = "no_model"


class UnknownModel(Problem):
    """A model of this name is not served here."""

    status = HTTPStatus.NOT_FOUND
    code = "model_not_found"


class InvalidSchema(Problem):
    """What should be a JSON schema is none."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    code = "invalid_schema"


class JobFailed(Exception):
    """A job ended as failed; answered with the status that its error carries."""

    def __init__(self, job_id: str, error: JobError) -> None:
        super().__init__(error.message)
        self.job_id, self.error = job_id, error
