"""Progress bars and result lines of `pagemill ingest` on the terminal."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from pagemill.commands.terminal_text import plural, visible
from pagemill.ingesting.ingest_log import Entry
from pagemill.ingesting.ingest_summary import sources_line
from pagemill.partial_page import PartialPage
from pagemill.values import Event

STATUS_LABELS = {"succeeded": "[green]done[/]", "partial": "[yellow]partial[/]"}


@dataclass(slots=True)
class _Bar:
    """How far one document is: pages that have ended, and regions (read, to read) of those that OCR reads now."""

    task: TaskID
    ended: set[int] = field(default_factory=set)
    regions: dict[int, tuple[int, int]] = field(default_factory=dict)

    def finish(self, number: int) -> None:
        self.ended.add(number)
        self.regions.pop(number, None)

    @property
    def pages_done(self) -> float:
        """A page that is being read counts as the share of its regions that is read."""
        return len(self.ended) + sum(num_read / num_to_read for num_read, num_to_read in self.regions.values())

    @property
    def stage(self) -> str:
        if not self.regions:
            return "reading"
        num_read, num_to_read = map(sum, zip(*self.regions.values(), strict=True))
        return f"reading, {num_read} of {plural(num_to_read, 'region')}"


class ProgressBars:
    """ProgressBars on a terminal; elsewhere only the lines. All of it goes to standard error."""

    def __init__(self, num_files: int, *, lines: bool = True, console: Console | None = None) -> None:
        self._console = console or Console(stderr=True, highlight=False)
        self._lines = lines
        self._num_pages = 0
        self._begun = time.monotonic()
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[stage]}"),
            TimeElapsedColumn(),
            TextColumn("[dim]left[/]"),
            TimeRemainingColumn(),
            console=self._console,
            disable=not self._console.is_terminal,
        )
        self._all = self._progress.add_task("all documents", total=num_files, stage="")
        self._bars: dict[str, _Bar] = {}

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._progress.stop()

    @property
    def shows_regions(self) -> bool:
        return self._console.is_terminal

    def began(self, output: str, name: str) -> None:
        """A file is sent."""
        self._bars[output] = _Bar(self._progress.add_task(escape(visible(name)), total=None, stage="sending"))

    def happened(self, output: str, event: Event) -> None:
        """An event of its job: the number of its pages, a page that ended, a stage."""
        bar = self._bars[output]
        if event.kind == "running":
            self._progress.update(bar.task, total=event.body.get("pages"), stage="reading")
        elif event.kind == "page":
            bar.finish(event.body["number"])
            self._draw(bar)
            self._num_pages += 1
            rate = self._num_pages / max(time.monotonic() - self._begun, 0.001)
            self._progress.update(self._all, stage=f"{rate:.1f} pages/s")
        elif event.kind in ("queued", "indexing"):
            self._progress.update(bar.task, stage=event.kind)

    def read_on(self, output: str, page: PartialPage) -> None:
        """OCR has read more of a page; what comes after the page's end changes nothing."""
        bar = self._bars[output]
        if page.number not in bar.ended and page.num_to_read:
            bar.regions[page.number] = page.num_read, page.num_to_read
            self._draw(bar)

    def _draw(self, bar: _Bar) -> None:
        self._progress.update(bar.task, completed=bar.pages_done, stage=bar.stage)

    def ended(self, entry: Entry, *, again: bool) -> None:
        """A file has ended, now or in a run before."""
        if (bar := self._bars.pop(entry.output, None)) is not None:
            self._progress.remove_task(bar.task)
        self._progress.advance(self._all)
        if self._lines:
            self._console.print(line_of(entry, again=again), soft_wrap=True)


def line_of(entry: Entry, *, again: bool) -> str:
    """One line about a file that has ended, as rich's markup."""
    mark = STATUS_LABELS.get(entry.status, f"[red]{entry.status}[/]")
    if entry.has_result and entry.is_damaged:
        mark = "[yellow]damaged[/]"
    if not entry.has_result:
        why = "" if entry.error is None else f": {entry.error.message} ({entry.error.code})"
        return f"{mark} {escape(visible(entry.source + why))}"
    before = " [dim]before[/]" if again else ""
    return f"{mark}{before} {escape(visible(entry.output + _facts(entry)))}"


def _facts(entry: Entry) -> str:
    """Pages, what is missing of them, seconds, where the text came from, warnings: what is known of these."""
    facts: list[str] = []
    if entry.num_pages is not None:
        facts.append(plural(entry.num_pages, "page"))
    if entry.failed_pages:
        noun = "page" if len(entry.failed_pages) == 1 else "pages"
        facts.append(f"without {noun} {', '.join(map(str, entry.failed_pages))}")
    if entry.seconds is not None:
        facts.append(f"{entry.seconds:.1f} s")
    if entry.text_sources:
        facts.append(sources_line(entry.text_sources))
    if entry.warnings:
        facts.append(plural(len(entry.warnings), "warning"))
    return f" ({', '.join(facts)})" if facts else ""
