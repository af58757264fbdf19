"""What `pagemill ingest` prints at its end: how many files succeeded or failed, and all warnings with their pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from pagemill.commands.terminal_text import plural, visible
from pagemill.ingesting.ingest_log import Entry
from pagemill.values import Job, PageWarning

MAX_FILES = 5  # maximum number of files listed per warning
SOURCE_NAMES = {"text_layer": "text layer", "ocr": "OCR", "mixed": "both"}
MAX_PAGES = 10  # maximum number of pages listed per file


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


def pages_by_source(job: Job) -> dict[str, int]:
    """How many pages of a job have their text from where."""
    return dict(Counter(page.text_source for page in job.pages if page.text_source is not None))


def sources_line(num_pages: Mapping[str, int]) -> str:
    """`text layer 3, OCR 1`; without numbers where all pages have the same; empty where nothing is known."""
    if len(num_pages) == 1:
        return "".join(SOURCE_NAMES.get(source, source) for source in num_pages)
    return ", ".join(f"{SOURCE_NAMES.get(source, source)} {count}" for source, count in sorted(num_pages.items()))


def summary(entries: Sequence[Entry], seconds: float | None = None) -> list[str]:
    """Lines of plain text; `seconds`: what the whole took."""
    statuses = Counter(entry.status for entry in entries)
    lines = [
        f"{plural(len(entries), 'document')}: " + ", ".join(f"{count} {status}" for status, count in statuses.items())
    ]
    pages = Counter[str]()
    for entry in entries:
        pages.update(entry.text_sources)
    if pages:
        lines.append(f"{plural(pages.total(), 'page')}, text from: {sources_line(pages)}")
    if seconds:
        num_read = sum(sum(entry.text_sources.values()) for entry in entries if not entry.is_earlier)
        rate = f", {num_read / seconds:.1f} pages per second" if num_read else ""
        lines.append(f"{seconds:.1f} s{rate}")
    if damaged := [entry for entry in entries if entry.is_damaged]:
        names = ", ".join(f"{visible(entry.output)} ({saved(entry)})" for entry in damaged[:MAX_FILES])
        more = f" and {len(damaged) - MAX_FILES} more" if len(damaged) > MAX_FILES else ""
        lines.append(f"damaged, recovered in part: {names}{more}")
    codes = sorted({code for entry in entries for code in entry.warnings})
    return lines + [_line(code, [entry for entry in entries if code in entry.warnings]) for code in codes]


def saved(entry: Entry) -> str:
    """What there is of a damaged file: pages whose text was read, of those that it still names."""
    num_pages = entry.num_pages or 0
    return f"{num_pages - len(entry.failed_pages)} of {plural(num_pages, 'page')}"


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
