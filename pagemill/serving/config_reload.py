"""`pagemill serve --reload`: deploys the config file again when it changes; an invalid file is reported and ignored."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

import yaml
from pydantic import ValidationError
from watchfiles import watch

from pagemill.commands.terminal_text import plain
from pagemill.serving.serve_config import Composed

# settings of processes that a reload does not restart
FIXED_SETTINGS = ("host", "port", "data_dir", "ray_dashboard", "ray_api", "memory_threshold")
DEPLOY_TIMEOUT_S = 120.0


class NotDeployed(Exception):
    """The cluster did not take the config; the message says why."""


class Reload:
    """Deploys `file` again after each change of it; `deploy` hands a composed config to the running cluster."""

    def __init__(
        self,
        file: Path,
        running: Composed,
        compose: Callable[[], Composed],
        deploy: Callable[[Composed], None],
        say: Callable[[str], None],
    ) -> None:
        self._file = file.absolute()
        self._running = running
        self._compose = compose
        self._deploy = deploy
        self._say = say
        self._known: bytes | None = None  # its content when it was looked at last

    def follow(self, stop: threading.Event) -> None:
        """Return when `stop` is set. A change that was made since the start, before this call, is one, too.

        Whatever happens in the folder is a reason to look: editors and mounted configs put another file in its place.
        A watch's own time-out is one as well, since some file systems tell nothing, and none tells what was before.
        """
        for _ in watch(self._file.parent, watch_filter=None, stop_event=stop, recursive=False, yield_on_timeout=True):
            self._again()

    def _again(self) -> None:
        content = self._file.read_bytes() if self._file.is_file() else None
        if content == self._known:
            return
        self._known = content
        try:
            expected = self._compose()
            if expected.config == self._running.config:
                return
            for name in FIXED_SETTINGS:
                if getattr(expected.settings, name) != getattr(self._running.settings, name):
                    raise ValueError(f"a change of {name} needs a restart")
            self._deploy(expected)
        except (ValidationError, ValueError, OSError, NotDeployed) as error:
            self._say(f"{self._file.name} is not deployed: {plain(error)}")
            return
        self._running = expected
        self._say(f"{self._file.name} has changed: deploying it")


def deploy(composed: Composed, environment: Mapping[str, str]) -> None:
    """Hand a config to the cluster that `server.json` in its data folder names. Raises NotDeployed."""
    data = composed.settings.data_dir
    config = data / "serve_config.yaml"
    config.write_text(yaml.safe_dump(composed.config, sort_keys=False), encoding="utf-8")
    try:
        address = json.loads((data / "server.json").read_text(encoding="utf-8"))["jobs_address"]
        command = [sys.executable, "-m", "ray.serve.scripts", "deploy", "--address", str(address), str(config)]
        subprocess.run(  # noqa: S603
            command, env=dict(environment), check=True, capture_output=True, text=True, timeout=DEPLOY_TIMEOUT_S
        )
    except subprocess.CalledProcessError as error:
        raise NotDeployed(str(error.stderr).strip().splitlines()[-1]) from None
    except (OSError, ValueError, KeyError, subprocess.TimeoutExpired) as error:
        raise NotDeployed(f"the cluster cannot be reached: {error}") from None
