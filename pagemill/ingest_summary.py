"""The last lines of an ingestion: how many files ended how, and every warning with the pages that it is about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pagemill.ingest_log import Entry
from pagemill.readable import visible
from pagemill.values import Job, PageWarning

MAX_FILES = 5  # that are named per warning
MAX_PAGES = 10  # that are named per file


def pages_by_warning(job: Job) -> dict[str, tuple[int, ...]]:
    """What a job warns of, each with its pages from the first; without pages where it is of the document.

    That is the warning's code, and the name of the rule where one failed.
    """
    pages: dict[str, set[int]] = {}
    for page in job.pages:
        for warning in page.warnings:
            pages.setdefault(_name(warning), set()).add(page.number)
    for warning in job.warnings:
        of_warning = pages.setdefault(_name(warning), set())
        if warning.page is not None:
            of_warning.add(warning.page)
    return {code: tuple(sorted(numbers)) for code, numbers in sorted(pages.items())}


def summary(entries: Sequence[Entry]) -> list[str]:
    """Lines of plain text."""
    statuses = Counter(entry.status for entry in entries)
    documents = "document" if len(entries) == 1 else "documents"
    lines = [f"{len(entries)} {documents}: " + ", ".join(f"{count} {status}" for status, count in statuses.items())]
    codes = sorted({code for entry in entries for code in entry.warnings})
    return lines + [_line(code, [entry for entry in entries if code in entry.warnings]) for code in codes]


def _name(warning: PageWarning) -> str:
    return f"{warning.code} {warning.rule}" if warning.rule else warning.code


def _line(code: str, entries: Sequence[Entry]) -> str:
    named = ", ".join(visible(entry.output) + _pages(entry.warnings[code]) for entry in entries[:MAX_FILES])
    more = f" and {len(entries) - MAX_FILES} more" if len(entries) > MAX_FILES else ""
    return f"warning {code}: {named}{more}"


def _pages(numbers: Sequence[int]) -> str:
    if not numbers:
        return ""
    more = ", ..." if len(numbers) > MAX_PAGES else ""
    return f" (page {', '.join(map(str, numbers[:MAX_PAGES]))}{more})"
