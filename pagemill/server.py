"""`pagemill serve`: runs `serve run` on a composed config, and leaves no process behind."""

from __future__ import annotations

import contextlib
import hashlib
import math
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import httpx
import yaml

from configs.data_lock import locked
from configs.descendants import adopt_orphans, end_descendants, interrupt_with_parent
from configs.sources import PREFIX
from pagemill.compose import Composed
from pagemill.memory_watch import MemoryWatch, memory_variables
from pagemill.ray_watch import RayWatch
from pagemill.reload import Reload, deploy

LONGEST_RAY_FOLDER = 32  # bytes: sockets of its dashboard lie up to 75 below it, and a path of one has 107 at most
STOP_S = 15  # for Serve to stop by itself, beside the time that its replicas have to finish
LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}  # no cluster: Ray's node, with all its ports, is 127.0.0.1


Watched = tuple[Path, Callable[[], Composed]]  # a config file, and what is composed of it now


class Server:
    """One running graph: all its processes are our descendants, and none outlives `run`."""

    def __init__(self, composed: Composed, watched: Watched | None = None) -> None:
        self._settings, self._config, self._watched = composed.settings, composed.config, watched
        self._was_ready = False  # since it was started last
        with socket.socket() as probe:  # a clear word now, not a crash of the proxy later
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((self._settings.host, self._settings.port))
            except OSError as error:
                where = f"{self._settings.host}:{self._settings.port}"
                raise ValueError(f"cannot listen on {where}: {error.strerror}") from None

    def run(self) -> int:
        """Serve until a signal or the graph's end; the exit code for the shell. A graph that lost its Ray starts anew.

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
        with StopSignals(STOP_S + math.ceil(self._settings.limits.shutdown_s)) as signals:
            try:
                code = self._serve(config, signals)
            finally:
                signal.alarm(0)
                end_descendants()
                (data / "server.json").unlink(missing_ok=True)
                _forget(_ray_folder(data / "ray"))
        return 0 if signals.stop_requested else code or 1

    def _serve(self, config: Path, signals: StopSignals) -> int:
        """The exit code of the last graph."""
        while True:
            child = self._started(config)
            signals.pass_to(child)
            ray, ended = RayWatch(child, lambda: signals.stop_requested), threading.Event()
            memory = MemoryWatch(_say, self._settings.memory_threshold)
            threading.Thread(target=self._announce, args=(child, ended), daemon=True).start()
            threading.Thread(target=memory.follow, args=(ended,), daemon=True).start()
            threading.Thread(target=ray.follow, args=(ended,), daemon=True).start()
            code = child.wait()
            ended.set()
            if signals.stop_requested or ray.lost is None or not self._was_ready:
                return code
            _say(f"Ray's {ray.lost} ended, and the graph with it. It starts anew; jobs go on where they were")
            self._was_ready = False
            end_descendants()

    @property
    def _url(self) -> str:
        return f"http://{self._settings.host}:{self._settings.port}"

    def _started(self, config: Path) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "deployments.own_ray", "run", "--address", "local", str(config)]
        return subprocess.Popen(  # noqa: S603  our own command
            command,
            env=self._environment(),
            start_new_session=True,  # a terminal's Ctrl-C reaches it through us alone
            preexec_fn=interrupt_with_parent,  # noqa: PLW1509
        )

    def _announce(self, child: subprocess.Popen[bytes], ended: threading.Event) -> None:
        """Say once, when it is true, that the server is ready; then follow the config file, if that is wanted."""
        url = self._url
        begun, pause = time.monotonic(), threading.Event()
        while child.poll() is None:
            with contextlib.suppress(httpx.HTTPError):
                if httpx.get(f"{url}/readyz", timeout=10, trust_env=False).status_code == httpx.codes.OK:
                    self._was_ready = True
                    seconds = time.monotonic() - begun
                    _say(
                        f"Pagemill is ready after {seconds:.0f} s: {url}\n"
                        f"all calls: {url}/docs   data: {self._settings.data_dir}   Ctrl-C stops it"
                    )
                    self._follow(ended)
                    return
            pause.wait(1.0)  # nothing tells another process that the graph is up

    def _follow(self, ended: threading.Event) -> None:
        if self._watched is None:
            return
        file, again = self._watched
        running, environment = Composed(self._settings, self._config), self._environment()
        _say(f"{file} is watched: a change of it is deployed")
        Reload(file, running, again, lambda composed: deploy(composed, environment), _say).follow(ended)

    def _environment(self) -> dict[str, str]:
        """Without our variables, which are in the config by now, but the folder by which a submitted job finds us;
        nothing calls out, Ray's files lie in DATA, and its ports are on loopback."""
        ours = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
        ours |= {f"{PREFIX}DATA_DIR": str(self._settings.data_dir)}
        quiet = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_DISABLE_IMPORT_WARNING": "1", "RAY_DEDUP_LOGS": "0"}
        quiet |= LOOPBACK
        quiet["RAY_SERVE_HTTP_PROXY_CALLBACK_IMPORT_PATH"] = "deployments.ingress.proxy:middlewares"
        ours = {"RAY_worker_niceness": "0"} | ours  # by default behind every other program of the machine: 15
        ours = memory_variables(self._settings.memory_threshold) | ours
        own = f"{Path(sys.executable).parent}{os.pathsep}{ours.get('PATH', os.defpath)}"
        quiet["PATH"] = own  # `python` of a submitted job is the one that has our packages
        folder = {"RAY_TMPDIR": str(_ray_folder(self._settings.data_dir / "ray"))}
        if "RAY_AUTH_MODE" in ours:  # the cluster's own way
            return ours | quiet | folder
        token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(_token(self._settings.data_dir / "ray_token"))}
        return ours | quiet | folder | token


