"""`pagemill ingest`: files, folders and patterns to results in a folder; run again, it goes on where it was."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError
from rich.console import Console

from pagemill.async_client import AsyncClient
from pagemill.bars import Bars
from pagemill.connection import INTERRUPTED, ApiKey, AsJson, Url, server_url, told, write_json
from pagemill.files import NoSuchFile, SourceFile, find
from pagemill.ingest_summary import summary
from pagemill.intake import Intake, exit_code
from pagemill.local import local_server
from pagemill.plain_words import plain
from pagemill.record import Entry, Record
from pagemill.values import Format, Options

LOCAL_DATA = ".pagemill"  # below the out folder: a local server that was killed goes on with its jobs


def ingest(
    paths: Annotated[list[str], typer.Argument(help="files, folders, or patterns such as 'in/**/*.pdf'")],
    out: Annotated[Path, typer.Option(help="folder of the results and of the record of what is done")],
    format: Annotated[Format, typer.Option(help="of the results")] = "md",  # noqa: A002  the option's name
    option: Annotated[list[str] | None, typer.Option("--option", "-o", help="NAME=VALUE, as in `options`")] = None,
    concurrency: Annotated[int, typer.Option(min=1, max=64, help="documents on their way at once")] = 4,
    local: Annotated[bool, typer.Option("--local", help="start a server for this command alone, and stop it")] = False,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """Read documents. Exit code 0: all pages of all files; 3: some files or pages are missing; 1: none is there.

    Run again with the same --out it goes on: what is done stays, what is on its way is followed, what failed is tried.
    """
    try:
        files, options = find(paths), _options(option or [])
        out.mkdir(parents=True, exist_ok=True)
    except (NoSuchFile, ValueError) as error:
        raise typer.BadParameter(str(error)) from None
    except OSError as error:
        raise typer.BadParameter(f"--out {out}: {error.strerror}") from None
    with told(as_json=as_json):
        try:
            with _server(url, local=local, folder=out / LOCAL_DATA) as address:
                entries = asyncio.run(_all(files, out, format, options, concurrency, address, api_key, as_json=as_json))
        except KeyboardInterrupt:
            Console(stderr=True).print("stopped; the same command goes on where it was")
            raise typer.Exit(INTERRUPTED) from None
    if as_json:
        write_json({"documents": [each.model_dump(mode="json", exclude={"asked"}) for each in entries]})
    else:
        Console(stderr=True, highlight=False, markup=False, soft_wrap=True).print("\n".join(summary(entries)))
    raise typer.Exit(exit_code(entries))


async def _all(
    files: list[SourceFile],
    out: Path,
    wanted: Format,
    options: Options,
    concurrency: int,
    url: str,
    api_key: str | None,
    *,
    as_json: bool,
) -> list[Entry]:
    async with AsyncClient(url, api_key=api_key) as client:
        with Bars(len(files), lines=not as_json) as bars:
            intake = Intake(
                client=client,
                folder=out,
                format=wanted,
                options=options,
                record=Record(out),
                watcher=bars,
                concurrency=concurrency,
            )
            return await intake.run(files)


@contextlib.contextmanager
def _server(url: str | None, *, local: bool, folder: Path) -> Iterator[str]:
    if not local:
        yield server_url(url)
        return
    if url is not None:
        raise typer.BadParameter("--local starts a server, --url names one: choose")
    Console(stderr=True).print("starting a server for this command ...")
    with local_server(folder.resolve()) as running:
        yield running.url


def _options(given: list[str]) -> Options:
    """`pages=1-3` and such; a fact of `metadata` is `metadata.NAME=VALUE`."""
    values: dict[str, Any] = {}
    for each in given:
        name, sign, value = each.partition("=")
        if not sign:
            raise ValueError(f"an option is NAME=VALUE; not {each!r}")
        if name.startswith("metadata."):
            values.setdefault("metadata", {})[name.removeprefix("metadata.")] = value
        else:
            values[name] = value
    if "document_id" in values:
        raise ValueError("document_id is of one document; use the client or the HTTP call")
    try:
        return Options.model_validate(values)
    except ValidationError as error:
        known = ", ".join(name for name in Options.model_fields if name != "document_id")
        raise ValueError(f"option {plain(error)}; known: {known}") from None
