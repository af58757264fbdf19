"""`pagemill serve`: composes the Serve config, runs `serve run` on it, and leaves no process behind."""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psutil
import yaml

from configs import Settings, with_environment, with_options
from configs.keys import read_keys
from configs.sources import PREFIX

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
LONGEST_RAY_FOLDER = 40  # bytes: Ray's sockets lie about 65 below it, and a socket's path has 107 at most
STOP_S = 20  # for Serve to stop by itself
LOGGING = {"log_level": "log_level", "log_format": "encoding"}  # our names and Serve's
KILL_S = 5.0  # for what is left to end after SIGTERM


@dataclass(frozen=True, slots=True)
class Composed:
    """A Serve config with all settings resolved."""

    settings: Settings
    config: dict[str, Any]


def compose(file: Path, options: Mapping[str, str | None], environment: Mapping[str, str] = os.environ) -> Composed:
    """The config of `file` with the environment's and the options' settings, ready for `serve run`.

    Raises:
        ValueError: a setting that does not exist or cannot have this value.
        OSError: the file cannot be read.
    """
    config, application = _read(file)
    http, logging = config.setdefault("http_options", {}), config.setdefault("logging_config", {})
    args = {key: http[key] for key in ("host", "port") if key in http}
    args |= {ours: logging[theirs] for ours, theirs in LOGGING.items() if theirs in logging}
    args |= application.get("args") or {}
    settings = Settings.model_validate(with_options(with_environment(args, environment), options))
    settings.check_exposure(settings.host)
    places = {"data_dir": settings.data_dir.resolve()}
    if settings.keys_file is not None:
        read_keys(settings.keys_file)  # a clear word now, not a crash of the ingress later
        places["keys_file"] = settings.keys_file.resolve()
    settings = settings.model_copy(update=places)
    told = {name: str(path) for name, path in places.items()}
    application["args"] = settings.model_dump(mode="json", exclude_unset=True) | told
    http |= {"host": settings.host, "port": settings.port}
    logging |= {theirs: getattr(settings, ours) for ours, theirs in LOGGING.items()}
    return Composed(settings, config)


def _read(file: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The file's content, and the one application in it."""
    try:
        config = yaml.safe_load(file.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise ValueError(f"{file} is not YAML: {error}") from None
    applications = config.get("applications") if isinstance(config, dict) else None
    if not isinstance(applications, list) or len(applications) != 1 or not isinstance(applications[0], dict):
        raise ValueError(f"{file} is no Serve config with one application")
    if not isinstance(applications[0].get("args") or {}, dict):
        raise ValueError(f"{file}: the application's args are settings by name")
    return config, applications[0]


class Server:
    """One running graph: all its processes are our descendants, and none outlives `run`."""

    def __init__(self, composed: Composed) -> None:
        self._settings, self._config = composed.settings, composed.config
        with socket.socket() as probe:  # a clear word now, not a crash of the proxy later
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((self._settings.host, self._settings.port))
            except OSError as error:
                where = f"{self._settings.host}:{self._settings.port}"
                raise ValueError(f"cannot listen on {where}: {error.strerror}") from None

    def run(self) -> int:
        """Serve until a signal or the graph's end; the exit code for the shell."""
        data = self._settings.data_dir
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        config = data / "serve_config.yaml"
        config.touch(mode=0o600)  # a database's URL may hold its password
        config.write_text(yaml.safe_dump(self._config, sort_keys=False), encoding="utf-8")
        _prctl(PR_SET_CHILD_SUBREAPER, 1)  # Ray's daemons stay below us when their parent ends
        child: subprocess.Popen[bytes] | None = None
        stopped = False

        def stop(*_: object) -> None:
            nonlocal stopped
            if stopped:  # asked twice: at once
                give_up()
                return
            stopped = True
            signal.alarm(STOP_S)
            if child is not None:
                child.send_signal(signal.SIGINT)

        def give_up(*_: object) -> None:
            if child is not None:
                child.kill()

        handlers = dict.fromkeys((signal.SIGINT, signal.SIGTERM, signal.SIGHUP), stop) | {signal.SIGALRM: give_up}
        before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
        try:
            child = self._started(config)
            threading.Thread(target=self._announce, args=(child,), daemon=True).start()
            if stopped:  # before there was anyone to tell
                child.send_signal(signal.SIGINT)
            code = child.wait()
        finally:
            signal.alarm(0)
            _end_descendants()
            (data / "server.json").unlink(missing_ok=True)
            _forget(_ray_folder(data / "ray"))
            for number, handler in before.items():
                signal.signal(number, handler)
        return 0 if stopped else code or 1

    def _started(self, config: Path) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "ray.serve.scripts", "run", "--address", "local", str(config)]
        return subprocess.Popen(  # noqa: S603  our own command
            command,
            env=self._environment(),
            start_new_session=True,  # a terminal's Ctrl-C reaches it through us alone
            preexec_fn=lambda: _prctl(PR_SET_PDEATHSIG, signal.SIGINT),  # noqa: PLW1509  it stops, too, if we are killed
        )

    def _announce(self, child: subprocess.Popen[bytes]) -> None:
        """Say once, when it is true, that the server is ready."""
        url = f"http://{self._settings.host}:{self._settings.port}"
        begun, pause = time.monotonic(), threading.Event()
        while child.poll() is None:
            with contextlib.suppress(httpx.HTTPError):
                if httpx.get(f"{url}/readyz", timeout=10, trust_env=False).status_code == httpx.codes.OK:
                    seconds = time.monotonic() - begun
                    sys.stdout.write(
                        f"\nPagemill is ready after {seconds:.0f} s: {url}\n"
                        f"all calls: {url}/docs   data: {self._settings.data_dir}   Ctrl-C stops it\n\n"
                    )
                    sys.stdout.flush()
                    return
            pause.wait(1.0)  # nothing tells another process that the graph is up

    def _environment(self) -> dict[str, str]:
        """Without our variables, which are in the config by now; nothing calls out, and Ray's files lie in DATA."""
        ours = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
        quiet = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_DISABLE_IMPORT_WARNING": "1", "RAY_DEDUP_LOGS": "0"}
        ours = {"RAY_worker_niceness": "0"} | ours  # by default behind every other program of the machine: 15
        own = f"{Path(sys.executable).parent}{os.pathsep}{ours.get('PATH', os.defpath)}"
        quiet["PATH"] = own  # `python` of a submitted job is the one that has our packages
        folder = {"RAY_TMPDIR": str(_ray_folder(self._settings.data_dir / "ray"))}
        if "RAY_AUTH_MODE" in ours:  # the cluster's own way
            return ours | quiet | folder
        token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(_token(self._settings.data_dir / "ray_token"))}
        return ours | quiet | folder | token


def _token(file: Path) -> Path:
    """The file of the secret without which nobody connects to our Ray; made once, for our eyes only."""
    with contextlib.suppress(FileExistsError), open(file, "x", opener=_for_us) as made:
        made.write(secrets.token_hex(32))
    return file


def _for_us(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _prctl(option: int, value: int) -> None:
    ctypes.CDLL(None).prctl(option, value)


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


def _end_descendants() -> None:
    """SIGTERM, then SIGKILL, to every process below us; Ray's own shutdown leaves none, a crash may."""
    for end in (psutil.Process.terminate, psutil.Process.kill):
        left = psutil.Process().children(recursive=True)
        for process in left:
            with contextlib.suppress(psutil.NoSuchProcess):
                end(process)
        psutil.wait_procs(left, timeout=KILL_S)
