"""`serve run` (as `python -m deployments.own_ray run ...`) whose Ray wants no port that another Ray has.

Ray's agent, which starts submitted jobs, listens on port 52365, and where another one has that port, it never takes a
job. `ray start` has an option for it; `ray.init`, and so `serve run`, has none.

It prints which deployments run, as one JSON line per change, until all do: `pagemill serve` shows them.

And it leaves no process behind, also where `pagemill serve` was killed: Ray's agents would wait another minute for its
other daemons.
"""

from __future__ import annotations

import contextlib
import functools
import json
import sys
import threading

import ray
from ray import serve
from ray._private import parameter
from ray.serve.schema import ReplicaState  # pyright: ignore[reportPrivateImportUsage]  # it has no other home
from ray.serve.scripts import cli

from configs.descendants import adopt_orphans, end_descendants

PARTS = "pagemill parts: "  # before the JSON of a line: by deployment, whether a replica of it runs
LOOK_S = 1.0  # between two looks; Serve tells nobody when a replica has started


def main() -> None:
    """Ray's command, with any free port for the agent, and the end of all processes below it."""
    any_port = functools.partial(parameter.RayParams, dashboard_agent_listen_port=None)
    parameter.RayParams = any_port  # pyright: ignore[reportAttributeAccessIssue]
    adopt_orphans()
    ended = threading.Event()
    threading.Thread(target=report_parts, args=(ended,), daemon=True).start()
    try:
        cli()
    finally:
        ended.set()
        end_descendants()


def report_parts(ended: threading.Event) -> None:
    """Print each change of what runs until everything does, or `ended` is set."""
    printed: dict[str, bool] = {}
    while not ended.wait(LOOK_S) and not (printed and all(printed.values())):
        parts: dict[str, bool] = {}
        with contextlib.suppress(Exception):  # the controller is not there yet, or not any more
            parts = running_parts() if ray.is_initialized() else {}
        if parts and parts != printed:
            printed = parts
            sys.stdout.write(f"{PARTS}{json.dumps(parts)}\n")
            sys.stdout.flush()


def running_parts() -> dict[str, bool]:
    """By deployment, whether a replica of it runs."""
    return {
        name: status.replica_states.get(ReplicaState.RUNNING, 0) > 0
        for application in serve.status().applications.values()
        for name, status in application.deployments.items()
    }


if __name__ == "__main__":
    main()
