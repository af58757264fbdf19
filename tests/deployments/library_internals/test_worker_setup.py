"""`deployments.library_internals.worker_setup`: which workers are forked, and what starts the others."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ray._private import services
from ray._private.runtime_env.context import RuntimeEnvContext

from deployments.library_internals import worker_setup
from deployments.library_internals.worker_setup import CONTEXT_OPTION, is_forked, message_of

WORKER = ("/ray/default_worker.py", "--node-id=1", "--language=PYTHON")


def options(**context: Any) -> list[str]:
    """What the raylet gives a worker with this runtime environment."""
    return [*WORKER, CONTEXT_OPTION + RuntimeEnvContext(**context).serialize()]


def test_a_worker_of_our_own_python_is_forked_with_the_variables_of_its_environment() -> None:
    message = message_of(options(env_vars={"OMP_NUM_THREADS": "1"}), {"HOME": "/home"})
    assert message is not None
    assert message["arguments"] == list(WORKER[:2])
    assert message["environment"] == {"HOME": "/home", "OMP_NUM_THREADS": "1"}
    assert message["variables"] == {"OMP_NUM_THREADS": "1"}
    assert message_of(WORKER, {}) is not None, "without a runtime environment"


@pytest.mark.parametrize(
    "context",
    [
        {"py_executable": "/other/python"},
        {"command_prefix": ["cd", "/job", "&&"]},
        {"override_worker_entrypoint": "/in/a/container/default_worker.py"},
        {"env_vars": {"LD_PRELOAD": "/lib/other.so"}},
        {"env_vars": {"PYTHONPATH": "/job"}},
        {"env_vars": {"MALLOC_ARENA_MAX": "8"}},
    ],
)
def test_a_worker_that_needs_a_start_of_its_own_is_not_forked(context: dict[str, Any]) -> None:
    """Guards against a Ray job with its own packages that gets the server's."""
    assert message_of(options(**context), {"MALLOC_ARENA_MAX": "2"}) is None


def test_a_variable_that_is_set_already_needs_no_start() -> None:
    assert message_of(options(env_vars={"MALLOC_ARENA_MAX": "2"}), {"MALLOC_ARENA_MAX": "2"}) is not None


@pytest.mark.parametrize("added", ["--worker-type=SPILL_WORKER", "--worker-type=RESTORE_WORKER"])
def test_workers_that_move_objects_start_by_themselves(added: str) -> None:
    assert message_of([*WORKER, added], {}) is None


def test_a_worker_whose_score_the_raylet_sets_starts_by_itself() -> None:
    """Guards against a score that the process gets which asks for the fork."""
    assert message_of(WORKER, {"RAY_worker_oom_score_adjustment": "1000"}) is None
    assert message_of(WORKER, {"RAY_worker_oom_score_adjustment": "0"}) is not None


def test_without_a_server_there_is_no_fork(tmp_path: Path) -> None:
    message = message_of(WORKER, {})
    assert message is not None
    assert not is_forked(message, str(tmp_path / "none.sock"))


def test_ray_s_own_script_goes_on_where_no_worker_is_forked() -> None:
    """Guards against a job in another Python that never gets a worker; here, the Python is `echo`."""
    context = CONTEXT_OPTION + json.dumps({"py_executable": "/bin/echo", "env_vars": {}})
    command = [sys.executable, worker_setup.__file__, *WORKER, context]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)
    assert done.stdout == "/ray/default_worker.py --node-id=1\n"


def test_ray_runs_the_script_in_the_place_of_its_own_and_knows_the_options() -> None:
    """Guards against a version of Ray that starts its workers in another way."""
    source = inspect.getsource(services.start_raylet)
    assert "setup_worker_path,\n        ]\n        + _site_flags()" in source
    assert "--num_prestart_python_workers=" in source
    own = (Path(services.__file__).parent / "workers" / "setup_worker.py").read_text()
    assert all(option.rstrip("=") in own for option in (CONTEXT_OPTION, worker_setup.LANGUAGE_OPTION))
    assert (Path(services.__file__).parent / "workers" / worker_setup.WORKER_SCRIPT).is_file()
