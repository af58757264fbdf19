"""Writes `server.json` in the data folder: the addresses of this server and its Ray cluster."""

from __future__ import annotations

import os
from typing import Any

import ray

from deployments.library_internals.serve_state import dashboard_address, proxy_address

# what a driver needs, too: the token, and that the address 127.0.0.1 is meant as such (pagemill/commands/serve.py)
DRIVER_VARIABLES = ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN_PATH", "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER")


def server_facts() -> dict[str, Any]:
    """Addresses, and the variables that a driver needs; no `jobs_address` where no dashboard runs."""
    host, port = proxy_address()
    dashboard = dashboard_address()
    return {
        "url": f"http://{host}:{port}",
        "ray_address": ray_address(),
        "jobs_address": dashboard and f"http://{dashboard}",  # where `ray job submit` finds this cluster
        "environment": {name: os.environ[name] for name in DRIVER_VARIABLES if name in os.environ},
    }


def ray_address() -> str:
    """Of this cluster's GCS; no call where Ray does not run, for it would start one."""
    return ray.get_runtime_context().gcs_address if ray.is_initialized() else "none"
