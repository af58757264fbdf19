"""Turns every exception into its HTTP response: status, `code`, and `Retry-After` in an RFC 9457 problem document."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from batching import RequestRefused
from deployments.errors import DiskFull, Internal, refusal_of
from deployments.ingress.errors import JobFailed
from deployments.ingress.middleware.security_headers import DATA_HEADERS
from deployments.library_internals.serve_state import request_id
from deployments.storage.disk import is_disk_full
from documents.errors import Refusal

logger = logging.getLogger("ray.serve")
RETRY_AFTER_S = 5
OPENAI_PATHS = ("/v1/chat/completions", "/v1/completions", "/v1/embeddings", "/v1/models")
"""Their clients look for an `error`; a problem document may have further members."""
DIFY_PATH = "/retrieval"
DIFY_MALFORMED_KEY = 1001
DIFY_CODES = {"unauthorized": 1002, "forbidden": 1002, "unknown_knowledge": 2001}
HTTP_CODES = {HTTPStatus.NOT_FOUND: "not_found", HTTPStatus.METHOD_NOT_ALLOWED: "method_not_allowed"}
RETRY_AFTER_STATUSES = (HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.TOO_MANY_REQUESTS)
CALL_HINT = "see /docs for the parameters of this call"


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
    for kind, handler in ERROR_HANDLERS.items():
        app.add_exception_handler(kind, handler)


def refused(request: Request, error: Exception) -> JSONResponse:
    """The problem document that an exception is answered with, where its kind is not HTTP's own; logs it."""
    refusal = DiskFull(str(error)) if isinstance(error, OSError) and is_disk_full(error) else refusal_of(error)
    if isinstance(refusal, Internal):
        logger.error("%s %s failed", request.method, request.url.path, exc_info=error)
    elif refusal.log_level is not None:
        logger.log(refusal.log_level, "%s: %s: %s", request.url.path, refusal.code, refusal)
    job_id = refusal.job_id if isinstance(refusal, JobFailed) else None
    response = answer(
        request, refusal.status, refusal.code, refusal.message, retryable=refusal.retryable, job_id=job_id
    )
    response.headers.update(refusal.headers)
    return response


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
    if request.url.path == DIFY_PATH and status == HTTPStatus.UNAUTHORIZED:
        status = HTTPStatus.FORBIDDEN  # the only status by which Dify notices a wrong key when it is entered
    body: dict[str, Any] = ProblemDocument(
        title=status.phrase,
        status=int(status),
        detail=detail,
        code=code,
        retryable=retryable,
        request_id=request.headers.get("x-request-id") or request_id(),
        job_id=job_id,
    ).model_dump(exclude_none=True)
    if request.url.path.startswith(OPENAI_PATHS):
        kind = "server_error" if status >= HTTPStatus.INTERNAL_SERVER_ERROR else "invalid_request_error"
        body["error"] = {"message": detail, "type": kind, "code": code, "param": None}
    if request.url.path == DIFY_PATH:
        body |= {"error_code": _dify_code(request, status, code), "error_msg": detail}
    # FastAPI answers our own bugs outside of the middlewares that add them
    headers = {name.decode(): value.decode() for name, value in DATA_HEADERS.items()}
    if retryable and status in RETRY_AFTER_STATUSES:
        headers["Retry-After"] = str(RETRY_AFTER_S)
    return JSONResponse(body, status, headers, media_type="application/problem+json")


def _dify_code(request: Request, status: HTTPStatus, code: str) -> int:
    """Of the suggested codes of Dify's External Knowledge API, else the status."""
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    if code == "unauthorized" and (scheme.lower() != "bearer" or not key.strip()):
        return DIFY_MALFORMED_KEY
    return DIFY_CODES.get(code, int(status))


async def _refused(request: Request, error: Exception) -> JSONResponse:
    return refused(request, error)


async def _invalid(request: Request, error: RequestValidationError) -> JSONResponse:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"][1:])
    return answer(request, HTTPStatus.UNPROCESSABLE_ENTITY, "invalid_parameter", f"{where}: {first['msg']}")


async def _http(request: Request, error: HTTPException) -> JSONResponse:
    if isinstance(error.__cause__, Refusal):  # FastAPI makes a 400 of whatever a body raises
        return refused(request, error.__cause__)
    status = HTTPStatus(error.status_code)
    response = answer(request, status, HTTP_CODES.get(status, "refused"), f"{error.detail}; {CALL_HINT}")
    response.headers.update(error.headers or {})
    return response


ERROR_HANDLERS: dict[type[Exception], Callable[..., Awaitable[JSONResponse]]] = {
    Refusal: _refused,
    RequestRefused: _refused,
    RequestValidationError: _invalid,
    HTTPException: _http,
    OSError: _refused,  # uploads are spooled to the disk
    Exception: _refused,
}
