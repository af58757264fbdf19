"""The Document that values are taken from: the chosen pages of a job that has ended."""

from __future__ import annotations

from collections.abc import Sequence

from deployments.jobs.page_ranges import select_pages
from deployments.jobs.result import result_of
from deployments.jobs.values import Job, Plan
from documents.values import Document, Opened, Page


class NoSuchPages(ValueError):
    """Pages that are no ranges, or none of which was read."""


def chosen_document(plan: Plan, opened: Opened, pages: Sequence[Page], job: Job, page_ranges: str | None) -> Document:
    """Raises NoSuchPages."""
    document = result_of(plan, opened, pages, job)
    if page_ranges is None:
        return document
    try:
        numbers = set(select_pages(page_ranges, opened.num_pages))
    except ValueError as error:
        raise NoSuchPages(str(error)) from None
    chosen_pages = tuple(page for page in document.pages if page.number in numbers)
    if not chosen_pages:
        raise NoSuchPages(f"none of {page_ranges} exists; the document has {opened.num_pages}")
    return document.model_copy(update={"pages": chosen_pages})
