"""`pagemill.ingesting.ingest_progress`: what is drawn of an ingestion."""

from __future__ import annotations

import io
from datetime import UTC, datetime

from rich.console import Console

from pagemill.ingesting.ingest_log import Entry
from pagemill.ingesting.ingest_progress import ProgressBars, line_of
from pagemill.partial_page import PartialPage, PartialRegion
from pagemill.places import BoundingBox
from pagemill.values import Event

NAME = "a [bold] name.pdf"


def event(kind: str, **body: object) -> Event:
    return Event(id=1, kind=kind, body=body, created_at=datetime(2026, 1, 1, tzinfo=UTC))


def draw(bars: ProgressBars) -> None:
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


def partial_page(number: int, *texts: str | None) -> PartialPage:
    box = BoundingBox(x0=0, y0=0, x1=9, y1=9)
    regions = (
        PartialRegion(kind="figure", box=box),
        *(PartialRegion(kind="text", box=box, text=text) for text in texts),
    )
    return PartialPage(number=number, size=(100, 100), regions=regions, num_to_read=len(texts))


def test_a_scan_says_how_many_of_its_regions_are_read_until_its_page_ends() -> None:
    """Guards against a bar that stands at 0 of 1 for half a minute, and against one that goes back."""
    console = Console(file=io.StringIO(), force_terminal=True, width=120, color_system=None)
    bars = ProgressBars(1, console=console)
    states: list[tuple[float, str]] = []

    def look() -> None:
        task = bars._progress.tasks[-1]
        states.append((task.completed, task.fields["stage"]))

    with bars:
        bars.began("a.md", "a.pdf")
        bars.happened("a.md", event("running", num_pages=2, pages=2))
        for page in (partial_page(1, None, None, None, None), partial_page(1, "A", None, "", None)):
            bars.read_on("a.md", page)
            look()
        bars.read_on("a.md", partial_page(2, None, "B"))
        look()
        bars.happened("a.md", event("page", number=1))
        bars.read_on("a.md", partial_page(1, "A", "B", "C", None))  # over another connection: it may come late
        look()
        bars.happened("a.md", event("page", number=2))
        look()
    assert bars.shows_regions
    assert states == [
        (0.0, "reading, 0 of 4 regions"),
        (0.5, "reading, 2 of 4 regions"),
        (1.0, "reading, 3 of 6 regions"),
        (1.5, "reading, 1 of 2 regions"),
        (2.0, "reading"),
    ]


def test_a_page_that_is_read_as_a_whole_has_no_regions_to_count() -> None:
    bars = ProgressBars(1, console=Console(file=io.StringIO(), force_terminal=True))
    with bars:
        bars.began("a.md", "a.pdf")
        bars.read_on("a.md", partial_page(1))
        assert bars._progress.tasks[-1].fields["stage"] == "sending"


def test_without_a_terminal_there_are_lines_alone() -> None:
    """Guards against a log that is full of bars, and names that are taken for markup."""
    output = io.StringIO()
    draw(ProgressBars(2, console=Console(file=output, width=20)))
    assert output.getvalue() == "partial a [bold] name.md (9 pages, without page 4)\n"


def test_a_line_says_how_long_it_took_where_the_text_is_from_and_that_there_are_warnings() -> None:
    facts = {"source": "/in/a.pdf", "output": "a.md", "options": "", "sha256": "", "status": "succeeded"}
    known = {"num_pages": 2, "seconds": 1.26, "text_sources": {"ocr": 1, "text_layer": 1}, "warnings": {"x": (1,)}}
    line = line_of(Entry.model_validate(facts | known), again=False)
    assert line == "[green]done[/] a.md (2 pages, 1.3 s, OCR 1, text layer 1, 1 warning)"


def test_a_file_that_was_cut_in_half_is_not_plainly_done() -> None:
    """Guards against `done` over a file of which a page was saved."""
    facts = {"source": "/in/a.pdf", "output": "a.md", "options": "", "sha256": "", "status": "succeeded"}
    line = line_of(Entry.model_validate(facts | {"num_pages": 1, "warnings": {"repaired": ()}}), again=False)
    assert line == "[yellow]damaged[/] a.md (1 page, 1 warning)"
