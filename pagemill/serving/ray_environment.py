"""Environment variables of the server's processes: Ray's temporary folder, loopback ports and token."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import sys
import tempfile
from pathlib import Path

from configs import Settings
from configs.settings_sources import VARIABLE_PREFIX
from pagemill.serving.memory_watch import memory_variables

MAX_RAY_FOLDER_BYTES = 32  # its dashboard's sockets add up to 75 bytes, and a socket's path has at most 107
LOOPBACK_ENVIRONMENT = {
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"
}  # without a cluster, all of Ray's ports are on 127.0.0.1


def ray_environment(settings: Settings) -> dict[str, str]:
    """Without our variables, which are in the config by now, but the folder by which a submitted job finds us;
    nothing calls out, Ray's files lie in DATA, and its ports are on loopback."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith(VARIABLE_PREFIX)}
    ours |= {f"{VARIABLE_PREFIX}DATA_DIR": str(settings.data_dir)}
    quiet = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_DISABLE_IMPORT_WARNING": "1", "RAY_DEDUP_LOGS": "0"}
    quiet |= LOOPBACK_ENVIRONMENT
    quiet["RAY_SERVE_HTTP_PROXY_CALLBACK_IMPORT_PATH"] = "deployments.ingress.serve_proxy.proxy:middlewares"
    quiet["RAY_FULL_DASHBOARD"] = "1" if settings.ray_dashboard else "0"
    quiet["RAY_HTTP_API"] = "1" if settings.ray_api else "0"
    ours = {"RAY_worker_niceness": "0"} | ours  # by default behind every other program of the machine: 15
    ours = {"MALLOC_ARENA_MAX": "2"} | ours  # fewer heaps, so that less of what is freed stays; a fixed trim threshold
    # would stop glibc from adapting: models then give back and take again the memory of each pass
    ours = memory_variables(settings.memory_threshold) | ours
    own = f"{Path(sys.executable).parent}{os.pathsep}{ours.get('PATH', os.defpath)}"
    quiet["PATH"] = own  # `python` of a submitted job is the one that has our packages
    folder = {"RAY_TMPDIR": str(ray_folder(settings.data_dir / "ray"))}
    if "RAY_AUTH_MODE" in ours:  # the cluster's own way
        return ours | quiet | folder
    token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(_token(settings.data_dir / "ray_token"))}
    return ours | quiet | folder | token


def _token(file: Path) -> Path:
    """The file of the secret without which nobody connects to our Ray; made once, for our eyes only."""
    with contextlib.suppress(FileExistsError), open(file, "x", opener=_for_us) as token_file:
        token_file.write(secrets.token_hex(32))
    return file


def _for_us(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def ray_folder(folder: Path) -> Path:
    """`folder`, or a short link to it where its path is too long for Ray's sockets."""
    folder.mkdir(parents=True, exist_ok=True)
    if len(os.fsencode(folder)) <= MAX_RAY_FOLDER_BYTES:
        return folder
    link = Path(tempfile.gettempdir()) / f"pagemill-{hashlib.sha256(os.fsencode(folder)).hexdigest()[:8]}"
    with contextlib.suppress(FileExistsError):
        link.symlink_to(folder)
    if link.lstat().st_uid != os.getuid() or not link.is_symlink() or link.readlink() != folder:
        raise ValueError(f"{link} already exists: it belongs to another user, or is not a link to {folder}")
    return link


def forget(folder: Path) -> None:
    """Remove the link to Ray's folder, where there is one."""
    if folder.is_symlink():
        folder.unlink()
