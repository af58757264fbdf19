"""Starts the workers of our Ray as forks of one process that has imported their code, so that they share its memory.

A worker that starts by itself takes three seconds of a processor to import Ray, Serve and our deployments, and holds
100 MB that every other worker holds as well. The raylet runs `worker_setup.py` instead of Ray's own script, which asks
this server for a fork and ends.

A process that forks has one thread at all times, for only the thread that forks goes on in the new process, and has
drawn no random number of Ray's, for its workers would draw the same ones after it. Ray reads its variables when it is
loaded, the job's id and the raylet's process id among them, so that the server imports Ray with the variables of the
first worker, and refuses a worker with others. Models are forked from a branch that has torch as well: one branch per
set of variables, as libraries read theirs when they are imported; it ends when it was idle for a while. The server and
its branches end with the process that started them; workers go on.

Checked with: ray 2.60.0
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

from deployments.library_internals.worker_setup import PRELOAD_VARIABLE, SOCKET_VARIABLE

MAX_MESSAGE_BYTES = 1 << 20  # a worker's arguments and its variables
MAX_FILES = 3  # stdout and stderr and, in a branch, the connection on which the answer is sent
MAX_BRANCHES = 4
MESSAGE_TIMEOUT_S = 1.0  # for the message of who has connected: nobody else is served meanwhile
BRANCH_IDLE_S = 10.0  # after its last worker a branch ends: what its workers have written to, it alone would hold
MAX_WAITING = 128  # workers that ask while the server imports
RAY_PREFIX = "RAY_"
MODULES_WITHOUT_RAY = (
    "fastapi",
    "mcp.server.mcpserver",
    "cv2",
    "tokenizers",
    "retrieval.chunking.chunker",
)  # while Ray starts
MODULES_WITH_RAY = (
    "ray.serve._private.replica",
    "ray.serve._private.proxy",
    "ray.serve._private.controller",
    "deployments.app",
)
LIBRARY_THREADS = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # a library that starts threads ends the forks


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerStart:
    """What a worker is started with."""

    arguments: Sequence[str]  # the script first
    environment: Mapping[str, str]
    variables: Mapping[str, str]  # of its runtime environment; `environment` has them, too
    folder: str
    niceness: int

    def run(self) -> None:
        """Go on as the worker's program; returns when it ends."""
        os.environ.clear()
        os.environ.update(self.environment)
        os.chdir(self.folder)
        os.nice(max(0, self.niceness - os.nice(0)))
        sys.argv = list(self.arguments)
        sys.path[0] = str(Path(self.arguments[0]).parent)
        runpy.run_path(self.arguments[0], run_name="__main__")


