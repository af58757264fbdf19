"""What Ray and Serve know of this process, its cluster and its replicas, and publish under private names only.

Checked with: ray 2.60.0
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ray._private.ray_constants import DASHBOARD_ADDRESS, KV_NAMESPACE_DASHBOARD
from ray.experimental.internal_kv import _internal_kv_get
from ray.serve.context import _get_global_client, _get_serve_request_context
from ray.serve.schema import (
    DeploymentStatusOverview,
    ReplicaState,  # pyright: ignore[reportPrivateImportUsage]  # it has no other home
)


def proxy_address() -> tuple[str, int]:
    """Host and port that Serve's proxy listens on; a plain `serve run` takes them from its own file."""
    client = _get_global_client()
    assert client is not None  # a replica has one
    options = client.http_config
    return options.host or "127.0.0.1", options.port


def dashboard_address() -> str | None:
    """Host and port of the cluster's dashboard; None where none runs.

    Read from the cluster's own GCS: what a worker's `ray.init` says is Ray's default port, whoever listens there.
    """
    address = _internal_kv_get(DASHBOARD_ADDRESS, namespace=KV_NAMESPACE_DASHBOARD)
    return address.decode().removeprefix("http://") if address else None


def request_id() -> str | None:
    """The id that Serve gave the call which the current task works for."""
    return _get_serve_request_context().request_id or None


def num_running(status: DeploymentStatusOverview) -> int:
    """Replicas of a deployment that take calls, by its status as `serve.status` tells it."""
    return status.replica_states.get(ReplicaState.RUNNING, 0)


async def forms_batches(batched: Callable[..., Any]) -> bool:
    """Whether the loop of a method under `@serve.batch` still runs; without it no call is ever answered."""
    method: Any = batched
    return await method._is_batching_task_alive()
