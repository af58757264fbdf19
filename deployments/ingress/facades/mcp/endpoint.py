"""/mcp: the Model Context Protocol over streamable HTTP, without sessions.

No session is kept, so that any replica of Ingress answers any request.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncIterator, Iterator

from fastapi import FastAPI
from mcp.server.mcpserver import MCPServer
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.types import ToolAnnotations
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from deployments.errors import Busy
from deployments.ingress.facades.mcp.local_calls import LocalCalls
from deployments.ingress.facades.mcp.tools import Tools
from deployments.ingress.middleware.error_responses import refused
from deployments.ingress.operations.services import Services
from deployments.ingress.uploads import body_slot
from deployments.library_internals.mcp_server import protocol_server
from deployments.values.versions import versions

PATH = "/mcp"
READ_ONLY_HINTS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
INSTRUCTIONS = (
    "Documents that were read here can be searched; every passage names its document, page and boxes. Cite them so."
    " Call `ingest` for a new file, `search` for passages, `read_page` for a whole page or its picture, `extract` for"
    " the values of a JSON schema."
)


def mount(app: FastAPI, services: Services) -> None:
    """Add the path to `app`, whose lifespan must hold `running(app)`."""
    tools = Tools(services, LocalCalls(app))
    with _root_logger_unchanged():
        server = MCPServer("pagemill", version=versions()["pagemill"], instructions=INSTRUCTIONS, subscriptions=False)
    server.add_tool(tools.ingest, annotations=ToolAnnotations(destructive_hint=False))
    for tool in (tools.job_status, tools.search, tools.read_page, tools.extract):
        server.add_tool(tool, annotations=READ_ONLY_HINTS)
    sessions = StreamableHTTPSessionManager(
        protocol_server(server),
        stateless=True,
        max_request_body_size=services.max_inline_bytes,
    )
    app.state.mcp_sessions = sessions
    endpoint = BoundedBodies(sessions.handle_request, services)
    app.router.routes.append(Route(PATH, endpoint, methods=["POST"]))


@contextlib.asynccontextmanager
async def running(app: FastAPI) -> AsyncIterator[None]:
    """The lifespan of an app that has the path: requests are answered within."""
    async with app.state.mcp_sessions.run():
        yield


class BoundedBodies:
    """ASGI application in front of the SDK's: the large bodies that it holds until a tool has answered are few."""

    def __init__(self, app: ASGIApp, services: Services) -> None:
        self._app = app
        self._services = services

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        async with contextlib.AsyncExitStack() as stack:
            try:
                await stack.enter_async_context(body_slot(self._services, request))
            except Busy as refusal:
                await refused(request, refusal)(scope, receive, send)
                return
            await self._app(scope, receive, send)


@contextlib.contextmanager
def _root_logger_unchanged() -> Iterator[None]:
    """The SDK's server sets up logging for a process of its own; ours has it already."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
