"""Finds the pages of a new revision that are as in an earlier one: these are taken over and not read again.

Pages are compared by what they draw and say, so it does not matter where in the file they stand. Whatever cannot be
compared is read.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections.abc import Mapping
from typing import NamedTuple

from deployments.calls.cancellable_calls import together
from deployments.jobs.pipeline_work import Work
from deployments.jobs.store.job_records import JobRecords
from deployments.jobs.store.store_thread import StoreThread
from deployments.values.jobs import Plan
from documents.media_types import PAGE_TYPES
from documents.values import Page

logger = logging.getLogger("ray.serve")
MAX_COMPARED = 8  # pages of an earlier revision that are compared at once


class EarlierPage(NamedTuple):
    """Where a page was read before."""

    job_id: str
    revision: int
    number: int


class ComparedPage(NamedTuple):
    """A page of the new revision; `page` and `revision` are set if an earlier one has the same."""

    fingerprint: str | None = None
    page: Page | None = None
    revision: int | None = None


class Revisions:
    """Compares a document with its earlier revision."""

    def __init__(self, work: Work, records: JobRecords, read_result: StoreThread) -> None:
        self._work = work
        self._records = records
        self._read_result = read_result.retry_until_done

    async def reading_key(self, plan: Plan) -> str | None:
        """Equal for jobs that read a page alike; None: pages of this kind of file are not compared."""
        if plan.media_type not in PAGE_TYPES:
            return None
        options = plan.options
        made_by = [*await self._work.readers(), options.text_source, options.ocr_mode]
        return hashlib.sha256(json.dumps(made_by).encode()).hexdigest()

    async def earlier_pages(self, plan: Plan, reading_key: str | None) -> Mapping[str, EarlierPage]:
        """Pages of the document's last revision that was read alike, by their fingerprints; none may be missing in
        part.
        """
        if reading_key is None or not plan.options.reuse_pages:
            return {}
        earlier = await self._read_result(lambda: self._records.earlier_reading(plan, reading_key))
        if earlier is None:
            return {}
        places = asyncio.Semaphore(MAX_COMPARED)

        async def fingerprint(number: int, known: str | None) -> str | None:
            async with places:
                return known or await self._fingerprint(earlier.plan, number)

        made = await together(fingerprint(number, known) for number, known in earlier.fingerprints.items())
        job_id, revision = earlier.plan.job_id, earlier.plan.revision
        pages = zip(made, earlier.fingerprints, strict=True)
        return {digest: EarlierPage(job_id, revision, number) for digest, number in pages if digest is not None}

    async def compared(self, plan: Plan, number: int, earlier: Mapping[str, EarlierPage]) -> ComparedPage:
        """The page as an earlier revision has it, under its number of now."""
        if not earlier:
            return ComparedPage()
        fingerprint = await self._fingerprint(plan, number)
        if fingerprint is None or (same := earlier.get(fingerprint)) is None:
            return ComparedPage(fingerprint)
        try:
            (text,) = await self._read_result(lambda: self._records.page_texts(same.job_id, [same.number]))
        except Exception:  # it was forgotten meanwhile
            logger.exception("page %d of job %s could not be taken over", number, plan.job_id)
            return ComparedPage(fingerprint)
        page = await asyncio.to_thread(Page.model_validate_json, text)
        self._work.count_reused()
        return ComparedPage(fingerprint, page.at(number), same.revision)

    async def _fingerprint(self, plan: Plan, number: int) -> str | None:
        try:
            return await self._work.fingerprint(plan, number)
        except Exception as error:  # reading it will say what is wrong
            logger.info("page %d of job %s is not compared: %s", number, plan.job_id, error)
            return None
