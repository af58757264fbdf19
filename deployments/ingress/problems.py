"""Every error answer is an RFC 9457 problem document with a stable `code`; nothing of the inside shows in it.

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
└── NoLm            503  no language model is set

`documents.errors` has the errors of files, `deployments.errors` those between deployments.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any, ClassVar

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from ray.serve.context import _get_serve_request_context
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from batching import RequestRefused
from deployments.disk import is_disk_full
from deployments.errors import Busy, DatabaseDamaged, DiskFull, ReplicaDied
from deployments.jobs.statements import IdempotencyConflict, UnknownDocument, UnknownJob
from deployments.jobs.store import QueueFull, QuotaExceeded
from deployments.jobs.values import JobError
from documents.errors import IngestError
from retrieval.errors import IndexMismatch, NoEmbedder

logger = logging.getLogger("ray.serve")
RETRY_AFTER_S = 5
HTTP_CODES = {HTTPStatus.NOT_FOUND: "not_found", HTTPStatus.METHOD_NOT_ALLOWED: "method_not_allowed"}
COME_AGAIN = (HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.TOO_MANY_REQUESTS)
FIX_CALL = "see /docs for what this call takes"


class ProblemDocument(BaseModel):
    """The body of every error answer."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    code: str
    retryable: bool = False
    request_id: str | None = None
    job_id: str | None = None


class Problem(HTTPException):
    """A call that is refused; an HTTPException, since FastAPI makes a 400 of all others that a body raises."""

    status: ClassVar[HTTPStatus]
    code: ClassVar[str]
    retryable: ClassVar[bool] = False
    further_headers: ClassVar[dict[str, str]] = {}

    def __init__(self, detail: str) -> None:
        super().__init__(self.status, detail, self.further_headers)


class Unauthorized(Problem):
    """No key, or one that is not known."""

    status = HTTPStatus.UNAUTHORIZED
    code = "unauthorized"
    further_headers: ClassVar[dict[str, str]] = {"WWW-Authenticate": "Bearer"}


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


class JobFailed(Exception):
    """A job ended as failed; answered with the status that its error carries."""

    def __init__(self, job_id: str, error: JobError) -> None:
        super().__init__(error.message)
        self.job_id, self.error = job_id, error


def install(app: FastAPI) -> None:
    """Answer every exception with a problem document."""
    for kind, handler in HANDLERS.items():
        app.add_exception_handler(kind, handler)


async def response_to(request: Request, error: Exception) -> JSONResponse:
    """The problem document that this exception is answered with."""
    handler = next(HANDLERS[kind] for kind in type(error).__mro__ if kind in HANDLERS)
    return await handler(request, error)


def answer(
    request: Request,
    status: HTTPStatus,
    code: str,
    detail: str,
    *,
    retryable: bool = False,
    job_id: str | None = None,
) -> JSONResponse:
    """A problem document; a 429 or 503 tells when to come again."""
    body: dict[str, Any] = ProblemDocument(
        title=status.phrase,
        status=int(status),
        detail=detail,
        code=code,
        retryable=retryable,
        request_id=request.headers.get("x-request-id") or _get_serve_request_context().request_id or None,
        job_id=job_id,
    ).model_dump(exclude_none=True)
    headers = {"Retry-After": str(RETRY_AFTER_S)} if status in COME_AGAIN and code != NoLm.code else {}
    return JSONResponse(body, status, headers, media_type="application/problem+json")


async def _problem(request: Request, error: Problem) -> JSONResponse:
    return problem_answer(request, error)


def problem_answer(request: Request, error: Problem) -> JSONResponse:
    """A refusal as a problem document."""
    response = answer(request, error.status, error.code, error.detail, retryable=error.retryable)
    response.headers.update(error.further_headers)
    return response


async def _ingest(request: Request, error: IngestError) -> JSONResponse:
    return answer(request, error.status, error.code, error.message, retryable=error.retryable)


async def _job(request: Request, failed: JobFailed) -> JSONResponse:
    error = failed.error
    status = HTTPStatus(error.status)
    return answer(request, status, error.code, error.message, retryable=error.retryable, job_id=failed.job_id)


