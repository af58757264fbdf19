"""`pagemill bench`: runs a benchmark by name."""

from __future__ import annotations

import ast
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from configs.settings import HOME
from pagemill.commands.server_discovery import AsJson, write_json

FOLDER = HOME / "benchmarks"
STDERR = 2  # file descriptor for output that a person reads
SCRIPT_MARKER = 'if __name__ == "__main__":'  # a file of benchmarks/ that contains this line can be run


def bench(
    name: Annotated[str | None, typer.Argument(help="name of the benchmark; unset: list them")] = None,
    further: Annotated[
        list[str] | None, typer.Argument(help="its own options, after --, as in -- --corpus DIR")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="a shorter run, under ten minutes on two cores")] = False,
    as_json: AsJson = False,
) -> None:
    """Run a benchmark; exits with its status. --json prints what `python -m benchmarks.NAME --json` writes."""
    questions = benchmarks()
    if name is None:
        _list(questions, as_json=as_json)
        return
    if name not in questions:
        raise typer.BadParameter(f"{name!r} is not one of {', '.join(questions)}")
    command = [sys.executable, "-m", f"benchmarks.{name}", *(["--quick"] if quick else []), *(further or [])]
    if not as_json:
        raise typer.Exit(subprocess.run(command, cwd=HOME, check=False).returncode)  # noqa: S603  of the list
    with tempfile.TemporaryDirectory(prefix="pagemill-bench-") as folder:
        file = Path(folder) / "figures.json"
        ran = subprocess.run([*command, "--json", str(file)], cwd=HOME, stdout=STDERR, check=False)  # noqa: S603
        if file.exists():
            sys.stdout.write(file.read_text(encoding="utf-8"))
    raise typer.Exit(ran.returncode)


def benchmarks(folder: Path = FOLDER) -> dict[str, str]:
    """The benchmarks that can be run, with the question that each answers; nothing of them is imported.

    What begins with an underscore is run by one of them.
    """
    questions: dict[str, str] = {}
    for file in sorted(folder.glob("[!_]*.py")):
        code = file.read_text(encoding="utf-8")
        if SCRIPT_MARKER in code:
            questions[file.stem] = (ast.get_docstring(ast.parse(code)) or "").split("\n\n")[0].replace("\n", " ")
    return questions


def _list(questions: dict[str, str], *, as_json: bool) -> None:
    if as_json:
        write_json(questions)
        return
    table = Table("benchmark", "question", box=None, pad_edge=False)
    for name, question in questions.items():
        table.add_row(name, escape(question))
    Console(highlight=False).print(table)
