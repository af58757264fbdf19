"""Has the parts of a drawn page read by Ocr; what is read never passes here as a picture, only as its text."""

from __future__ import annotations

import asyncio
import contextlib
import functools
from collections.abc import Awaitable, Callable
from typing import Any

from configs import Settings
from deployments.calls.call_retries import with_retries
from deployments.calls.cancellable_calls import call, stream, together
from deployments.calls.handles import OcrHandle, RendererHandle
from deployments.errors import Lost
from deployments.pipeline.page_ocr import LATE_CROP, Part, ReadPlaces, parts_of, readings_of
from deployments.pipeline.partial_results import partial_results
from deployments.values.jobs import PartialPage
from deployments.values.page_job import PageJob
from deployments.values.read_options import CropRead
from documents.sandbox.page_stages import DraftedPage, PageReadings
from documents.values import Reading

MAX_CROPS = 16  # maximum crops per call: bounds the pixels that one call draws
READ_ATTEMPTS = 3  # replicas that may die over a part before it is given up
Tell = Callable[[str | None, PartialPage], Awaitable[None]]
Read = Callable[..., Awaitable[None]]  # of parts


class PageReader:
    """Crops go from Renderer to Ocr; parts over which replicas died are read one at a time."""

    def __init__(self, settings: Settings, renderer: RendererHandle, ocr: OcrHandle, tell: Tell) -> None:
        """`tell` gets what is read so far of a page of a job, every `ocr.partial_results_s` seconds."""
        self._renderer = renderer
        self._ocr = ocr
        self._send_partial_page = tell
        self._dpi = settings.ocr.dpi
        self._partial_results_s = settings.ocr.partial_results_s
        self._suspects = asyncio.Lock()
        self._facts: dict[str, Any] | None = None  # what Ocr tells of itself; it does not change

    async def read(self, job: PageJob, page: DraftedPage, places: ReadPlaces) -> PageReadings:
        """What OCR reads of the page, all in the order of the drafts, whichever was read first.

        What is not read in the time of `places` stays unread, so that the page comes with the others.

        Raises:
            RendererUnavailable: not because of a part: the page is tried again.
        """
        if self._facts is None:
            self._facts = await call(self._ocr.about.remote())
        parts = parts_of(page, job.ocr_mode, self._dpi, self._facts)
        reads: dict[Part, CropRead] = {}
        every_s = self._partial_results_s if job.job_id is not None else 0
        tell = functools.partial(self._send_partial_page, job.job_id)
        num_regions = sum(part.is_region for part in parts)
        async with partial_results(tell, page, num_to_read=num_regions, every_s=every_s) as show:

            async def read(*few: Part) -> None:
                crops = self._renderer.crops.remote(page.view, [part.crop for part in few])
                cost = sum(part.cost for part in few)
                options = [part.options for part in few]
                stream_of = self._ocr.options(stream=True).read_crops.remote
                async with stream(stream_of(crops, options, label=job.label, cost=cost), crops) as results:
                    async for result in results:
                        part = few[result.index]
                        reads[part] = result
                        if part.is_region and isinstance(result.result, Reading):
                            show(part.index, result.result)

            calls = [parts[first : first + MAX_CROPS] for first in range(0, len(parts), MAX_CROPS)]
            await together(self._survived(few, reads, read, places) for few in calls)
        return readings_of(page, {part: reads.get(part, LATE_CROP) for part in parts})

    async def _survived(self, parts: list[Part], reads: dict[Part, CropRead], read: Read, places: ReadPlaces) -> None:
        """Read them together, and those over which replicas died one at a time; those that are late are not in `reads`.

        The renderer is not waited for: without a child the whole page is tried again.
        """

        def unread() -> list[Part]:
            return [part for part in parts if part not in reads]

        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout_at(places.until), places.taken(len(parts)):
                with contextlib.suppress(Lost):
                    await with_retries(lambda: read(*unread()), attempts=READ_ATTEMPTS - 1, renderer_pauses_s=())
                for part in unread():
                    try:
                        await with_retries(
                            functools.partial(read, part),
                            attempts=READ_ATTEMPTS,
                            num_deaths=READ_ATTEMPTS - 1,
                            last_attempt_lock=self._suspects,
                            renderer_pauses_s=(),
                        )
                    except Lost as lost:
                        reads[part] = CropRead(0, (0, 0), lost)
