"""`pagemill.progress`: what is drawn of an ingestion."""

from __future__ import annotations

import io
from datetime import UTC, datetime

from rich.console import Console

from pagemill.ingest_log import Entry
from pagemill.progress import ProgressBars
from pagemill.values import Event

NAME = "a [bold] name.pdf"


def draw(bars: ProgressBars) -> None:
    def event(kind: str, **body: object) -> Event:
        return Event(id=1, kind=kind, body=body, created_at=datetime(2026, 1, 1, tzinfo=UTC))

    with bars:
        bars.began("a.md", NAME)
        bars.happened("a.md", event("running", num_pages=9, pages=4))
        for number in (1, 2, 3):
            bars.happened("a.md", event("page", number=number))
        bars._progress.refresh()
        entry = Entry(
            source=f"/in/{NAME}",
            output="a [bold] name.md",
            options="",
            sha256="",
            status="partial",
            num_pages=9,
            failed_pages=(4,),
        )
        bars.ended(entry, again=False)


def test_a_bar_counts_the_pages_that_were_chosen() -> None:
    """Guards against a bar that stands still, and one of nine pages where four were asked for."""
    output = io.StringIO()
    draw(ProgressBars(2, console=Console(file=output, force_terminal=True, width=120, color_system=None)))
    assert f"{NAME} " in output.getvalue()
    assert "3/4" in output.getvalue()
    assert "1/2" in output.getvalue()


def test_without_a_terminal_there_are_lines_alone() -> None:
    """Guards against a log that is full of bars, and names that are taken for markup."""
    output = io.StringIO()
    draw(ProgressBars(2, console=Console(file=output, width=20)))
    assert output.getvalue() == "partial a [bold] name.md (9 pages, without pages 4)\n"
