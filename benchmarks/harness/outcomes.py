"""How a document ended at a server: its outcome, what became of each page, and what must never happen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from pagemill.values import Job, Problem

BY_LIMIT = frozenset({"file_too_large", "too_many_pages", "image_too_large"})  # refused on purpose: no page is lost
TroubleKind = Literal["internal", "rule_failed", "lost"]


class BrokenResult(NamedTuple):
    """A format in which a document that was read could not be had."""

    format: str
    code: str
    request_id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One document after its job, or after the door refused it."""

    folder: str
    file: str
    ending: str  # done, done with warnings, partial, refused: CODE, failed: CODE, not ended
    seconds: float = 0.0
    code: str | None = None  # of the refusal or of the job's error
    job_id: str | None = None
    request_id: str | None = None
    num_pages: int = 0
    read: frozenset[int] = frozenset()  # pages that succeeded
    failed: Mapping[int, str] = field(default_factory=dict)  # page to code
    broken_rules: tuple[tuple[int | None, str], ...] = ()  # page and message of each warning `rule_failed`
    broken_results: tuple[BrokenResult, ...] = ()

    @property
    def may_have_lost(self) -> bool:
        """Whether a page that can be drawn may be missing."""
        return self.code not in BY_LIMIT and (not self.num_pages or len(self.read) < self.num_pages)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """Something of ours that broke, and where its trace is found."""

    kind: TroubleKind
    folder: str
    file: str
    message: str
    page: int | None = None
    job_id: str | None = None
    request_id: str | None = None


def of_job(folder: str, file: str, job: Job, seconds: float, broken_results: Sequence[BrokenResult] = ()) -> Outcome:
    """The outcome of a document that became a job."""
    return Outcome(
        folder=folder,
        file=file,
        ending=_ending(job),
        seconds=seconds,
        code=job.error.code if job.error else None,
        job_id=job.id,
        num_pages=job.num_pages or 0,
        read=frozenset(page.number for page in job.pages if page.status == "succeeded"),
        failed={
            page.number: page.error.code if page.error else "unknown" for page in job.pages if page.status == "failed"
        },
        broken_rules=tuple((one.page, one.message) for one in job.warnings if one.code == "rule_failed"),
        broken_results=tuple(broken_results),
    )


def of_refusal(folder: str, file: str, problem: Problem, seconds: float) -> Outcome:
    """The outcome of a document that the door refused."""
    return Outcome(
        folder=folder,
        file=file,
        ending=f"refused: {problem.code}",
        seconds=seconds,
        code=problem.code,
        request_id=problem.request_id,
    )


def troubles(outcome: Outcome, drawable: Collection[int]) -> list[Trouble]:
    """Every internal error, failed rule, and page that is `drawable` and was not read, in the order of pages."""

    def trouble(kind: TroubleKind, message: str, page: int | None = None, request_id: str | None = None) -> Trouble:
        return Trouble(
            kind=kind,
            folder=outcome.folder,
            file=outcome.file,
            message=message,
            page=page,
            job_id=outcome.job_id,
            request_id=request_id,
        )

    internal_pages = [page for page, code in sorted(outcome.failed.items()) if code == "internal"]
    problems = [trouble("internal", "the page failed", page) for page in internal_pages]
    if outcome.code == "internal":
        problems.append(trouble("internal", outcome.ending, request_id=outcome.request_id))
    problems += [
        trouble("internal", f"the result as {result.format}: {result.code}", request_id=result.request_id)
        for result in outcome.broken_results
    ]
    problems += [trouble("rule_failed", message, page) for page, message in outcome.broken_rules]
    if outcome.may_have_lost:
        lost = sorted(set(drawable) - outcome.read)
        problems += [trouble("lost", outcome.failed.get(page, outcome.ending), page) for page in lost]
    return problems


def by_ending(outcomes: Sequence[Outcome], problems: Sequence[Trouble]) -> list[dict[str, Any]]:
    """A row for each folder and ending, in order of first mention of the folder, then by number of files."""
    lost = Counter((one.folder, one.file) for one in problems if one.kind == "lost")
    counts = Counter((outcome.folder, outcome.ending) for outcome in outcomes)
    folders = list(dict.fromkeys(outcome.folder for outcome in outcomes))
    rows: list[dict[str, Any]] = []
    for folder, ending in sorted(counts, key=lambda pair: (folders.index(pair[0]), -counts[pair], pair[1])):
        these = [outcome for outcome in outcomes if (outcome.folder, outcome.ending) == (folder, ending)]
        rows.append(
            {
                "folder": folder,
                "outcome": ending,
                "files": len(these),
                "pages_done": sum(len(outcome.read) for outcome in these),
                "pages_failed": sum(len(outcome.failed) for outcome in these),
                "pages_lost": sum(lost[folder, outcome.file] for outcome in these),
                "longest_s": max(outcome.seconds for outcome in these),
            }
        )
    return rows


def _ending(job: Job) -> str:
    if job.error is not None:
        return f"failed: {job.error.code}"
    if job.status == "succeeded":
        return "done with warnings" if job.warnings else "done"
    return "partial" if job.status == "partial" else "not ended"
