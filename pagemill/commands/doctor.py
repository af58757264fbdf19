"""`pagemill doctor`: runs the checks and prints what is wrong and how to fix it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.markup import escape

from configs import Settings, fields
from pagemill.commands import doctor_checks
from pagemill.commands.doctor_checks import Check, Outcome
from pagemill.commands.server_discovery import AsJson, write_json
from pagemill.commands.terminal_text import plain
from pagemill.serving.serve_config import PACKAGED_CONFIG, compose

MARKS: dict[Outcome, str] = {"good": "[green]good [/]", "note": "[yellow]note [/]", "error": "[red]error[/]"}


def doctor(
    config: Annotated[Path, typer.Option(help="the Serve config file to check")] = PACKAGED_CONFIG,
    setting: Annotated[
        list[str] | None, typer.Option("--setting", "-s", help="NAME=VALUE, as in port=8123 or ocr.model=/models/got")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check settings, versions, weights, processor, GPU, folders, port, disk, memory. Exit code 1: an error."""
    results = examine(config, setting or [])
    if as_json:
        write_json({"healthy": _healthy(results), "checks": [check.model_dump(mode="json") for check in results]})
    else:
        console = Console(highlight=False)
        for check in results:
            console.print(f"{MARKS[check.outcome]}  {check.name:<9} {escape(check.detail)}", soft_wrap=True)
            if check.fix:
                console.print(f"                 [bold]→[/] {escape(check.fix)}", soft_wrap=True)
    raise typer.Exit(0 if _healthy(results) else 1)


def examine(config: Path, named: list[str]) -> list[Check]:
    """All checks; those that need settings are left out where there are none."""
    results = [doctor_checks.python(), doctor_checks.processor(), *doctor_checks.packages()]
    try:
        settings = compose(config, _options(named)).settings
    except (ValidationError, ValueError, OSError) as error:
        fix = "fix the setting in the file, the PAGEMILL_* variable or the option; docs/settings.md lists all"
        return [*results, Check(name="settings", outcome="error", detail=plain(error), fix=fix)]
    where = f"{config}, {sum(name.startswith('PAGEMILL_') for name in os.environ)} variables, {len(named)} options"
    return [
        *results,
        Check(name="settings", outcome="good", detail=where),
        *doctor_checks.weights(settings),
        *doctor_checks.gpu(settings),
        *doctor_checks.folders(settings),
        doctor_checks.port(settings),
        *doctor_checks.space(settings),
    ]


def _options(named: list[str]) -> dict[str, str]:
    names = {field.name for field in fields(Settings)}
    options: dict[str, str] = {}
    for assignment in named:
        name, separator, value = assignment.partition("=")
        if not separator or name not in names:
            raise ValueError(f"{assignment!r} is not a setting as NAME=VALUE")
        options[name] = value
    return options


def _healthy(results: list[Check]) -> bool:
    return all(check.outcome != "error" for check in results)
