"""`deployments.library_internals.fork_server`: its workers are like processes of their own, and share its memory."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from deployments.library_internals.worker_setup import PRELOAD_VARIABLE, is_forked, message_of

WAIT_S = 120.0
GRAPH = """
import sys
from pathlib import Path
from deployments.library_internals.fork_server import start_fork_server
lifeline, worker = start_fork_server(Path(sys.argv[1]))
if worker is not None:
    worker.run()
else:
    print("started", flush=True)
    sys.stdin.read()
"""
WORKER = """
import json, os, sys
import ray
facts = {
    "pid": os.getpid(), "parent": os.getppid(), "arguments": sys.argv, "folder": os.getcwd(), "name": __name__,
    "variables": {name: os.environ.get(name) for name in ("ONE", "HOME", "RAY_JOB_ID")},
    "threads": len(os.listdir("/proc/self/task")), "id": ray.ObjectRef.from_random().hex(),
    "modules": [name for name in ("ray.serve", "deployments.app", "pandas", "torch", "lancedb", "wave")
                if sys.modules.get(name)],
}
with open(sys.argv[1], "w") as file:
    json.dump(facts, file)
print("done", flush=True)
"""


class Graph:
    """A process with a fork server, as the graph's, and its workers."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.socket = str(folder / "workers.sock")
        self.script = folder / "default_worker.py"
        self.script.write_text(WORKER)
        self.process = subprocess.Popen(
            [sys.executable, "-c", GRAPH, self.socket], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == b"started\n"

    def worker(self, name: str, *, variables: dict[str, str] | None = None, job: str = "01000000") -> Any:
        """What a worker says of itself; None where it is refused."""
        facts = self.folder / name
        os.mkfifo(facts)
        environment = {**os.environ, "RAY_JOB_ID": job, "HOME": "/of/the/worker"}
        message = message_of([str(self.script), str(facts), "--language=PYTHON"], environment)
        assert message is not None
        message["environment"] |= variables or {}
        message["variables"] = variables or {}
        if not is_forked(message | {"folder": str(self.folder)}, self.socket):
            return None
        return json.loads(facts.read_text())  # waits until it is written

    def end(self) -> None:
        self.process.kill()
        self.process.communicate(timeout=WAIT_S)


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Graph]:
    graph = Graph(tmp_path_factory.mktemp("graph"))
    yield graph
    graph.end()


def test_a_worker_runs_its_script_as_its_own_program(graph: Graph) -> None:
    facts = graph.worker("own", variables={"ONE": "1"})
    assert facts["arguments"] == [str(graph.script), str(graph.folder / "own")]
    assert facts["name"] == "__main__"
    assert facts["folder"] == str(graph.folder)
    assert facts["variables"] == {"ONE": "1", "HOME": "/of/the/worker", "RAY_JOB_ID": "01000000"}


def test_a_worker_has_our_code_and_no_large_library_that_another_worker_needs(graph: Graph) -> None:
    """Guards against torch in each worker, and against libraries that start threads before the fork."""
    facts = graph.worker("code")
    assert facts["modules"] == ["ray.serve", "deployments.app"]
    assert facts["threads"] == 1


def test_two_workers_draw_different_ids(graph: Graph) -> None:
    """Guards against a controller of Serve that ends because two replicas named a call the same."""
    assert graph.worker("first")["id"] != graph.worker("second")["id"]


def test_a_worker_of_another_job_is_refused(graph: Graph) -> None:
    """Guards against a Ray job whose workers run for the server's: Ray reads the variable when it is loaded."""
    assert graph.worker("ours") is not None
    assert graph.worker("other", job="02000000") is None


def test_who_has_gone_or_says_nothing_costs_nobody_a_worker(graph: Graph) -> None:
    """Guards against a second worker for one that has started by itself, and a server that ends or waits for ever."""
    facts = graph.folder / "gone"
    message = message_of([str(graph.script), str(facts), "--language=PYTHON"], {**os.environ, "RAY_JOB_ID": "01000000"})
    assert graph.worker("before") is not None
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection, (graph.folder / "log").open("w") as log:
        connection.connect(graph.socket)
        socket.send_fds(connection, [json.dumps(message).encode()], [log.fileno(), log.fileno()])
        connection.shutdown(socket.SHUT_RD)  # what is sent to it fails, as if it were closed
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as silent:
        silent.connect(graph.socket)
        assert graph.worker("behind") is not None
    assert not facts.exists()


def test_variables_that_name_others_are_left_to_ray() -> None:
    """Ray puts `${HOME}` into them when it starts a worker; a fork would have the letters."""
    context = {"env_vars": {"HF_HOME": "${HOME}/models"}}
    options = ["default_worker.py", "--language=PYTHON", f"--serialized-runtime-env-context={json.dumps(context)}"]
    assert message_of(options, {}) is None
    context["env_vars"]["HF_HOME"] = "/models"
    assert message_of([*options[:2], f"--serialized-runtime-env-context={json.dumps(context)}"], {}) is not None


def test_a_worker_that_names_modules_comes_from_a_branch_that_has_them(graph: Graph) -> None:
    variables = {PRELOAD_VARIABLE: "wave", "ONE": "2"}
    first, second, plain = (
        graph.worker("preloaded", variables=variables),
        graph.worker("again", variables=variables),
        graph.worker("plain"),
    )
    assert first["modules"] == second["modules"] == ["ray.serve", "deployments.app", "wave"]
    assert first["parent"] == second["parent"] != plain["parent"]
    assert plain["modules"] == ["ray.serve", "deployments.app"]
    branch = psutil.Process(first["parent"])
    branch.kill()
    psutil.wait_procs([branch], timeout=WAIT_S)
    assert graph.worker("after", variables=variables)["modules"] == first["modules"], "a branch that ended is replaced"


def test_the_server_and_its_branches_end_with_the_graph(tmp_path: Path) -> None:
    """Guards against processes that outlive a killed server."""
    graph = Graph(tmp_path)
    try:
        plain, preloaded = graph.worker("plain"), graph.worker("preloaded", variables={PRELOAD_VARIABLE: "wave"})
        servers = [psutil.Process(facts["parent"]) for facts in (plain, preloaded)]
    finally:
        graph.end()
    _, alive = psutil.wait_procs(servers, timeout=WAIT_S)
    assert alive == []


def test_a_process_that_has_drawn_an_id_is_not_forked() -> None:
    """Guards against a library that draws one while it is imported."""
    program = (
        "import ray\nfrom deployments.library_internals.fork_server import forks_draw_different_ids as different\n"
    )
    program += "print(different(), ray.ObjectRef.from_random() and different())"
    assert subprocess.check_output([sys.executable, "-c", program], text=True, timeout=WAIT_S) == "True False\n"
