"""`pagemill doctor`: whether a server could start here and do its work; says each fault and how to mend it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.markup import escape

from configs import Settings, fields
from configs.settings import HOME
from pagemill import checks
from pagemill.checks import Check, Outcome
from pagemill.compose import compose
from pagemill.connection import AsJson, write_json
from pagemill.plain_words import plain

MARKS: dict[Outcome, str] = {"good": "[green]good [/]", "note": "[yellow]note [/]", "fault": "[red]fault[/]"}


def doctor(
    config: Annotated[Path, typer.Option(help="the Serve config file that the server would start from")] = HOME
    / "serve_config.yaml",
    setting: Annotated[
        list[str] | None, typer.Option("--setting", "-s", help="NAME=VALUE, as in port=8123 or ocr.model=/models/got")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Look at settings, versions, weights, GPU, folders, port, disk and memory. Exit code 1 if there is a fault."""
    found = examine(config, setting or [])
    if as_json:
        write_json({"healthy": _healthy(found), "checks": [each.model_dump(mode="json") for each in found]})
    else:
        console = Console(highlight=False)
        for each in found:
            console.print(f"{MARKS[each.outcome]}  {each.name:<9} {escape(each.found)}", soft_wrap=True)
            if each.mend:
                console.print(f"                 [bold]→[/] {escape(each.mend)}", soft_wrap=True)
    raise typer.Exit(0 if _healthy(found) else 1)


def examine(config: Path, named: list[str]) -> list[Check]:
    """All checks; those that need settings are left out where there are none."""
    found = [checks.python(), *checks.packages()]
    try:
        settings = compose(config, _options(named)).settings
    except (ValidationError, ValueError, OSError) as error:
        mend = "mend the file, the PAGEMILL_* variable or the option; docs/settings.md lists all"
        return [*found, Check(name="settings", outcome="fault", found=plain(error), mend=mend)]
    where = f"{config}, {sum(name.startswith('PAGEMILL_') for name in os.environ)} variables, {len(named)} options"
    return [
        *found,
        Check(name="settings", outcome="good", found=where),
        *checks.weights(settings),
        *checks.gpu(settings),
        *checks.folders(settings),
        checks.port(settings),
        *checks.space(settings),
    ]


def _options(named: list[str]) -> dict[str, str]:
    known = {field.name for field in fields(Settings)}
    options: dict[str, str] = {}
    for each in named:
        name, sign, value = each.partition("=")
        if not sign or name not in known:
            raise ValueError(f"{each!r} is no setting as NAME=VALUE")
        options[name] = value
    return options


def _healthy(found: list[Check]) -> bool:
    return all(each.outcome != "fault" for each in found)
