"""`pagemill doctor` as a person meets it: a process of its own, in an environment with everything wrong."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

WRONG = "Metadata-Version: 2.1\nName: ray\nVersion: 2.9.3\n"


@pytest.fixture
def old_ray(tmp_path: Path) -> dict[str, str]:
    """An environment in which the first Ray on the path is one that cannot work."""
    metadata = tmp_path / "old" / "ray-2.9.3.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(WRONG)
    ours = {name: value for name, value in os.environ.items() if not name.startswith("PAGEMILL_")}
    paths = [str(tmp_path / "old"), *filter(None, [os.environ.get("PYTHONPATH")])]
    return ours | {"PYTHONPATH": os.pathsep.join(paths), "COLUMNS": "200"}


def doctor(environment: dict[str, str], *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pagemill", "doctor", *options]
    return subprocess.run(command, env=environment, check=False, capture_output=True, text=True)


def test_a_wrong_version_a_missing_folder_and_a_taken_port_are_each_told_with_what_mends_it(
    old_ray: dict[str, str], tmp_path: Path
) -> None:
    """Guards against the first fault hiding the others, and against one without a way out."""
    missing = tmp_path / "models" / "got"
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        options = ("-s", f"port={port}", "-s", f"ocr.model={missing}", "-s", f"data_dir={tmp_path}")
        as_text, as_json = doctor(old_ray, *options), doctor(old_ray, *options, "--json")
    assert (as_text.returncode, as_json.returncode) == (1, 1), as_text.stderr
    errors = {check["name"]: check for check in json.loads(as_json.stdout)["checks"] if check["outcome"] == "error"}
    assert set(errors) == {"versions", "weights", "port"}
    expected = {
        "versions": ("ray 2.9.3; >=2.60 is needed", "pip install -c constraints.txt"),
        "weights": (f"there is no {missing}", "set ocr.model"),
        "port": (f"127.0.0.1:{port} is taken", "--port "),
    }
    for name, (detail, fix) in expected.items():
        assert detail in errors[name]["detail"]
        assert fix in errors[name]["fix"]
        assert detail in as_text.stdout
        assert fix in as_text.stdout


def test_a_folder_that_cannot_be_is_told(old_ray: dict[str, str], tmp_path: Path) -> None:
    """Guards against a keys file or data folder that is only found missing when the server starts."""
    (tmp_path / "file").touch()
    report = doctor(old_ray, "-s", f"data_dir={tmp_path}/file/data", "--json")
    errors = {check["name"]: check for check in json.loads(report.stdout)["checks"] if check["outcome"] == "error"}
    assert f"{tmp_path}/file is not a folder" in errors["folders"]["detail"]
    absent = doctor(old_ray, "-s", f"keys_file={tmp_path}/keys.yaml", "--json")
    errors = {check["name"]: check for check in json.loads(absent.stdout)["checks"] if check["outcome"] == "error"}
    assert "keys.yaml" in errors["settings"]["detail"]