class StopSignals:
    """A first signal asks the child to stop, a second one, or the end of its time, ends it; ours within a `with`."""

    def __init__(self, patience_s: int) -> None:
        self.stop_requested = False
        self._patience_s = patience_s
        self._child: subprocess.Popen[bytes] | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            self._before[number] = signal.signal(number, self._stop)
        self._before[signal.SIGALRM] = signal.signal(signal.SIGALRM, self._give_up)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def pass_to(self, child: subprocess.Popen[bytes]) -> None:
        """Signals are for this child from now on, and so is one that came before it was there."""
        self._child = child
        if self.stop_requested:
            child.send_signal(signal.SIGINT)

    def _stop(self, *_: object) -> None:
        if self.stop_requested:
            self._give_up()
            return
        self.stop_requested = True
        signal.alarm(self._patience_s)
        if self._child is not None:
            self._child.send_signal(signal.SIGINT)

    def _give_up(self, *_: object) -> None:
        if self._child is not None:
            self._child.kill()


def _say(text: str) -> None:
    sys.stdout.write(f"\n{text}\n\n")
    sys.stdout.flush()


def _token(file: Path) -> Path:
    """The file of the secret without which nobody connects to our Ray; made once, for our eyes only."""
    with contextlib.suppress(FileExistsError), open(file, "x", opener=_for_us) as made:
        made.write(secrets.token_hex(32))
    return file


def _for_us(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _ray_folder(wanted: Path) -> Path:
    """`wanted`, or a short link to it where its path is too long for Ray's sockets."""
    wanted.mkdir(parents=True, exist_ok=True)
    if len(os.fsencode(wanted)) <= LONGEST_RAY_FOLDER:
        return wanted
    link = Path(tempfile.gettempdir()) / f"pagemill-{hashlib.sha256(os.fsencode(wanted)).hexdigest()[:8]}"
    with contextlib.suppress(FileExistsError):
        link.symlink_to(wanted)
    if link.lstat().st_uid != os.getuid() or not link.is_symlink() or link.readlink() != wanted:
        raise ValueError(f"{link} is in the way: somebody else's, or not a link to {wanted}")
    return link


def _forget(ray_folder: Path) -> None:
    """Remove the link to Ray's folder, where there is one."""
    if ray_folder.is_symlink():
        ray_folder.unlink()
