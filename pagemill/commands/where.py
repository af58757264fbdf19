"""`pagemill where`: prints the addresses of a running server and its Ray cluster, for `ray job submit`."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from pagemill.commands.server_discovery import AsJson, error_output, write_json
from pagemill.errors import PagemillError

DataDir = Annotated[
    Path,
    typer.Option("--data-dir", envvar="PAGEMILL_DATA_DIR", help="the data folder of the server", show_default=True),
]


def where(data_dir: DataDir = Path("data"), as_json: AsJson = False) -> None:
    """Print where a server and its Ray are, as variables for a shell: eval "$(pagemill where)"; ray job submit ..."""
    with error_output(as_json=as_json):
        server = _server_of(data_dir)
    if as_json:
        write_json(server)
        return
    variables = {
        "PAGEMILL_URL": server["url"],
        "PAGEMILL_DATA_DIR": str(data_dir.resolve()),
        "RAY_ADDRESS": server.get("jobs_address"),
        **server["environment"],
    }
    for name, value in variables.items():
        if value is not None:
            typer.echo(f"export {name}={shlex.quote(value)}")


def _server_of(data_dir: Path) -> dict[str, Any]:
    file = data_dir / "server.json"
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        why = f"no server is running with the data folder {data_dir} ({os.strerror(error.errno or 0)}: {file.name})"
        raise PagemillError(f"{why}; --data-dir selects another") from None