def start_fork_server(socket_path: Path) -> tuple[socket.socket | None, WorkerStart | None]:
    """Fork the server; here, the socket that keeps it alive; in each of its workers, what that is started with."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    socket_path.unlink(missing_ok=True)
    mask = os.umask(0o177)  # nobody else connects
    try:
        listener.bind(str(socket_path))
    finally:
        os.umask(mask)
    listener.listen(MAX_WAITING)
    lifeline, above = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if os.fork():
        listener.close()
        above.close()
        os.environ[SOCKET_VARIABLE] = str(socket_path)
        return lifeline, None
    lifeline.close()
    os.environ.update(LIBRARY_THREADS)
    return None, ForkServer(above, listener).run(MODULES_WITHOUT_RAY)


class ForkServer:
    """Forks a worker for each message: of a connection or, in a branch, of the server above."""

    def __init__(self, above: socket.socket, listener: socket.socket | None) -> None:
        self._above = above
        self._listener = listener
        self._ray_variables: Mapping[str, str] | None = None  # with which Ray was imported
        self._is_safe = False  # a fork of this process is like a process of its own
        self._branches: dict[str, socket.socket] = {}

    def run(self, modules: Iterable[str]) -> WorkerStart:
        """Import, and serve until the process above ends, which ends this one; returns in each worker.

        Any error ends the process as well: workers start by themselves then.
        """
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal; who started us ends us
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel buries the workers
        _import(modules)
        if self._listener is None and num_threads() > 1:
            os._exit(1)  # whoever waits starts by itself
        sources = [self._above] if self._listener is None else [self._above, self._listener]
        while True:
            ready, _, _ = select.select(sources, [], [], BRANCH_IDLE_S if self._listener is None else None)
            if not ready:
                os._exit(0)
            if self._listener is None:
                worker = self._take(self._above)
            elif self._above in ready:
                os._exit(0)
            else:
                connection, _ = self._listener.accept()
                connection.settimeout(MESSAGE_TIMEOUT_S)
                with connection:
                    worker = self._take(connection)
            if worker is not None:
                return worker

    def _take(self, connection: socket.socket) -> WorkerStart | None:
        """Fork what the next message of the connection asks for; in the worker, what it is started with."""
        try:
            message, files, _, _ = socket.recv_fds(connection, MAX_MESSAGE_BYTES, MAX_FILES)
        except OSError:  # it has gone, or says nothing
            return None
        if not message and self._listener is None:
            os._exit(0)  # the server above has ended
        try:
            if not message:
                return None
            worker = WorkerStart(**json.loads(message))
            if self._listener is None:
                return self._forked(worker, files[:2], socket.socket(fileno=files.pop()))
            if not self._is_ours(worker):
                return None
            modules = worker.environment.get(PRELOAD_VARIABLE)
            if modules is None:
                return self._forked(worker, files, connection.dup())
            return self._forwarded(worker, modules.split(","), message, [*files, connection.fileno()])
        finally:
            for file in files:
                os.close(file)

    def _is_ours(self, worker: WorkerStart) -> bool:
        """Whether Ray is loaded, or can be loaded now, with the variables of the worker."""
        own = {name: value for name, value in worker.environment.items() if name.startswith(RAY_PREFIX)}
        if self._ray_variables is None:
            self._ray_variables = own
            os.environ.update(own)
            _import_ray()
            self._is_safe = num_threads() == 1 and forks_draw_different_ids()
            if not self._is_safe:
                sys.stderr.write("workers are started one by one: a library has threads, or numbers that forks share\n")
        return self._is_safe and own == self._ray_variables

    def _forked(self, worker: WorkerStart, files: Sequence[int], connection: socket.socket) -> WorkerStart | None:
        with connection:
            try:
                connection.send(b"1")
            except OSError:  # it waits no longer, and has started by itself
                return None
            if os.fork():
                return None
        self._leave()
        for file, output in zip(files, (sys.stdout.fileno(), sys.stderr.fileno()), strict=True):
            os.dup2(file, output)
        return worker

    def _forwarded(
        self, worker: WorkerStart, modules: Sequence[str], message: bytes, files: Sequence[int]
    ) -> WorkerStart | None:
        """Pass the message on to the branch for the worker's variables; in a worker of it, as `run`."""
        key = json.dumps(worker.variables, sort_keys=True)
        ended, _, _ = select.select(self._branches.values(), [], [], 0)  # a branch says nothing before its end
        for branch in ended:
            branch.close()
        self._branches = {own: branch for own, branch in self._branches.items() if branch not in ended}
        for _ in range(2):  # the second time where the branch has ended
            if key not in self._branches:
                if len(self._branches) == MAX_BRANCHES:
                    return None
                ours, above = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                if not os.fork():
                    ours.close()
                    self._leave()
                    os.environ.clear()
                    os.environ.update(worker.environment)
                    return ForkServer(above, None).run(modules)
                above.close()
                self._branches[key] = ours
            try:
                socket.send_fds(self._branches[key], [message], files)
            except OSError:
                self._branches.pop(key).close()
            else:
                return None
        return None

    def _leave(self) -> None:
        """In a new process: let go of what belongs to the server."""
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._above.close()
        for branch in self._branches.values():
            branch.close()
        if self._listener is not None:
            self._listener.close()


def num_threads() -> int:
    """Of this process."""
    return len(list(Path("/proc/self/task").iterdir()))


def forks_draw_different_ids() -> bool:
    """Whether two processes that are forked now have random numbers of their own; the libraries of Ray's core do not
    look for forks.
    """
    from ray import ObjectRef

    drawn: set[bytes] = set()
    for _ in range(2):
        readable, writable = os.pipe()
        if not os.fork():
            os.write(writable, ObjectRef.from_random().binary())
            os._exit(0)
        os.close(writable)
        with os.fdopen(readable, "rb") as pipe:
            drawn.add(pipe.read())
    return len(drawn) == 2


def _import_ray() -> None:
    """Import Ray, Serve and our deployments; the ids of actor classes, made while they are defined, from the kernel."""
    from ray import ActorClassID, actor

    own = SimpleNamespace(from_random=lambda: ActorClassID(os.urandom(ActorClassID.size())))
    with patch.object(actor, "ActorClassID", own):
        from deployments.library_internals.worker_start import import_serve

        import_serve()
        _import(MODULES_WITH_RAY)


def _import(modules: Iterable[str]) -> None:
    for module in modules:
        with contextlib.suppress(ImportError):  # the worker that needs it says so
            importlib.import_module(module)
    gc.collect()
    gc.freeze()  # a collection in a worker would write to what it shares
