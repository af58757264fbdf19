"""What a person sees of an ingestion: a bar for each document on its way, a line for each that has ended."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from pagemill.ingest_log import Entry
from pagemill.readable import plural, visible
from pagemill.values import Event

MARKS = {"succeeded": "[green]done[/]", "partial": "[yellow]partial[/]"}


class ProgressBars:
    """ProgressBars on a terminal; elsewhere only the lines. All of it goes to standard error."""

    def __init__(self, num_files: int, *, lines: bool = True, console: Console | None = None) -> None:
        self._console = console or Console(stderr=True, highlight=False)
        self._lines = lines
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[stage]}"),
            TimeElapsedColumn(),
            console=self._console,
            disable=not self._console.is_terminal,
        )
        self._all = self._progress.add_task("all documents", total=num_files, stage="")
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._progress.stop()

    def began(self, output: str, name: str) -> None:
        """A file is sent."""
        self._tasks[output] = self._progress.add_task(escape(visible(name)), total=None, stage="sending")

    def happened(self, output: str, event: Event) -> None:
        """An event of its job: the number of its pages, a page that ended, a stage."""
        task = self._tasks[output]
        if event.kind == "running":
            self._progress.update(task, total=event.body.get("pages"), stage="reading")
        elif event.kind == "page":
            self._progress.advance(task)
        elif event.kind in ("queued", "indexing"):
            self._progress.update(task, stage=event.kind)

    def ended(self, entry: Entry, *, again: bool) -> None:
        """A file has ended, now or in a run before."""
        if (task := self._tasks.pop(entry.output, None)) is not None:
            self._progress.remove_task(task)
        self._progress.advance(self._all)
        if self._lines:
            self._console.print(line_of(entry, again=again), soft_wrap=True)


def line_of(entry: Entry, *, again: bool) -> str:
    """One line about a file that has ended, as rich's markup."""
    mark = MARKS.get(entry.status, f"[red]{entry.status}[/]")
    if not entry.has_result:
        why = "" if entry.error is None else f": {entry.error.message} ({entry.error.code})"
        return f"{mark} {escape(visible(entry.source + why))}"
    lost = f", without pages {', '.join(map(str, entry.failed_pages))}" if entry.failed_pages else ""
    pages = "" if entry.num_pages is None else f" ({plural(entry.num_pages, 'page')}{lost})"
    before = " [dim]before[/]" if again else ""
    return f"{mark}{before} {escape(visible(entry.output + pages))}"
