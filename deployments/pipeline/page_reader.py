"""Has the parts of a drawn page read by Ocr; what is read never passes here as a picture, only as its text."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from configs import Settings
from deployments.calls.call_retries import wait_while_busy, with_retries
from deployments.calls.cancellable_calls import call, together
from deployments.calls.handles import OcrHandle, RendererHandle
from deployments.pipeline.page_ocr import PartReadings, ReadingPlan, tokens_on
from deployments.pipeline.partial_results import partial_results
from deployments.values.jobs import PartialPage
from deployments.values.page_task import PageTask
from documents.boxes import BoundingBox
from documents.draft.page_draft import RegionDraft
from documents.draft.whole_page_reading import PageReading
from documents.regions.scanned_lines import within_crop
from documents.sandbox.page_stages import DraftedPage, PageReadings
from documents.straighten.pose import Pose
from documents.values import Reading

PAGE_COST = 2000.0  # expected tokens of a page that is read as a whole
REGION_ATTEMPTS = 3  # replicas that may die over one region before it is given up
Tell = Callable[[str | None, PartialPage], Awaitable[None]]


class PageReader:
    """Pictures go from Renderer to Ocr; regions over which replicas died are read one at a time."""

    def __init__(self, settings: Settings, renderer: RendererHandle, ocr: OcrHandle, tell: Tell) -> None:
        """`tell` gets what is read so far of a page of a job, every `ocr.partial_results_s` seconds."""
        self._renderer = renderer
        self._ocr = ocr
        self._send_partial_page = tell
        self._dpi = settings.ocr.dpi
        self._partial_results_s = settings.ocr.partial_results_s
        self._suspects = asyncio.Lock()
        self._facts: dict[str, Any] | None = None  # what Ocr tells of itself; it does not change

    async def pose(self, task: PageTask) -> Pose:
        """How the page must be straightened, its right end up."""
        pose: Pose = await call(self._renderer.pose.remote(task.source, task.number))
        picture = self._renderer.picture.remote(task.source, task.number, dpi=self._dpi, pose=pose)
        return pose.turned(await call(self._ocr.direction.remote(picture, label=task.label), picture))

    async def read(
        self, task: PageTask, page: DraftedPage, pose: Pose | None, page_size: tuple[float, float], until: float
    ) -> PageReadings:
        """What OCR reads of the page, all in the order of the drafts, whichever was read first.

        What is not read `until` then (by the loop's clock) stays unread, so that the page comes with the others.
        """
        plan = ReadingPlan.of(page.drafts, await self._about())
        parts = PartReadings(task.number, until)

        async def read(draft: RegionDraft) -> None:
            lines = page.printed_lines.get(draft.index)
            reading = await self._read_region(task, draft, draft.kind, lines, pose)
            parts.sizes[draft.index], parts.readings[draft.index] = reading
            show(parts.readings)

        async def read_chart(draft: RegionDraft) -> None:
            _, parts.charts[draft.index] = await self._read_region(task, draft, "chart", None, pose)

        async def read_page() -> None:
            parts.page = await self._read_page(task, pose)

        shown_results = partial_results(
            functools.partial(self._send_partial_page, task.job_id),
            number=task.number,
            size=page_size,
            drafts=[draft for draft in page.drafts if draft.words_of is None],
            num_to_read=len(plan.regions),
            pose=pose,
            every_s=self._partial_results_s if task.job_id is not None else 0,
        )
        async with shown_results as show:
            regions = [parts.read(("region", one.index), one.box, functools.partial(read, one)) for one in plan.regions]
            charts = [
                parts.read(("chart", one.index), one.box, functools.partial(read_chart, one)) for one in plan.charts
            ]
            whole = [parts.read(("page", 0), None, read_page)] if plan.whole_page else []
            await together([*regions, *charts, *whole])
        return parts.sorted(page.drafts)

    async def _read_page(self, task: PageTask, pose: Pose | None) -> PageReading:
        long_side = (await self._about()).get("page_long_side")
        size: dict[str, Any] = {"dpi": self._dpi} if long_side is None else {"long_side": long_side}

        async def read() -> PageReading:
            picture = self._renderer.picture.remote(task.source, task.number, pose=pose, **size)
            return await wait_while_busy(
                lambda: call(self._ocr.read_page.remote(picture, label=task.label, cost=PAGE_COST), picture),
                renderer_pauses_s=(),
            )

        return await with_retries(
            read, attempts=REGION_ATTEMPTS, last_attempt_lock=self._suspects, renderer_pauses_s=()
        )

    async def _read_region(
        self, task: PageTask, draft: RegionDraft, kind: str, lines: Sequence[BoundingBox] | None, pose: Pose | None
    ) -> tuple[tuple[int, int], Reading]:
        read_options: dict[str, Any] = {"kind": kind}
        if lines is not None:
            read_options["lines"] = within_crop(lines, draft.crop_box)

        async def read() -> tuple[tuple[int, int], Reading]:
            crop = self._renderer.picture.remote(
                task.source, task.number, dpi=self._dpi, box=draft.crop_box, angle=draft.angle, pose=pose
            )
            cost = tokens_on(draft.crop_box)
            # while the readers are busy the picture that is drawn waits with the call
            return await wait_while_busy(
                lambda: call(
                    self._ocr.read.remote(crop, task.ocr_mode, label=task.label, cost=cost, **read_options), crop
                ),
                renderer_pauses_s=(),  # a crop that could not be drawn stays so: the whole page is tried again
            )

        return await with_retries(
            read, attempts=REGION_ATTEMPTS, last_attempt_lock=self._suspects, renderer_pauses_s=()
        )

    async def _about(self) -> dict[str, Any]:
        facts = self._facts
        if facts is None:
            facts = self._facts = await call(self._ocr.about.remote())
        return facts
