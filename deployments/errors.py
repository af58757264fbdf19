"""Errors of calls between deployments (server full, replica died, unknown job, quota), each with its HTTP status and
code.

Refusal
├── Busy                 503  every replica and its queue are full
│   ├── DatabaseAway     503  the job database does not answer now
│   └── DiskFull         507  no room to write
├── QueueFull            503  as many jobs are unfinished as the settings allow
├── ReplicaDied          503  the process that held the call is gone
├── DatabaseDamaged      500
├── QuotaExceeded        429  as many jobs are unfinished as this key allows
├── IdempotencyConflict  422
├── UnknownJob           404
├── UnknownExtraction    404
└── UnknownDocument      404

`documents.errors` has the errors of files, `deployments.ingress.errors` those of HTTP requests.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import ClassVar

NO_ROOM = "the server is full"


class Refusal(Exception):
    """Carries its HTTP status and stable code; `retryable` says whether the same call may succeed later."""

    status: ClassVar[HTTPStatus]
    code: ClassVar[str]
    retryable: ClassVar[bool] = False
    extra_headers: ClassVar[Mapping[str, str]] = {}
    log_level: ClassVar[int | None] = None  # None: an answer of this kind is nothing that an operator must see

    @property
    def message(self) -> str:
        """What the client reads; nothing of the inside of the server."""
        return str(self)


class Busy(Refusal):
    """Every replica and its queue are full; the same call may succeed later."""

    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = "full"
    retryable = True
    log_level = logging.WARNING

    @property
    def message(self) -> str:
        return NO_ROOM


class DatabaseAway(Busy):
    """The job database does not answer now; what was asked of it may have been done all the same."""


class DiskFull(Busy):
    """There is no room to write; what is under way waits, and goes on where room is made."""

    status = HTTPStatus.INSUFFICIENT_STORAGE
    code = "disk_full"

    @property
    def message(self) -> str:
        return "the server's disk is full; deleting documents frees space"


class ReplicaDied(Refusal):
    """The replica that held the call is gone; another one may take the call again."""

    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = "replica_lost"
    retryable = True
    log_level = logging.WARNING

    @property
    def message(self) -> str:
        return "the process that handled the call has died; another one is starting"


class DatabaseDamaged(Refusal):
    """The file of the job database is no database any more, or parts of it are not."""

    status = HTTPStatus.INTERNAL_SERVER_ERROR
    code = "database_damaged"
    log_level = logging.ERROR


class QueueFull(Refusal):
    """As many jobs are unfinished as the settings allow; a call is not repeated for it, but refused at once."""

    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = "full"
    retryable = True
    log_level = logging.WARNING

    @property
    def message(self) -> str:
        return NO_ROOM


class QuotaExceeded(Refusal):
    """As many jobs of this namespace are unfinished as its key allows."""

    status = HTTPStatus.TOO_MANY_REQUESTS
    code = "quota_exceeded"
    retryable = True


class IdempotencyConflict(Refusal):
    """An Idempotency-Key came again with another upload."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    code = "idempotency_key_reused"


class UnknownJob(Refusal):
    """No job of this id in this namespace."""

    status = HTTPStatus.NOT_FOUND
    code = "not_found"

    @property
    def message(self) -> str:
        return f"there is no job {self}"


class UnknownExtraction(Refusal):
    """No extraction of this id in this namespace."""

    status = HTTPStatus.NOT_FOUND
    code = "not_found"

    @property
    def message(self) -> str:
        return f"there is no extraction {self}"


class UnknownDocument(Refusal):
    """No document of this id in this namespace."""

    status = HTTPStatus.NOT_FOUND
    code = "not_found"

    @property
    def message(self) -> str:
        return f"there is no document {self}"
