"""Whose request a route answers: its caller and their namespace, as `Admission` has set them in the ASGI scope."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends
from starlette.requests import HTTPConnection

from deployments.ingress.operations.callers import ANONYMOUS_CALLER, Caller

SCOPE_KEY = "pagemill.caller"


def caller_of(connection: HTTPConnection) -> Caller:
    """Whose request or WebSocket this is."""
    return connection.scope.get(SCOPE_KEY, ANONYMOUS_CALLER)


def _namespace(connection: HTTPConnection) -> str:
    return caller_of(connection).namespace


Namespace = Annotated[str, Depends(_namespace)]
"""A route's parameter: the namespace of the caller; nothing of another one may be seen or changed."""