async def _unknown(request: Request, error: UnknownJob) -> JSONResponse:
    return answer(request, HTTPStatus.NOT_FOUND, "not_found", f"there is no job {error}")


async def _no_document(request: Request, error: UnknownDocument) -> JSONResponse:
    return answer(request, HTTPStatus.NOT_FOUND, "not_found", f"there is no document {error}")


async def _quota(request: Request, error: QuotaExceeded) -> JSONResponse:
    return answer(request, HTTPStatus.TOO_MANY_REQUESTS, "quota_exceeded", str(error), retryable=True)


async def _reused(request: Request, error: IdempotencyConflict) -> JSONResponse:
    return answer(request, HTTPStatus.UNPROCESSABLE_ENTITY, "idempotency_key_reused", str(error))


async def _other_vectors(request: Request, error: IndexMismatch) -> JSONResponse:
    return answer(request, HTTPStatus.CONFLICT, "reindex_required", str(error))


async def _no_embedder(request: Request, error: NoEmbedder) -> JSONResponse:
    return answer(request, HTTPStatus.CONFLICT, "no_embedder", str(error))


async def _refused(request: Request, error: RequestRefused) -> JSONResponse:
    return answer(request, HTTPStatus.UNPROCESSABLE_ENTITY, "prompt_refused", str(error))


async def _died(request: Request, error: ReplicaDied) -> JSONResponse:
    logger.warning("lost a call of %s: %s", request.url.path, error)
    detail = "the process that held the call is gone; another takes its place"
    return answer(request, HTTPStatus.SERVICE_UNAVAILABLE, "replica_lost", detail, retryable=True)


async def _invalid(request: Request, error: RequestValidationError) -> JSONResponse:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"][1:])
    return answer(request, HTTPStatus.UNPROCESSABLE_ENTITY, "invalid_parameter", f"{where}: {first['msg']}")


async def _http(request: Request, error: HTTPException) -> JSONResponse:
    status = HTTPStatus(error.status_code)
    told = answer(request, status, HTTP_CODES.get(status, "refused"), f"{error.detail}; {FIX_CALL}")
    told.headers.update(error.headers or {})
    return told


async def _internal(request: Request, error: Exception) -> JSONResponse:
    logger.error("%s %s failed", request.method, request.url.path, exc_info=error)
    detail = "an internal error; the server's log has its trace under the request id"
    return answer(request, HTTPStatus.INTERNAL_SERVER_ERROR, "internal", detail, retryable=True)


async def _disk_full(request: Request, error: Exception) -> JSONResponse:
    logger.warning("refused %s: %s", request.url.path, error)
    detail = "no room is left on the server's disk; deleting documents makes some"
    return answer(request, HTTPStatus.INSUFFICIENT_STORAGE, "disk_full", detail, retryable=True)


async def _os_error(request: Request, error: OSError) -> JSONResponse:
    return await (_disk_full if is_disk_full(error) else _internal)(request, error)


async def _damaged(request: Request, error: Exception) -> JSONResponse:
    logger.error("%s failed: %s", request.url.path, error)
    return answer(request, HTTPStatus.INTERNAL_SERVER_ERROR, "database_damaged", str(error))


async def _full(request: Request, error: Exception) -> JSONResponse:
    logger.warning("refused %s: %s", request.url.path, error)
    return answer(request, HTTPStatus.SERVICE_UNAVAILABLE, "full", "no room for more work now", retryable=True)


HANDLERS: dict[type[Exception], Callable[..., Awaitable[JSONResponse]]] = {
    Problem: _problem,
    IngestError: _ingest,
    JobFailed: _job,
    UnknownJob: _unknown,
    UnknownDocument: _no_document,
    QuotaExceeded: _quota,
    IdempotencyConflict: _reused,
    IndexMismatch: _other_vectors,
    NoEmbedder: _no_embedder,
    RequestRefused: _refused,
    ReplicaDied: _died,
    RequestValidationError: _invalid,
    HTTPException: _http,
    Exception: _internal,
    OSError: _os_error,  # uploads are spooled to the disk
    DiskFull: _disk_full,
    DatabaseDamaged: _damaged,
    QueueFull: _full,
    Busy: _full,
}
