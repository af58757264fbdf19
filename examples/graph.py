"""The running graph as a Ray driver sees it: connected once, its deployments by name."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

SERVER_FILE = "server.json"


def connect(data_dir: Path | None = None) -> None:
    """Connect to the Ray of the server with this data folder (default: PAGEMILL_DATA_DIR, else `data`).

    In a job of a cluster, RAY_ADDRESS counts where the folder names no server. A job of `pagemill serve` has
    PAGEMILL_DATA_DIR, and what that names counts more: Ray guesses the RAY_ADDRESS of its jobs, and where several Rays
    run on a machine it may be another one's. Called before Ray is imported, which reads its token once.
    """
    named = data_dir or os.environ.get("PAGEMILL_DATA_DIR")
    address = os.environ.get("RAY_ADDRESS") or "http"
    is_job = not address.startswith("http")  # http: not the cluster, but its address for submitting jobs
    if not is_job or (named and (Path(named) / SERVER_FILE).exists()):
        server = _server_of(Path(named or "data"))
        os.environ.update(server["environment"])
        address = server["ray_address"]
    import ray

    ray.init(address=address, namespace="serve", log_to_driver=False)


def _server_of(data_dir: Path) -> dict[str, Any]:
    try:
        return json.loads((data_dir / SERVER_FILE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        sys.exit(f"no server runs with the data folder {data_dir}: `make serve` starts one, --data-dir selects another")


def disconnect() -> None:
    """Leave Ray: what it has to say of its own is said by now, and the next line on standard output is ours."""
    import ray

    ray.shutdown()


def deployment(name: str) -> Any:
    """The handle of `Layout`, `Ocr`, `Pipeline`, `Jobs` or `Search`."""
    from ray import serve

    from deployments.calls.sharded_jobs import connected_jobs

    return connected_jobs() if name == "Jobs" else serve.get_deployment_handle(name, app_name="pagemill")
