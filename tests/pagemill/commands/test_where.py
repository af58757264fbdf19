"""`pagemill where`: a shell that evaluates it knows the server and its Ray."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from typer.testing import CliRunner

from pagemill.cli import app

TOLD = {
    "url": "http://127.0.0.1:8123",
    "ray_address": "192.0.2.1:6379",
    "jobs_address": "http://127.0.0.1:8265",
    "environment": {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": "/a folder/it's here/ray_token"},
}


def test_a_shell_gets_every_variable_whatever_characters_are_in_it(tmp_path: Path) -> None:
    """Guards against a folder with a space or a quote that breaks the line, or runs as a command."""
    (tmp_path / "server.json").write_text(json.dumps(TOLD))
    ran = CliRunner().invoke(app, ["where", "--data-dir", str(tmp_path)])
    command = (
        '; printf "%s|" "$PAGEMILL_URL" "$PAGEMILL_DATA_DIR" "$RAY_ADDRESS" "$RAY_AUTH_MODE" "$RAY_AUTH_TOKEN_PATH"'
    )
    shell = subprocess.run(
        ["sh", "-c", ran.stdout + command.removeprefix("; ")], check=False, capture_output=True, text=True
    )
    expected = [TOLD["url"], str(tmp_path), TOLD["jobs_address"], *TOLD["environment"].values()]
    assert shell.stdout.split("|")[:-1] == expected


def test_a_cluster_without_an_address_for_jobs_is_named_without_it(tmp_path: Path) -> None:
    """Guards against `RAY_ADDRESS=None`."""
    (tmp_path / "server.json").write_text(json.dumps(TOLD | {"jobs_address": None}))
    assert "RAY_ADDRESS" not in CliRunner().invoke(app, ["where", "--data-dir", str(tmp_path)]).stdout


def test_where_no_server_runs_the_command_says_so_and_fails(tmp_path: Path) -> None:
    """Guards against a shell that goes on with the variables of yesterday."""
    ran = CliRunner().invoke(app, ["where", "--data-dir", str(tmp_path)])
    assert (ran.exit_code, ran.stdout, "no server" in ran.stderr) == (1, "", True)
    as_json = CliRunner().invoke(app, ["where", "--data-dir", str(tmp_path), "--json"])
    assert (as_json.exit_code, json.loads(as_json.stdout)["problem"]) == (1, None)
