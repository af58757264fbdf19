"""`deployments.library_internals.own_ray`: Ray still calls what is replaced there, and takes what is added."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import ray
import ray._private.worker as worker
from ray._private import parameter, ray_constants, services

from deployments.library_internals import own_ray


def test_ray_makes_its_parameters_by_the_name_that_is_replaced() -> None:
    assert "ray._private.parameter.RayParams(" in inspect.getsource(worker)
    names = inspect.signature(parameter.RayParams).parameters
    assert {"dashboard_agent_listen_port", "no_monitor"} <= set(names)


def test_the_dashboard_is_started_by_the_function_that_is_replaced() -> None:
    started: list[str] = []

    def start(command: list[str], *_: Any, **__: Any) -> None:
        started.extend(command)

    dashboard_type = ray_constants.PROCESS_TYPE_DASHBOARD
    own_ray._start_ray_process(start, ["dashboard.py"], dashboard_type)
    assert started == ["dashboard.py", f"--modules-to-load={own_ray.DASHBOARD_PARTS}"]
    own_ray._start_ray_process(start, ["gcs"], ray_constants.PROCESS_TYPE_GCS_SERVER)
    assert started[2:] == ["gcs"]
    source = inspect.getsource(services.start_api_server)
    assert "start_ray_process(" in source
    assert "PROCESS_TYPE_DASHBOARD" in source
    assert list(inspect.signature(services.start_ray_process).parameters)[:2] == ["command", "process_type"]


def test_the_dashboard_has_the_parts_that_are_kept() -> None:
    folder = Path(ray.__file__).parent / "dashboard"  # read, for its modules make event loops when they are imported
    assert '"--modules-to-load"' in (folder / "dashboard.py").read_text()
    modules = "".join(file.read_text() for file in (folder / "modules").rglob("*.py"))
    for part in own_ray.DASHBOARD_PARTS.split(","):
        assert f"class {part}(" in modules
