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

from configs import Settings
from deployments.calls.cancellable_calls import together
from deployments.jobs.pipeline_work import Work
from deployments.jobs.store.job_queries import keep_fingerprints
from deployments.jobs.store.store import JobStore
from deployments.jobs.store.store_thread import StoreThread
from deployments.values.jobs import Plan
from deployments.values.versions import versions
from documents.media_types import PAGE_TYPES
from documents.values import Page

logger = logging.getLogger("ray.serve")
MAX_COMPARED = 8  # pages of an earlier revision that are compared at once
MAX_COMPARE_S = 30.0  # of one page; then it is read


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


def readers_of(settings: Settings) -> str:
    """The version and all settings of what reads pages; the weights of a model are known by its name alone."""
    return versions()["pagemill"] + settings.model_dump_json(include={"layout", "ocr", "renderer"})


def reading_key_of(plan: Plan, readers: str) -> str | None:
    """Equal for jobs that read a page alike; None: pages of this kind of file are not compared."""
    if plan.media_type not in PAGE_TYPES:
        return None
    made_by = [readers, plan.options.text_source, plan.options.ocr_mode]
    return hashlib.sha256(json.dumps(made_by).encode()).hexdigest()


class Revisions:
    """Compares a document with its earlier revision."""

    def __init__(self, work: Work, store: JobStore, stored: StoreThread, read_result: StoreThread) -> None:
        self._work = work
        self._store = store
        self._stored = stored.retry_until_done
        self._read_result = read_result.retry_until_done

    async def earlier_pages(self, plan: Plan, reading_key: str) -> Mapping[str, EarlierPage]:
        """Pages of the document's last revision that was read alike, by their fingerprints; none may be missing in
        part. Fingerprints that had to be made are kept for the next revision.
        """
        earlier = await self._read_result(lambda: self._store.records.earlier_reading(plan, reading_key))
        if earlier is None:
            return {}
        places = asyncio.Semaphore(MAX_COMPARED)

        async def made(number: int) -> str | None:
            async with places:
                return await self._fingerprint(earlier.plan, number)

        unknown = [number for number, fingerprint in earlier.fingerprints.items() if fingerprint is None]
        new = dict(zip(unknown, await together(made(number) for number in unknown), strict=True))
        if new:
            await self._stored(lambda: self._store.change(lambda db: keep_fingerprints(db, earlier.plan.job_id, new)))
        job_id, revision = earlier.plan.job_id, earlier.plan.revision
        known = {**earlier.fingerprints, **new}
        return {digest: EarlierPage(job_id, revision, number) for number, digest in known.items() if digest is not None}

    async def compared(self, plan: Plan, number: int, earlier: Mapping[str, EarlierPage]) -> ComparedPage:
        """The page as an earlier revision has it, under its number of now."""
        if not earlier:
            return ComparedPage()
        fingerprint = await self._fingerprint(plan, number)
        if fingerprint is None or (same := earlier.get(fingerprint)) is None:
            return ComparedPage(fingerprint)
        try:
            (text,) = await self._read_result(lambda: self._store.records.page_texts(same.job_id, [same.number]))
            page = await asyncio.to_thread(Page.model_validate_json, text)
        except Exception:  # it was forgotten meanwhile, or another version wrote it
            logger.exception("page %d of job %s could not be taken over", number, plan.job_id)
            return ComparedPage(fingerprint)
        self._work.count_reused()
        return ComparedPage(fingerprint, page.at(number), same.revision)

    async def _fingerprint(self, plan: Plan, number: int) -> str | None:
        try:
            async with asyncio.timeout(MAX_COMPARE_S):
                return await self._work.fingerprint(plan, number)
        except Exception as error:  # reading it will say what is wrong
            logger.info("page %d of job %s is not compared: %s", number, plan.job_id, error)
            return None
