"""`scripts/bare_machine.sh`: a command that runs as where nothing is installed beyond what the README asks for."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NO_NAMESPACE = 77
LOOK = 'command -v tesseract || echo none; ls -A "$HOME"; echo "$(id -u) ${SECRET-}"; command -v python3 make >&2'


def bare(*command: str, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    """The command, ended; skips where no namespace can be made."""
    environment = os.environ | {"SECRET": "kept from it"}
    if path is not None:
        environment["PATH"] = f"{path}:{environment['PATH']}"
    done = subprocess.run(
        [str(ROOT / "scripts" / "bare_machine.sh"), *command],
        check=False,
        env=environment,
        capture_output=True,
        text=True,
    )
    if done.returncode == NO_NAMESPACE:
        pytest.skip(done.stderr.strip())
    return done


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder of programs that holds one called tesseract."""
    program = tmp_path / "tesseract"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return tmp_path


def test_what_set_up_does_not_install_is_not_there(installed: Path) -> None:
    """Guards against a rehearsal that is green because nothing was hidden."""
    done = bare("bash", "-c", LOOK, path=installed)
    assert done.stdout.splitlines() == ["none", "0 "], done.stderr
    assert len(done.stderr.splitlines()) == 2, "Python and make stay"


def test_the_headers_of_python_are_not_there() -> None:
    """Guards against a test that needs Python.h, which a Python outside of /usr/include brings along."""
    code = "import pathlib, sysconfig; print(pathlib.Path(sysconfig.get_path('include'), 'Python.h').exists())"
    assert bare("python3", "-c", code).stdout == "False\n"


def test_the_machine_itself_is_as_it_was(installed: Path) -> None:
    """Guards against a rehearsal that uninstalls what it hides."""
    assert bare("true", path=installed).returncode == 0
    assert (installed / "tesseract").is_file()


def test_the_exit_status_is_the_command_s() -> None:
    """Guards against a rehearsal that is green whatever the tests say."""
    assert bare("sh", "-c", "exit 3").returncode == 3
