"""What `pagemill serve` shows on the terminal: progress of the start, then a line per job and warning."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.status import Status

from pagemill.commands.terminal_text import plural, visible
from pagemill.serving.server_output import JobEnd, Message, Notice, Parts

COLOURS = {"succeeded": "green", "partial": "yellow", "failed": "red", "cancelled": "dim"}
NOTICE_INTERVAL_S = 60.0  # an equal notice is shown at most once in this time


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where a person finds the server and its files."""

    url: str
    data: Path
    log: Path


class ServerDisplay:
    """The terminal of one server; safe to call from several threads, as the console is."""

    def __init__(self, addresses: Addresses, console: Console | None = None) -> None:
        self._addresses = addresses
        self._console = console or Console(highlight=False, soft_wrap=True)
        self._status: Status | None = None
        self._running: Mapping[str, bool] = {}
        self._shown: dict[Notice, float] = {}
        self._started = time.monotonic()

    def start(self) -> None:
        """A start begins, the first or another one."""
        self._running = {}
        self._started = time.monotonic()
        if self._console.is_terminal:
            self._status = self._console.status("Starting Ray")
            self._status.start()
        else:
            self._console.print("starting Ray")

    def take(self, message: Message) -> None:
        """Show what a part of the server says."""
        match message:
            case Parts(running):
                self._show_parts(running)
            case JobEnd():
                self._console.print(job_line(message))
            case Notice():
                self._show_notice(message)

    def ready(self) -> None:
        """Everything runs and is loaded."""
        self.stop()
        seconds = time.monotonic() - self._started
        at = self._addresses
        self._console.print(f"[bold green]Pagemill is ready[/] after {seconds:.0f} s")
        for name, place in (("page", at.url), ("docs", f"{at.url}/docs"), ("data", at.data), ("log", at.log)):
            self._console.print(f"  {name:<5} {escape(str(place))}")
        self._console.print("  Ctrl-C stops it")

    def say(self, text: str) -> None:
        """A line of our own."""
        self._console.print(escape(visible(text)))

    def stop(self) -> None:
        """Leave the terminal as it was."""
        if self._status is not None:
            self._status.stop()
            self._status = None

    def _show_parts(self, running: Mapping[str, bool]) -> None:
        fresh = [name for name, runs in running.items() if runs and not self._running.get(name)]
        self._running = running
        num_ready = sum(running.values())
        loading = ", ".join(name for name, runs in running.items() if not runs)
        if self._status is not None:
            self._status.update(
                f"Starting: {num_ready} of {len(running)}" + (f" · loading {loading}" if loading else "")
            )
        elif fresh and not self._console.is_terminal:
            self._console.print(f"started {num_ready} of {len(running)}: {', '.join(fresh)}")

    def _show_notice(self, notice: Notice) -> None:
        now = time.monotonic()
        if now - self._shown.get(notice, float("-inf")) < NOTICE_INTERVAL_S:
            return
        self._shown = {shown_notice: at for shown_notice, at in self._shown.items() if now - at < NOTICE_INTERVAL_S} | {
            notice: now
        }
        colour = "yellow" if notice.level == "WARNING" else "red"
        line = f"[{colour}]{notice.level.lower()}[/] {notice.part}: {escape(visible(notice.message))}"
        self._console.print(line)


def job_line(job: JobEnd) -> str:
    """A line about a job that has ended, as rich's markup."""
    facts = [plural(job.num_pages, "page"), f"{job.seconds:.1f} s"]
    if job.num_warnings:
        facts.append(plural(job.num_warnings, "warning"))
    reason = f": {job.error}" if job.error else ""
    name = escape(visible(job.file_name or job.job_id))
    return f"[{COLOURS.get(job.status, 'cyan')}]{job.status}[/] {name} ({', '.join(facts)}){escape(visible(reason))}"
