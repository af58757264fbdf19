"""The running graph as a Ray driver sees it: connected once, its deployments by name."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any


def connect(data_dir: Path) -> None:
    """Connect to Ray: to the cluster whose job this is, else to that of the server with this data folder.

    Called before Ray is imported, which reads once what `server.json` says of its token.
    """
    address = os.environ.get("RAY_ADDRESS") or "http"
    if address.startswith("http"):  # not the cluster but its door for jobs: this is no job of it
        where = _server_of(data_dir)
        os.environ.update(where["environment"])
        address = where["ray_address"]
    import ray

    ray.init(address=address, namespace="serve", log_to_driver=False)


def _server_of(data_dir: Path) -> dict[str, Any]:
    try:
        return json.loads((data_dir / "server.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        sys.exit(f"no server runs with the data folder {data_dir}: `make serve` starts one, --data-dir names another")


def disconnect() -> None:
    """Leave Ray: what it has to say of its own is said by now, and the next line on standard output is ours."""
    import ray

    ray.shutdown()


def deployment(name: str) -> Any:
    """The handle of `Layout`, `Ocr`, `Pipeline`, `Jobs` or `Search`."""
    from ray import serve

    return serve.get_deployment_handle(name, app_name="pagemill")
