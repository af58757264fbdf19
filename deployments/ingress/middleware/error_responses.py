"""Turns every exception into its HTTP response: status, `code`, and `Retry-After` in an RFC 9457 problem document."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from ray.serve.context import _get_serve_request_context
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from batching import InvalidGuide, RequestRefused
from deployments.errors import DiskFull, Refusal
from deployments.ingress.errors import InvalidSchema, JobFailed
from deployments.ingress.middleware.security_headers import DATA_HEADERS
from deployments.jobs.extractions.extraction_runner import error_of
from deployments.storage.disk import is_disk_full
from documents.errors import IngestError
from retrieval.errors import ExtractionRefused, IndexMismatch, NoEmbedder, WriterFailed

logger = logging.getLogger("ray.serve")
RETRY_AFTER_S = 5
OPENAI_PATHS = ("/v1/chat/completions", "/v1/completions", "/v1/embeddings", "/v1/models")
"""Their clients look for an `error`; a problem document may have further members."""
HTTP_CODES = {HTTPStatus.NOT_FOUND: "not_found", HTTPStatus.METHOD_NOT_ALLOWED: "method_not_allowed"}
COME_AGAIN = (HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.TOO_MANY_REQUESTS)
FIX_CALL = "see /docs for the parameters of this call"


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
    if request.url.path.startswith(OPENAI_PATHS):
        kind = "server_error" if status >= HTTPStatus.INTERNAL_SERVER_ERROR else "invalid_request_error"
        body["error"] = {"message": detail, "type": kind, "code": code, "param": None}
    # FastAPI answers our own bugs outside of the middlewares that add them
    headers = {name.decode(): value.decode() for name, value in DATA_HEADERS.items()}
    if retryable and status in COME_AGAIN:
        headers["Retry-After"] = str(RETRY_AFTER_S)
    return JSONResponse(body, status, headers, media_type="application/problem+json")


def refusal_answer(request: Request, error: Refusal | IngestError) -> JSONResponse:
    """The problem document of an error that carries its own status and code."""
    if isinstance(error, Refusal) and error.log_level is not None:
        logger.log(error.log_level, "%s: %s: %s", request.url.path, error.code, error)
    response = answer(request, error.status, error.code, error.message, retryable=error.retryable)
    if isinstance(error, Refusal):
        response.headers.update(error.extra_headers)
    return response


async def _refused(request: Request, error: Refusal | IngestError) -> JSONResponse:
    return refusal_answer(request, error)


async def _job_failed(request: Request, failed: JobFailed) -> JSONResponse:
    error = failed.error
    status = HTTPStatus(error.status)
    return answer(request, status, error.code, error.message, retryable=error.retryable, job_id=failed.job_id)


async def _no_extraction(request: Request, error: ExtractionRefused | WriterFailed) -> JSONResponse:
    problem = error_of(error)
    return answer(request, HTTPStatus(problem.status), problem.code, problem.message, retryable=problem.retryable)


async def _without_status(request: Request, error: Exception) -> JSONResponse:
    status, code = next(STATUS_AND_CODE[kind] for kind in type(error).__mro__ if kind in STATUS_AND_CODE)
    return answer(request, status, code, str(error))


async def _invalid(request: Request, error: RequestValidationError) -> JSONResponse:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"][1:])
    return answer(request, HTTPStatus.UNPROCESSABLE_ENTITY, "invalid_parameter", f"{where}: {first['msg']}")


async def _http(request: Request, error: HTTPException) -> JSONResponse:
    status = HTTPStatus(error.status_code)
    response = answer(request, status, HTTP_CODES.get(status, "refused"), f"{error.detail}; {FIX_CALL}")
    response.headers.update(error.headers or {})
    return response


async def _internal(request: Request, error: Exception) -> JSONResponse:
    logger.error("%s %s failed", request.method, request.url.path, exc_info=error)
    detail = "internal error; the server's log has the stack trace under the request id"
    return answer(request, HTTPStatus.INTERNAL_SERVER_ERROR, "internal", detail, retryable=True)


async def _os_error(request: Request, error: OSError) -> JSONResponse:
    return refusal_answer(request, DiskFull(str(error))) if is_disk_full(error) else await _internal(request, error)


STATUS_AND_CODE: dict[type[Exception], tuple[HTTPStatus, str]] = {
    IndexMismatch: (HTTPStatus.CONFLICT, "reindex_required"),
    NoEmbedder: (HTTPStatus.CONFLICT, "no_embedder"),
    InvalidGuide: (HTTPStatus.UNPROCESSABLE_ENTITY, InvalidSchema.code),
    RequestRefused: (HTTPStatus.UNPROCESSABLE_ENTITY, "prompt_refused"),
}
"""Errors of packages that know no HTTP."""

HANDLERS: dict[type[Exception], Callable[..., Awaitable[JSONResponse]]] = {
    Refusal: _refused,
    IngestError: _refused,
    JobFailed: _job_failed,
    ExtractionRefused: _no_extraction,
    WriterFailed: _no_extraction,
    **dict.fromkeys(STATUS_AND_CODE, _without_status),
    RequestValidationError: _invalid,
    HTTPException: _http,
    OSError: _os_error,  # uploads are spooled to the disk
    Exception: _internal,
}
