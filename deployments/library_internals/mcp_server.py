"""The server inside MCP's SDK that answers the protocol alone.

Checked with: mcp 2.3.0
"""

from __future__ import annotations

from typing import Any

from mcp.server import Server
from mcp.server.mcpserver import MCPServer


def protocol_server(server: MCPServer) -> Server[Any]:
    """Of `server`, whose own ASGI application would bring a second set of guards."""
    return server._lowlevel_server  # pyright: ignore[reportPrivateUsage]
