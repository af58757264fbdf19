"""`pagemill ingest`: its options, and resuming an interrupted run."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError
from rich.console import Console

from pagemill.async_client import AsyncClient
from pagemill.commands.server_discovery import (
    EXIT_INTERRUPTED,
    ApiKey,
    AsJson,
    Url,
    error_output,
    server_url,
    write_json,
)
from pagemill.commands.terminal_text import plain
from pagemill.ingesting.bulk_ingest import BulkIngest, exit_code
from pagemill.ingesting.ingest_log import Entry, IngestLog
from pagemill.ingesting.ingest_progress import ProgressBars
from pagemill.ingesting.ingest_summary import summary
from pagemill.ingesting.input_files import NoSuchFile, SourceFile, find
from pagemill.ingesting.local_server import local_server
from pagemill.values import Format, Options

# folder below the output folder; a local server that was killed resumes its jobs from it
LOCAL_DATA_FOLDER = ".pagemill"


def ingest(
    paths: Annotated[list[str], typer.Argument(help="files, folders, or patterns such as 'in/**/*.pdf'")],
    out: Annotated[Path, typer.Option(help="folder for the results and the log")],
    format: Annotated[Format, typer.Option(help="of the results")] = "md",  # noqa: A002  the option's name
    option: Annotated[list[str] | None, typer.Option("--option", "-o", help="NAME=VALUE, as in `options`")] = None,
    concurrency: Annotated[int, typer.Option(min=1, max=64, help="documents processed concurrently")] = 4,
    local: Annotated[bool, typer.Option("--local", help="start a server for this command only")] = False,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """Read documents. Exit code 0: all pages of all files; 3: some are missing; 1: no file produced a result.

    Run again with the same --out, it resumes: finished files are skipped, running jobs followed, failures retried.
    """
    try:
        files, options = find(paths), _options(option or [])
        out.mkdir(parents=True, exist_ok=True)
    except (NoSuchFile, ValueError) as error:
        raise typer.BadParameter(str(error)) from None
    except OSError as error:
        raise typer.BadParameter(f"--out {out}: {error.strerror}") from None
    started_at = time.monotonic()
    with error_output(as_json=as_json):
        try:
            with _server(url, local=local, folder=out / LOCAL_DATA_FOLDER) as address:
                entries = asyncio.run(_all(files, out, format, options, concurrency, address, api_key, as_json=as_json))
        except KeyboardInterrupt:
            Console(stderr=True).print("stopped; run the same command again to resume")
            raise typer.Exit(EXIT_INTERRUPTED) from None
    seconds = time.monotonic() - started_at
    if as_json:
        write_json(
            {
                "seconds": round(seconds, 1),
                "documents": [entry.model_dump(mode="json", exclude={"options"}) for entry in entries],
            }
        )
    else:
        Console(stderr=True, highlight=False, markup=False, soft_wrap=True).print("\n".join(summary(entries, seconds)))
    raise typer.Exit(exit_code(entries))


async def _all(
    files: list[SourceFile],
    out: Path,
    format: Format,  # noqa: A002  the option's name
    options: Options,
    concurrency: int,
    url: str,
    api_key: str | None,
    *,
    as_json: bool,
) -> list[Entry]:
    async with AsyncClient(url, api_key=api_key) as client:
        with ProgressBars(len(files), lines=not as_json) as bars:
            bulk_ingest = BulkIngest(
                client=client,
                folder=out,
                format=format,
                options=options,
                log=IngestLog(out),
                watcher=bars,
                concurrency=concurrency,
            )
            return await bulk_ingest.run(files)


@contextlib.contextmanager
def _server(url: str | None, *, local: bool, folder: Path) -> Iterator[str]:
    if not local:
        yield server_url(url)
        return
    if url is not None:
        raise typer.BadParameter("use either --local or --url, not both")
    Console(stderr=True).print("starting a server for this command ...")
    with local_server(folder.resolve()) as running:
        yield running.url


def _options(assignments: list[str]) -> Options:
    """`pages=1-3` and such; a fact of `metadata` is `metadata.NAME=VALUE`."""
    values: dict[str, Any] = {}
    for assignment in assignments:
        name, separator, value = assignment.partition("=")
        if not separator:
            raise ValueError(f"an option is NAME=VALUE; not {assignment!r}")
        if name.startswith("metadata."):
            values.setdefault("metadata", {})[name.removeprefix("metadata.")] = value
        else:
            values[name] = value
    if "document_id" in values:
        raise ValueError("document_id can only be set for a single document; use the client or the HTTP call")
    try:
        return Options.model_validate(values)
    except ValidationError as error:
        names = ", ".join(name for name in Options.model_fields if name != "document_id")
        raise ValueError(f"option {plain(error)}; known: {names}") from None
