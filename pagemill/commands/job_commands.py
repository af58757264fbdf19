"""`pagemill jobs` and `pagemill cancel`: lists and cancels jobs."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table

from pagemill.client import Client
from pagemill.commands.server_discovery import (
    EXIT_FAILED,
    INTERACTIVE_RETRIES,
    ApiKey,
    AsJson,
    Url,
    error_output,
    server_url,
    write_json,
)
from pagemill.commands.terminal_text import visible
from pagemill.errors import Refused
from pagemill.values import Job, JobStatus

STATUS_NOT_FOUND = 404
COLOURS = {"succeeded": "green", "partial": "yellow", "failed": "red", "cancelled": "dim"}


def jobs(
    job_id: Annotated[str | None, typer.Argument(help="one job, with its pages; unset: the newest jobs")] = None,
    status: Annotated[JobStatus | None, typer.Option(help="only jobs with this status")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="maximum number of jobs")] = 20,
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """List recent jobs, or show one with its pages."""
    with error_output(as_json=as_json), Client(server_url(url), api_key=api_key, retries=INTERACTIVE_RETRIES) as client:
        shown_jobs = (client.job(job_id),) if job_id is not None else client.jobs(status=status, limit=limit)
    if as_json:
        jobs_json = [job.model_dump(mode="json") for job in shown_jobs]
        write_json(jobs_json[0] if job_id is not None else {"jobs": jobs_json})
        return
    console = Console(highlight=False)
    _list(console, shown_jobs)
    if job_id is not None:
        console.print(_pages(shown_jobs[0]))


def cancel(
    job_ids: Annotated[list[str], typer.Argument(help="jobs to cancel; finished pages are kept")],
    url: Url = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
) -> None:
    """Cancel jobs; ended ones stay as they are. Exit code 1 if a job is unknown; the others are cancelled."""
    cancelled_jobs: list[Job] = []
    unknown: list[Refused] = []
    with error_output(as_json=as_json), Client(server_url(url), api_key=api_key, retries=INTERACTIVE_RETRIES) as client:
        for job_id in job_ids:
            try:
                cancelled_jobs.append(client.cancel(job_id))
            except Refused as refused:
                if refused.problem.status != STATUS_NOT_FOUND:
                    raise
                unknown.append(refused)
        if unknown and not cancelled_jobs:
            raise unknown[0]
    if as_json:
        problems = [refusal.problem.model_dump(mode="json") for refusal in unknown]
        write_json({"jobs": [job.model_dump(mode="json") for job in cancelled_jobs], "problems": problems})
    else:
        _list(Console(highlight=False), tuple(cancelled_jobs))
        for refusal in unknown:
            Console(stderr=True, highlight=False).print(
                f"[red]error[/] {escape(visible(str(refusal)))}", soft_wrap=True
            )
    raise typer.Exit(EXIT_FAILED if unknown else 0)


def _list(console: Console, shown_jobs: tuple[Job, ...]) -> None:
    """One line per job, which fits into 80 columns; what went wrong below it, whole."""
    widths = {"job": 36, "file": 8, "status": 9, "pages": 5, "seconds": 7, "begun": 5}
    columns = [Column(name, no_wrap=name not in ("file", "begun"), min_width=width) for name, width in widths.items()]
    table = Table(*columns, box=None, pad_edge=False)
    for job in shown_jobs:
        seconds = "" if job.finished_at is None else f"{(job.finished_at - job.created_at).total_seconds():.1f}"
        table.add_row(
            job.id,
            escape(visible(job.file_name)),
            f"[{COLOURS.get(job.status, 'cyan')}]{job.status}[/]",
            "" if job.num_pages is None else str(job.num_pages),
            seconds,
            job.created_at.astimezone().strftime("%m-%d %H:%M"),
        )
    console.print(table)
    for job in shown_jobs:
        if job.error is not None:
            why = f"{job.id} {job.file_name}: {job.error.message} ({job.error.code})"
            console.print(f"[red]{job.status}[/] {escape(visible(why))}", soft_wrap=True)


def _pages(job: Job) -> Table:
    table = Table("page", "status", "text from", "warnings", box=None, pad_edge=False)
    for page in job.pages:
        notes = [warning.message for warning in page.warnings] + ([page.error.message] if page.error else [])
        table.add_row(str(page.number), page.status, page.text_source or "", escape(visible("; ".join(notes))))
    return table
