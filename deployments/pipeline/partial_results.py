"""Sends the words of a page that OCR is still reading to Jobs, every `ocr.partial_results_s` seconds.

Nobody waits for them, nothing fails with them, and a page that is read before the first is due has none.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence

from deployments.calls.background_tasks import detached
from deployments.values.jobs import PartialPage, PartialRegion
from documents.draft.page_draft import RegionDraft
from documents.straighten.pose import Pose, moved
from documents.values import Reading

Tell = Callable[[PartialPage], Awaitable[None]]
Show = Callable[[Mapping[int, Reading]], None]


@contextlib.asynccontextmanager
async def partial_results(
    tell: Tell,
    *,
    number: int,
    size: tuple[float, float],
    drafts: Sequence[RegionDraft],
    num_to_read: int,
    pose: Pose | None,
    every_s: float,
) -> AsyncIterator[Show]:
    """Within the block `tell` is called every `every_s` seconds if there is news; 0: never.

    Yields what is to be called with all readings by now, by the index of their drafts, whenever there is one more.
    `size` is the page's (width, height) in points, as the file shows it; `num_to_read` of the drafts are read by OCR;
    `pose` says how the drafts stand on the page.
    """
    readings: dict[int, Reading] = {}
    news = asyncio.Event()
    news.set()  # the regions themselves

    def show(by_now: Mapping[int, Reading]) -> None:
        readings.update(by_now)
        news.set()

    async def tell_on() -> None:
        while True:
            await asyncio.sleep(every_s)
            await news.wait()
            news.clear()
            with contextlib.suppress(Exception):  # Jobs may just be replaced
                await tell(_partial_page(number, size, drafts, readings, num_to_read, pose))

    reads = any(draft.text_source == "ocr" for draft in drafts)
    task = detached(tell_on()) if reads and every_s else None  # sending partial results is no call of the page's
    try:
        yield show
    finally:
        if task is not None:
            task.cancel()


def _partial_page(
    number: int,
    size: tuple[float, float],
    drafts: Sequence[RegionDraft],
    readings: Mapping[int, Reading],
    num_to_read: int,
    pose: Pose | None,
) -> PartialPage:
    """Regions from the top; without words of a text layer: only the whole page shows which are visible."""
    matrix = None if pose is None else pose.to_page()
    regions = [
        PartialRegion(
            kind=draft.kind,
            box=draft.box if matrix is None else moved(draft.box, matrix),
            text=readings[draft.index].text if draft.index in readings else None,
        )
        for draft in drafts
    ]
    regions.sort(key=lambda region: (region.box.y0, region.box.x0))
    return PartialPage(number=number, size=size, regions=tuple(regions), num_to_read=num_to_read)
