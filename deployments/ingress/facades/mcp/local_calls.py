"""Calls our own HTTP API within the process for MCP tools, with the rights of the request's key."""

from __future__ import annotations

from typing import Any

import httpx
from mcp.server.mcpserver.exceptions import ToolError
from starlette.types import ASGIApp, Receive, Scope, Send

from deployments.ingress.middleware.authorization import SCOPE_KEY
from deployments.ingress.operations.callers import Caller


class LocalCalls:
    """Every call passes all middlewares and routes, so that a tool may do what the same key may do over HTTP."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def get(self, caller: Caller, path: str, **params: Any) -> httpx.Response:
        """The answer of a GET; parameters that are None are left out. Raises ToolError where it is an error."""
        query = {name: value for name, value in params.items() if value is not None}
        return await self._answer(caller, "GET", path, params=query)

    async def post(self, caller: Caller, path: str, body: dict[str, Any]) -> httpx.Response:
        """The answer of a POST of JSON. Raises ToolError where it is an error."""
        return await self._answer(caller, "POST", path, json=body)

    async def _answer(self, caller: Caller, method: str, path: str, **options: Any) -> httpx.Response:
        async def admitted(scope: Scope, receive: Receive, send: Send) -> None:
            await self._app({**scope, SCOPE_KEY: caller}, receive, send)

        transport = httpx.ASGITransport(admitted, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost", trust_env=False) as client:
            response = await client.request(method, path, **options)
        if response.is_error:
            problem = response.json()
            raise ToolError(f"{problem['code']}: {problem['detail']}")
        return response
