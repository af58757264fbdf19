"""`deployments.library_internals.mcp_server`: the SDK's inner server is there, with the tools of the outer one."""

from __future__ import annotations

import inspect

from mcp.server import Server
from mcp.server.mcpserver import MCPServer
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from deployments.library_internals.mcp_server import protocol_server


def test_the_inner_server_is_what_the_session_manager_takes() -> None:
    outer = MCPServer("pagemill", version="1.2.3", instructions="Cite.")
    inner = protocol_server(outer)
    assert isinstance(inner, Server)
    assert (inner.name, inner.version, inner.instructions) == ("pagemill", "1.2.3", "Cite.")
    assert next(iter(inspect.signature(StreamableHTTPSessionManager).parameters)) == "app"
    assert "self._lowlevel_server" in inspect.getsource(MCPServer.streamable_http_app)
