"""Errors that the HTTP layer raises itself; `deployments.errors` draws them among the others."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import ClassVar

from deployments.values.jobs import JobError
from documents.errors import Refusal


class Unauthorized(Refusal):
    """No key, or one that is not known."""

    status = HTTPStatus.UNAUTHORIZED
    code = "unauthorized"
    headers: ClassVar[Mapping[str, str]] = {"WWW-Authenticate": "Bearer"}


class Forbidden(Refusal):
    """A key whose roles do not allow the call."""

    status = HTTPStatus.FORBIDDEN
    code = "forbidden"


class HeadersTooLarge(Refusal):
    """The request's headers are too long."""

    status = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
    code = "headers_too_large"


class BodyTooLarge(Refusal):
    """A body has more bytes than its route takes."""

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    code = "body_too_large"


class FormNotTaken(Refusal):
    """A multipart form for a route that takes JSON."""

    status = HTTPStatus.UNSUPPORTED_MEDIA_TYPE
    code = "unsupported_media_type"


class NotReady(Refusal):
    """The job has not ended yet."""

    status = HTTPStatus.CONFLICT
    code = "not_ready"
    retryable = True


class Cancelled(Refusal):
    """The job was cancelled before it had a result."""

    status = HTTPStatus.CONFLICT
    code = "cancelled"


class Malformed(Refusal):
    """The request itself is not well formed."""

    status = HTTPStatus.BAD_REQUEST
    code = "malformed_request"


class UnknownOption(Refusal):
    """An option that does not exist, or a value that it cannot take."""

    code = "invalid_option"


class Stalled(Refusal):
    """A body that came too slowly, or stood still."""

    status = HTTPStatus.REQUEST_TIMEOUT
    code = "stalled"
    retryable = True


class NoMetrics(Refusal):
    """Ray's metrics agent of this node does not answer."""

    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = "no_metrics"
    retryable = True


class ModelNotConfigured(Refusal):
    """No language model or embedder is served here, and none elsewhere is named."""

    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = "no_model"


class UnknownModel(Refusal):
    """A model of this name is not served here."""

    status = HTTPStatus.NOT_FOUND
    code = "model_not_found"


class InvalidSchema(Refusal):
    """What should be a JSON schema is none."""

    code = "invalid_schema"


class JobFailed(Refusal):
    """A job or extraction ended as failed; answered as its error says."""

    def __init__(self, job_id: str, error: JobError) -> None:
        super().__init__(error.message, code=error.code, status=HTTPStatus(error.status), retryable=error.retryable)
        self.job_id = job_id
