"""Every use of private names of Ray, Serve, uvicorn, starlette and MCP."""
