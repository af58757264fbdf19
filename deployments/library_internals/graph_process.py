"""The process of a graph: starts the fork server while it has one thread and no Ray, and goes on as `own_ray`.

Checked with: ray 2.60.0
"""

from __future__ import annotations

import os
from pathlib import Path

from deployments.library_internals.fork_server import start_fork_server

SOCKET_NAME = "workers.sock"


def main() -> None:
    """As `own_ray`; in a worker that the fork server started, the worker's program."""
    lifeline, worker = start_fork_server(Path(os.environ["RAY_TMPDIR"]) / SOCKET_NAME)
    if worker is not None:
        worker.run()
        return
    from deployments.library_internals import own_ray  # here: Ray reads its variables when it is loaded

    own_ray.main()
    assert lifeline is not None  # open until here


if __name__ == "__main__":
    main()
