"""Starts `serve run` with a Ray of its own (ports, dashboard processes), and ends all its processes.

Ray's agent, which starts submitted jobs, listens on port 52365, and where another one has that port, it never takes a
job. `ray start` has an option for it; `ray.init`, and so `serve run`, has none.

Of Ray's dashboard, whose parts are processes, run those that `ray job submit` and `serve deploy` need, and no
autoscaler of nodes: there is one. `ray_dashboard` starts all of it, and without `ray_api` only what Prometheus needs
runs.

It prints which deployments run, as one JSON line per change, until all do: `pagemill serve` shows them.

And it leaves no process behind, also where `pagemill serve` was killed: Ray's agents would wait another minute for its
other daemons.

Checked with: ray 2.60.0
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import sys
import threading
from typing import Any

from configs.child_processes import adopt_orphans, end_descendants
from deployments.library_internals import worker_setup
from deployments.library_internals.worker_setup import SOCKET_VARIABLE
from deployments.library_internals.worker_start import import_serve

import_serve()  # before anything else does, so that the imports below stand late

import ray  # noqa: E402
from ray import serve  # noqa: E402
from ray._private import parameter, ray_constants, services  # noqa: E402
from ray.serve.scripts import cli  # noqa: E402

from deployments.library_internals.serve_state import num_running  # noqa: E402

PARTS = "pagemill parts: "  # before the JSON of a line: by deployment, whether a replica of it runs
DASHBOARD_PARTS = "JobHead,NodeHead,ServeHead,ReportHead"
NO_PARTS = "UsageStatsHead"  # runs in the dashboard's own process, and reports nothing: RAY_USAGE_STATS_ENABLED is 0
FULL_DASHBOARD, HTTP_API = "RAY_FULL_DASHBOARD", "RAY_HTTP_API"  # variables that pagemill.serving.ray_environment sets
CHECK_PERIOD_S = 0.25  # Serve reports to nobody when a replica has started


def main() -> None:
    """Ray's command, with any free port for the agent, and the end of all processes below it."""
    ours: dict[str, Any] = {"dashboard_agent_listen_port": None}
    if SOCKET_VARIABLE in os.environ:
        ours["setup_worker_path"] = worker_setup.__file__
    if os.environ.get(FULL_DASHBOARD) != "1":
        ours["no_monitor"] = True
    services.start_ray_process = functools.partial(_start_ray_process, services.start_ray_process)
    parameter.RayParams = functools.partial(parameter.RayParams, **ours)  # pyright: ignore[reportAttributeAccessIssue]
    adopt_orphans()
    ended = threading.Event()
    threading.Thread(target=report_parts, args=(ended,), daemon=True).start()
    code = 0
    try:
        cli()
    except SystemExit as ending:
        if isinstance(ending.code, str):  # Python prints it
            raise
        code = ending.code or 0
    finally:
        ended.set()
        end_descendants()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # Ray's end of a process waits up to 8 s for daemons that have ended


def _start_ray_process(start: Any, command: list[str], process_type: str, *args: Any, **options: Any) -> Any:
    """Ray's own function, with fewer parts of the dashboard."""
    if process_type == ray_constants.PROCESS_TYPE_DASHBOARD and os.environ.get(FULL_DASHBOARD) != "1":
        parts = NO_PARTS if os.environ.get(HTTP_API) == "0" else DASHBOARD_PARTS
        command = [*command, f"--modules-to-load={parts}"]
    if process_type == ray_constants.PROCESS_TYPE_RAYLET and SOCKET_VARIABLE in os.environ:
        command = [*command, "--num_prestart_python_workers=0"]  # of no job yet; the last one counts
    return start(command, process_type, *args, **options)


def report_parts(ended: threading.Event) -> None:
    """Print each change of what runs until everything does, or `ended` is set."""
    printed: dict[str, bool] = {}
    while not ended.wait(CHECK_PERIOD_S) and not (printed and all(printed.values())):
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
        name: num_running(status) > 0
        for application in serve.status().applications.values()
        for name, status in application.deployments.items()
    }


if __name__ == "__main__":
    main()
