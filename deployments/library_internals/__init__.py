"""Every use of private and undocumented names of Ray, Serve, uvicorn, starlette and MCP's SDK.

Nothing else under `deployments` reaches for such a name (tests/deployments/test_private_names.py). Each file says in
which version of the library its names were looked at; its test fails where they have moved or mean something else.
"""
