"""A job's facts as the Document that every result format is written from."""

from __future__ import annotations

from collections.abc import Sequence

from deployments.jobs.values import Plan
from documents.assemble import assemble
from documents.values import Document, Opened, Page


def document_of(plan: Plan, opened: Opened, pages: Sequence[Page]) -> Document:
    """The same facts give the same Document; the caller's own metadata stand over the file's."""
    told = opened.model_copy(update={"metadata": opened.metadata | plan.options.metadata})
    return assemble(plan.document_id, plan.revision, told, pages)
