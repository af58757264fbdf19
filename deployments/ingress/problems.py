"""Every error answer is an RFC 9457 problem document with a stable `code`; nothing of the inside shows in it."""

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

from batching import RequestRefused
from deployments.disk import is_disk_full
from deployments.errors import Busy, DatabaseDamaged, DiskFull, ReplicaDied
from deployments.ingress.refusals import NoLm, Problem
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
    headers = {"X-Content-Type-Options": "nosniff"}  # FastAPI answers our own bugs outside of Porter
    if status in COME_AGAIN and code != NoLm.code:
        headers["Retry-After"] = str(RETRY_AFTER_S)
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
