"""`pagemill extract`: the values of a schema from a file or a document, with the pages where they stand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from pagemill.client import Client
from pagemill.connection import IMPATIENT, ApiKey, AsJson, Url, error_output, server_url, write_json
from pagemill.readable import visible
from pagemill.values import ExtractedField, Extraction


def extract(
    document: Annotated[str, typer.Argument(help="a file, which is ingested first, or the id of a document or job")],
    schema: Annotated[str, typer.Option(help="a file with a JSON schema, or the name of one that the server has")],
    pages: Annotated[str | None, typer.Option(help="which pages, as in `1-3,7`")] = None,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """Extract the values of a JSON schema; each comes with the page and the place where it is printed."""
    schema_or_name = _schema(schema)
    with error_output(as_json=as_json), Client(server_url(url), api_key=api_key, retries=IMPATIENT) as client:
        if Path(document).is_file():
            job = client.ingest(Path(document), wait_s=None)
            extraction = client.extract(schema_or_name, job_id=job.id, pages=pages)
        elif document.startswith("job_"):
            extraction = client.extract(schema_or_name, job_id=document, pages=pages)
        else:
            extraction = client.extract(schema_or_name, document_id=document, pages=pages)
    if as_json:
        write_json(extraction.model_dump(mode="json"))
        return
    show(Console(highlight=False), extraction)


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
