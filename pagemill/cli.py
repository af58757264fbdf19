"""The command `pagemill` and its subcommands; options of `pagemill serve` come from the settings."""

from __future__ import annotations

import inspect
import json
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from configs import Settings, earlier_names, fields
from configs.api_keys import KeyEntry, new_key
from configs.data_lock import DataFolderInUse
from pagemill.commands.bench import bench
from pagemill.commands.convert_checkpoint import convert
from pagemill.commands.doctor import doctor
from pagemill.commands.doctor_checks import processor
from pagemill.commands.extract import extract, extraction
from pagemill.commands.ingest import ingest
from pagemill.commands.job_commands import cancel, jobs
from pagemill.commands.query import query
from pagemill.commands.serve import Server
from pagemill.commands.server_discovery import AsJson, write_json
from pagemill.commands.terminal_text import plain
from pagemill.commands.where import where
from pagemill.serving.serve_config import compose, default_config

app = typer.Typer(
    help="Documents to citable text.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(show: bool) -> None:
    if show:
        typer.echo(f"pagemill {metadata.version('pagemill')}")
        raise typer.Exit


@app.callback()
def pagemill(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="print the version and exit")
    ] = False,
) -> None:
    """Documents to citable text."""


def serve(config: Path | None, reload: bool, verbose: bool, **options: str | None) -> None:
    """Start the server and stay until Ctrl-C. Precedence: options, then PAGEMILL_* variables, then the file."""
    if (check := processor()).outcome == "error":  # a clear word now, not an illegal instruction later
        raise typer.BadParameter(f"the server cannot run on this processor: {check.detail}; {check.fix}")
    config = config or default_config()
    named = {name.replace("__", "."): value for name, value in options.items()}
    again = partial(compose, config, named)
    try:
        server = Server(again(), (config, again) if reload else None, verbose=verbose)
    except (ValidationError, ValueError, OSError) as error:
        raise typer.BadParameter(plain(error)) from None
    try:
        code = server.run()
    except DataFolderInUse as error:
        raise typer.BadParameter(str(error)) from None
    raise typer.Exit(code)


def convert_checkpoint(
    source: Annotated[Path, typer.Argument(help="the published .pt file, or a folder that contains one", exists=True)],
    folder: Annotated[Path, typer.Argument(help="folder for config.json and model.safetensors")],
    as_json: AsJson = False,
) -> None:
    """Turn a published layout checkpoint, a pickle, into safetensors; the server does it by itself at first load."""
    code = convert(source, folder)
    if as_json:
        write_json({"source": str(source), "folder": str(folder), "converted": code == 0})
    raise typer.Exit(code)


def _with_settings(command: Any) -> Any:
    """The command with one option per setting; typer reads them from the signature."""
    parameters = [
        inspect.Parameter(
            "config",
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[
                Path | None,
                typer.Option(
                    help="the Serve config file to start from; default ./serve_config.yaml, or the packaged one"
                ),
            ],
        ),
        inspect.Parameter(
            "reload",
            inspect.Parameter.KEYWORD_ONLY,
            default=False,
            annotation=Annotated[bool, typer.Option("--reload", help="deploy the config file again when it changes")],
        ),
        inspect.Parameter(
            "verbose",
            inspect.Parameter.KEYWORD_ONLY,
            default=False,
            annotation=Annotated[bool, typer.Option("--verbose", help="print all output of Ray, as in DATA/logs")],
        ),
    ]
    for field in fields(Settings):
        panel = field.path[0].capitalize() if len(field.path) > 1 else "Server"
        option = typer.Option(
            field.option,
            *earlier_names.OPTIONS.get(field.name, ()),
            help=f"{field.info.description} (default: {field.default_text})",
            rich_help_panel=panel,
            show_default=False,
        )
        parameters.append(
            inspect.Parameter(
                "__".join(field.path),
                inspect.Parameter.KEYWORD_ONLY,
                default=None,
                annotation=Annotated[str | None, option],
            )
        )
    command.__signature__ = inspect.Signature(parameters)
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


def key(
    name: Annotated[str, typer.Argument(help="name of the key's owner")],
    namespace: Annotated[str, typer.Option(help="keys of the same namespace see the same documents")] = "default",
    role: Annotated[list[str] | None, typer.Option(help="ingest, query or admin; may be repeated")] = None,
    as_json: AsJson = False,
) -> None:
    """Make an API key: the key for its owner, and the entry for the file that `keys_file` names."""
    secret, sha256 = new_key()
    try:
        entry = KeyEntry.model_validate(
            {"name": name, "sha256": sha256, "namespace": namespace, "roles": role or ["ingest", "query"]}
        )
    except ValidationError as error:
        raise typer.BadParameter(plain(error)) from None
    entry_fields = {"name": entry.name, "sha256": sha256, "namespace": entry.namespace, "roles": sorted(entry.roles)}
    if as_json:
        write_json({"key": secret, "entry": entry_fields})
        return
    typer.echo(f"the key, shown only now: {secret}\n\nkeys:\n  - {json.dumps(entry_fields)}")


for command in (_with_settings(serve), ingest, query, extract, extraction, jobs, cancel, doctor, bench, where, key):
    app.command()(command)
app.command(name="convert")(convert_checkpoint)


def main() -> None:
    """The entry point of the command line."""
    app()
