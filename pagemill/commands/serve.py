"""`pagemill serve`: starts `serve run`, restarts it when Ray dies, and stops all its processes at the end."""

from __future__ import annotations

import math
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import httpx
import yaml

from configs.child_processes import adopt_orphans, end_descendants, interrupt_with_parent
from configs.data_lock import locked
from pagemill.serving.config_reload import Reload, deploy
from pagemill.serving.memory_watch import MemoryWatch
from pagemill.serving.ray_environment import forget, ray_environment, ray_folder
from pagemill.serving.ray_watch import RayWatch
from pagemill.serving.serve_config import Composed
from pagemill.serving.server_display import Addresses, ServerDisplay
from pagemill.serving.server_output import Parts, ServerLog, message_of
from pagemill.serving.stop_signals import StopSignals

SERVE_STOP_S = 15  # time in which Serve stops by itself, beside the time that its replicas have to finish
CHECK_PERIOD_S = 0.25  # time between two checks while the server starts
NUM_LOG_LINES = 30  # last lines of the log of a server that did not start


Watched = tuple[Path, Callable[[], Composed]]  # a config file, and what is composed of it now


class Server:
    """One running graph: all its processes are our descendants, and none outlives `run`."""

    def __init__(self, composed: Composed, watched: Watched | None = None, *, verbose: bool = False) -> None:
        self._settings = composed.settings
        self._config = composed.config
        self._watched = watched
        self._verbose = verbose
        self._was_ready = False  # since it was started last
        if watched is not None and not self._settings.ray_api:
            raise ValueError("--reload deploys through Ray's HTTP API: it needs ray_api: true")
        self._log = ServerLog(self._settings.data_dir / "logs")
        self._display = ServerDisplay(Addresses(self._url, self._settings.data_dir, self._log.path))
        self._parts_run = threading.Event()
        with socket.socket() as probe:  # a clear word now, not a crash of the proxy later
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((self._settings.host, self._settings.port))
            except OSError as error:
                where = f"{self._settings.host}:{self._settings.port}"
                raise ValueError(f"cannot listen on {where}: {error.strerror}") from None

    def run(self) -> int:
        """Serve until a signal or the graph's end; the exit code for the shell. A graph that lost its Ray starts again.

        Raises:
            DataFolderInUse: another server works with the data folder; nothing was changed.
        """
        data = self._settings.data_dir
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        with locked(data, self._url):
            return self._run(data)

    def _run(self, data: Path) -> int:
        config = data / "serve_config.yaml"
        config.touch(mode=0o600)  # a database's URL may hold its password
        config.write_text(yaml.safe_dump(self._config, sort_keys=False), encoding="utf-8")
        adopt_orphans()  # Ray's daemons stay below us when their parent ends
        with StopSignals(SERVE_STOP_S + math.ceil(self._settings.limits.shutdown_s)) as signals:
            try:
                code = self._serve(config, signals)
            finally:
                signal.alarm(0)
                end_descendants()
                (data / "server.json").unlink(missing_ok=True)
                forget(ray_folder(data / "ray"))
        return 0 if signals.stop_requested else code or 1

    def _serve(self, config: Path, signals: StopSignals) -> int:
        """The exit code of the last graph."""
        while True:
            self._parts_run.clear()
            self._display.start()
            with self._log.open() as log:
                child = self._started(config, log)
            signals.pass_to(child)
            ray, ended = RayWatch(child, lambda: signals.stop_requested), threading.Event()
            memory = MemoryWatch(self._display.say, self._settings.memory_threshold)
            follower = threading.Thread(target=self._log.follow, args=(ended, self._take_line), daemon=True)
            follower.start()
            threading.Thread(target=self._announce, args=(child, ended), daemon=True).start()
            threading.Thread(target=memory.follow, args=(ended,), daemon=True).start()
            threading.Thread(target=ray.follow, args=(ended,), daemon=True).start()
            code = child.wait()
            ended.set()
            follower.join()
            self._display.stop()
            if signals.stop_requested or ray.lost is None or not self._was_ready:
                if not signals.stop_requested and not self._was_ready and not self._verbose:
                    self._display.say(f"the server did not start; the end of {self._log.path}:")
                    self._display.say(self._log.end(NUM_LOG_LINES))
                return code
            self._display.say(f"Ray's {ray.lost} ended, and the graph with it. It restarts; jobs resume")
            self._was_ready = False
            end_descendants()

    def _take_line(self, line: str) -> None:
        if self._verbose:
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()
        message = message_of(line)
        if isinstance(message, Parts) and all(message.running.values()):
            self._parts_run.set()
        if message is not None and not self._verbose:
            self._display.take(message)

    @property
    def _url(self) -> str:
        return f"http://{self._settings.host}:{self._settings.port}"

    def _started(self, config: Path, log: BinaryIO) -> subprocess.Popen[bytes]:
        program = ("-m", "deployments.library_internals.graph_process", "run")
        command = [sys.executable, *program, "--address", "local", str(config)]
        return subprocess.Popen(  # noqa: S603  our own command
            command,
            env=ray_environment(self._settings),
            stdout=log,
            stderr=log,
            start_new_session=True,  # a terminal's Ctrl-C reaches it through us alone
            preexec_fn=interrupt_with_parent,  # noqa: PLW1509
        )

    def _announce(self, child: subprocess.Popen[bytes], ended: threading.Event) -> None:
        """Say once, when it is true, that the server is ready; then follow the config file, if that is wanted."""
        pause = threading.Event()
        while child.poll() is None:
            if self._parts_run.wait(CHECK_PERIOD_S) and self._is_ready():
                self._was_ready = True
                self._display.ready()
                self._follow(ended)
                return
            pause.wait(CHECK_PERIOD_S)  # nothing tells another process that the graph is up

    def _is_ready(self) -> bool:
        try:
            return httpx.get(f"{self._url}/readyz", timeout=30, trust_env=False).status_code == httpx.codes.OK
        except httpx.HTTPError:
            return False

    def _follow(self, ended: threading.Event) -> None:
        if self._watched is None:
            return
        file, again = self._watched
        running = Composed(self._settings, self._config)
        environment = ray_environment(self._settings)
        self._display.say(f"{file} is watched: changes are deployed")
        Reload(file, running, again, lambda composed: deploy(composed, environment), self._display.say).follow(ended)
