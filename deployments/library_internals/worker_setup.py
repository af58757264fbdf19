"""What the raylet runs to start a worker, in the place of Ray's `setup_worker.py`: asks `fork_server.py` for it.

Where the server gives none, Ray's own script goes on in this process: a worker of another job, with another Python or
in a container, or a server that has ended. It imports the standard library alone, for it runs once per worker.

Checked with: ray 2.60.0
"""

from __future__ import annotations

import contextlib
import json
import os
import runpy
import socket
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

SOCKET_VARIABLE = "WORKER_FORK_SOCKET"  # path of the server's socket
PRELOAD_VARIABLE = "WORKER_PRELOAD"  # in a deployment's `env_vars`: modules to import before its worker is forked
CONTEXT_OPTION = "--serialized-runtime-env-context="
LANGUAGE_OPTION = "--language="
WORKER_SCRIPT = "default_worker.py"
REPLY_TIMEOUT_S = 30.0  # half of Ray's 60 s for a worker to register; the server may be importing
# read when a program starts, or by what the server has imported
START_VARIABLES = ("LD_", "PYTHON", "MALLOC_", "GLIBC_", "OPENBLAS_")


def main() -> None:
    """End when the worker runs elsewhere; else become Ray's script."""
    message = message_of(sys.argv[1:], os.environ)
    path = os.environ.get(SOCKET_VARIABLE)
    if message is not None and path and is_forked(message, path):
        return
    ray = find_spec("ray")
    assert ray is not None
    assert ray.origin is not None
    sys.argv[0] = str(Path(ray.origin).parent / "_private" / "workers" / "setup_worker.py")
    runpy.run_path(sys.argv[0], run_name="__main__")


def message_of(options: Sequence[str], environment: Mapping[str, str]) -> dict[str, Any] | None:
    """What the server needs to know of the worker; None where a fork would not be the same as a start."""
    contexts = [option.removeprefix(CONTEXT_OPTION) for option in options if option.startswith(CONTEXT_OPTION)]
    context = json.loads(contexts[0]) if contexts and contexts[0] else {}
    variables = context.get("env_vars") or {}
    arguments = [option for option in options if not option.startswith((CONTEXT_OPTION, LANGUAGE_OPTION))]
    if (
        not arguments
        or Path(arguments[0]).name != WORKER_SCRIPT
        or f"{LANGUAGE_OPTION}PYTHON" not in options
        or any(option.startswith("--worker-type=") for option in options)  # those that spill objects
        or context.get("command_prefix")
        or context.get("override_worker_entrypoint")
        or context.get("py_executable", sys.executable) != sys.executable
        or environment.get("RAY_worker_oom_score_adjustment", "0") != "0"  # the raylet scores the process it started
        or any("$" in value for value in variables.values())  # Ray puts other variables there
        or any(name.startswith(START_VARIABLES) and environment.get(name) != variables[name] for name in variables)
    ):
        return None
    return {
        "arguments": arguments,
        "environment": {**environment, **variables},
        "variables": variables,
        "folder": str(Path.cwd()),
        "niceness": os.nice(0),
    }


def is_forked(message: Mapping[str, Any], path: str) -> bool:
    """Whether the server started the worker, with the files of this process as its output."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
        connection.settimeout(REPLY_TIMEOUT_S)
        connection.connect(path)
        socket.send_fds(connection, [json.dumps(message).encode()], [sys.stdout.fileno(), sys.stderr.fileno()])
        return bool(connection.recv(1))
    return False


if __name__ == "__main__":
    main()
