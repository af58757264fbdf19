"""Writes `server.json` in the data folder: the addresses of this server and its Ray cluster."""

from __future__ import annotations

import os
from typing import Any

import ray
from ray._private.ray_constants import DASHBOARD_ADDRESS, KV_NAMESPACE_DASHBOARD
from ray.experimental.internal_kv import _internal_kv_get
from ray.serve.context import _get_global_client

# what a driver needs, too: the token, and that the address 127.0.0.1 is meant as such (pagemill/commands/serve.py)
DRIVER_VARIABLES = ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN_PATH", "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER")


def server_facts() -> dict[str, Any]:
    """Addresses, and the variables that a driver needs."""
    return {
        "url": _url(),
        "ray_address": ray_address(),
        "jobs_address": _jobs_address(),
        "environment": {name: os.environ[name] for name in DRIVER_VARIABLES if name in os.environ},
    }


def ray_address() -> str:
    """Of this cluster's GCS; no call where Ray does not run, for it would start one."""
    return ray.get_runtime_context().gcs_address if ray.is_initialized() else "none"


def _jobs_address() -> str | None:
    """Where `ray job submit` finds this cluster; None where its dashboard does not run.

    Read from the cluster's own GCS: what a worker's `ray.init` says is Ray's default port, whoever listens there.
    """
    address = _internal_kv_get(DASHBOARD_ADDRESS, namespace=KV_NAMESPACE_DASHBOARD)
    return f"http://{address.decode().removeprefix('http://')}" if address else None


def _url() -> str:
    """Where Serve's proxy listens; a plain `serve run` takes it from its own file, not from our settings."""
    client = _get_global_client()
    assert client is not None  # a replica has one
    http = client.http_config
    return f"http://{http.host}:{http.port}"
