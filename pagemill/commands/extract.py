"""`pagemill extract` and `pagemill extraction`: prints the values of a schema with the pages where they stand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from pagemill.client import Client
from pagemill.commands.server_discovery import (
    EXIT_FAILED,
    INTERACTIVE_RETRIES,
    ApiKey,
    AsJson,
    Url,
    error_output,
    server_url,
    write_json,
)
from pagemill.commands.terminal_text import visible
from pagemill.stored_extraction import StoredExtraction
from pagemill.values import ExtractedField, Extraction


def extract(
    document: Annotated[str, typer.Argument(help="a file, which is ingested first, or the id of a document or job")],
    schema: Annotated[str, typer.Option(help="a file with a JSON schema, or the name of a schema on the server")],
    pages: Annotated[str | None, typer.Option(help="pages, as in `1-3,7`")] = None,
    stored: Annotated[bool, typer.Option("--stored", help="store the extraction and print its id")] = False,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """Extract the values of a JSON schema; each comes with the page and the place where it is printed."""
    schema_or_name = _schema(schema)
    with error_output(as_json=as_json), Client(server_url(url), api_key=api_key, retries=INTERACTIVE_RETRIES) as client:
        target = _target(client, document)
        if stored:
            stored_extraction = client.store_extraction(schema_or_name, pages=pages, **target)
            _show_stored(stored_extraction, as_json=as_json)
            return
        extraction = client.extract(schema_or_name, pages=pages, **target)
    if as_json:
        write_json(extraction.model_dump(mode="json"))
        return
    show(Console(highlight=False), extraction)


def extraction(
    extraction_id: Annotated[str, typer.Argument(help="the id that `pagemill extract --stored` printed")],
    cancel: Annotated[bool, typer.Option("--cancel", help="end it")] = False,
    wait: Annotated[float, typer.Option(min=0, help="seconds to wait for its end")] = 0,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """Show the values of a stored extraction, or its progress. Exit code 1 if it failed or was cancelled."""
    with error_output(as_json=as_json), Client(server_url(url), api_key=api_key, retries=INTERACTIVE_RETRIES) as client:
        stored_extraction = (
            client.cancel_extraction(extraction_id) if cancel else client.wait_extraction(extraction_id, wait)
        )
        values = client.extraction_result(extraction_id) if stored_extraction.status == "succeeded" else None
    if values is None:
        _show_stored(stored_extraction, as_json=as_json)
        if stored_extraction.done and not cancel:
            raise typer.Exit(EXIT_FAILED)
    elif as_json:
        write_json(values.model_dump(mode="json"))
    else:
        show(Console(highlight=False), values)


def _target(client: Client, document: str) -> dict[str, str]:
    if Path(document).is_file():
        return {"job_id": client.ingest(Path(document), wait_s=None).id}
    return {"job_id" if document.startswith("job_") else "document_id": document}


def _show_stored(stored_extraction: StoredExtraction, *, as_json: bool) -> None:
    if as_json:
        write_json(stored_extraction.model_dump(mode="json"))
        return
    calls = f"{stored_extraction.calls_done} of {stored_extraction.calls_total or '?'} calls"
    error = "" if stored_extraction.error is None else f": {visible(stored_extraction.error.message)}"
    console = Console(highlight=False)
    console.print(Text(f"{stored_extraction.id}  {stored_extraction.status}{error}  ({calls})"), soft_wrap=True)


def show(console: Console, extraction: Extraction) -> None:
    """A line for each value, and how many of them stand nowhere."""
    for name, field in extraction.leaves():
        line = Text(f"{name}: ", style="bold")
        line.append(visible(json.dumps(field.value, ensure_ascii=False)), style="default")
        line.append(f"  {_place(field)}", style="dim" if field.page else "yellow")
        console.print(line, soft_wrap=True)
    if extraction.num_unplaced:
        console.print(f"[yellow]{extraction.num_unplaced} not found on the pages: check them[/]")


def _place(field: ExtractedField) -> str:
    if field.page is None:
        return "" if isinstance(field.value, bool | None) else "not found on the pages"
    doubtful = f", read with {field.confidence:.0%}" if field.confidence is not None and field.confidence < 1 else ""
    source = "" if field.match == "exact" else f" as {visible(field.source_text or '')!r}"
    return f"page {field.page}{source}{doubtful}"


def _schema(schema: str) -> dict[str, Any] | str:
    """The JSON of a file, or a name. A path that is no file is no name."""
    path = Path(schema)
    if not path.is_file():
        if path.suffix or "/" in schema:
            raise typer.BadParameter(f"there is no file {schema}", param_hint="--schema")
        return schema
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise typer.BadParameter(f"{schema} is not JSON: {error}", param_hint="--schema") from None
