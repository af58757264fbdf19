"""`deployments.library_internals.own_ray`: Ray still calls what is replaced there, and takes what is added."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest
import ray
import ray._private.worker as worker
from ray._private import parameter, ray_constants, services

from deployments.library_internals import own_ray


def test_ray_makes_its_parameters_by_the_name_that_is_replaced() -> None:
    assert "ray._private.parameter.RayParams(" in inspect.getsource(worker)
    names = inspect.signature(parameter.RayParams).parameters
    assert {"dashboard_agent_listen_port", "no_monitor", "setup_worker_path"} <= set(names)


def test_the_dashboard_is_started_by_the_function_that_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(own_ray.FULL_DASHBOARD, raising=False)
    monkeypatch.delenv(own_ray.SOCKET_VARIABLE, raising=False)
    started: list[str] = []

    def start(command: list[str], *_: Any, **__: Any) -> None:
        started.extend(command)

    dashboard_type = ray_constants.PROCESS_TYPE_DASHBOARD
    own_ray._start_ray_process(start, ["dashboard.py"], dashboard_type)
    assert started == ["dashboard.py", f"--modules-to-load={own_ray.DASHBOARD_PARTS}"]
    own_ray._start_ray_process(start, ["gcs"], ray_constants.PROCESS_TYPE_GCS_SERVER)
    assert started[2:] == ["gcs"]
    started.clear()
    monkeypatch.setenv(own_ray.HTTP_API, "0")
    own_ray._start_ray_process(start, ["dashboard.py"], dashboard_type)
    assert started == ["dashboard.py", f"--modules-to-load={own_ray.NO_PARTS}"]
    monkeypatch.setenv(own_ray.FULL_DASHBOARD, "1")
    own_ray._start_ray_process(start, ["full"], dashboard_type)
    assert started[2:] == ["full"]
    source = inspect.getsource(services.start_api_server)
    assert "start_ray_process(" in source
    assert "PROCESS_TYPE_DASHBOARD" in source
    assert list(inspect.signature(services.start_ray_process).parameters)[:2] == ["command", "process_type"]


def test_no_worker_is_started_ahead_of_its_job_where_workers_are_forked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against workers of no job, which the fork server would import Ray for."""
    started: list[str] = []

    def start(command: list[str], *_: Any, **__: Any) -> None:
        started.extend(command)

    monkeypatch.setenv(own_ray.SOCKET_VARIABLE, "/workers.sock")
    own_ray._start_ray_process(start, ["raylet"], ray_constants.PROCESS_TYPE_RAYLET)
    assert started == ["raylet", "--num_prestart_python_workers=0"]
    assert '"--num_prestart_python_workers=' in inspect.getsource(services.start_raylet)


def test_the_dashboard_has_the_parts_that_are_kept() -> None:
    folder = Path(ray.__file__).parent / "dashboard"  # read, for its modules make event loops when they are imported
    assert '"--modules-to-load"' in (folder / "dashboard.py").read_text()
    modules = "".join(file.read_text() for file in (folder / "modules").rglob("*.py"))
    for part in (own_ray.NO_PARTS, *own_ray.DASHBOARD_PARTS.split(",")):
        assert f"class {part}(" in modules
