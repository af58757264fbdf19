"""Finds the server's URL for every command: option, `PAGEMILL_URL`, `server.json` of the data folder, default;
`--json` output.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit, urlunsplit

import typer
from rich.console import Console
from rich.markup import escape

from pagemill.commands.terminal_text import visible
from pagemill.errors import PagemillError, Refused, Unreachable
from pagemill.http.client_retries import Retries
from pagemill.http.http_calls import DEFAULT_URL

Url = Annotated[
    str | None,
    typer.Option(
        "--url", envvar="PAGEMILL_URL", help="address of the server; unset: the one in the data folder, else port 8000"
    ),
]


def _sendable(key: str | None) -> str | None:
    if key is not None and not (key.isascii() and key.isprintable()):
        raise typer.BadParameter("a key has only printable ASCII characters")
    return key


ApiKey = Annotated[
    str | None,
    typer.Option(
        "--api-key", envvar="PAGEMILL_API_KEY", help="API key, if the server requires one", callback=_sendable
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="print one JSON value on standard output and nothing else")]
EXIT_FAILED = 1  # exit status after an error
EXIT_INTERRUPTED = 130  # exit status after Ctrl-C, as shells have it
INTERACTIVE_RETRIES = Retries(max_attempts=3)  # a person waits for the result
NO_SERVER = "is a server running? `make serve` starts one, --url selects another, `pagemill doctor` finds problems"


def server_url(named: str | None) -> str:
    """The address of the server; what listens on every address is asked on this machine's own.

    Raises:
        BadParameter: what was named is no address.
    """
    if not named:
        return _of_data_folder() or DEFAULT_URL
    url = (named if "://" in named else f"http://{named}").rstrip("/")
    try:
        parts = urlsplit(url)
        wrong = parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0
    except ValueError:
        wrong = True
    if wrong:
        raise typer.BadParameter(f"--url {named!r}: an address is like {DEFAULT_URL}")
    return url


def _of_data_folder() -> str | None:
    file = Path(os.environ.get("PAGEMILL_DATA_DIR", "data")) / "server.json"
    try:
        url = urlsplit(str(json.loads(file.read_text(encoding="utf-8"))["url"]))
        host, port = url.hostname, url.port
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if not host or not port:
        return None
    host = "127.0.0.1" if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host  # noqa: S104  read, not bound
    return urlunsplit((url.scheme, f"{host}:{port}", "", "", ""))


@contextlib.contextmanager
def error_output(*, as_json: bool) -> Iterator[None]:
    """An error of the client ends the command with one line about it, or with the error as JSON."""
    try:
        yield
    except (PagemillError, OSError) as error:
        if as_json:
            problem = error.problem.model_dump(mode="json") if isinstance(error, Refused) else None
            write_json({"error": str(error), "problem": problem})
        else:
            line = f"[red]error[/] {escape(visible(_hinted(error)))}"
            Console(stderr=True, highlight=False).print(line, soft_wrap=True)
        raise typer.Exit(EXIT_FAILED) from None


def _hinted(error: PagemillError | OSError) -> str:
    hints = {401: "pass a key with --api-key or PAGEMILL_API_KEY", 403: "this key's role does not allow it"}
    if isinstance(error, Refused):
        hint = hints.get(error.problem.status)
    else:
        hint = NO_SERVER if isinstance(error, Unreachable) else None
    return f"{error}" + (f"\n      {hint}" if hint else "")


def write_json(value: Any) -> None:
    """One JSON value, for programs."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")
