"""Sends the words of a page that OCR is still reading to Jobs, every `ocr.partial_results_s` seconds.

Nobody waits for them, nothing fails with them, and a page that is read before the first is due has none.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

from deployments.calls.background_tasks import detached
from deployments.values.jobs import PartialPage, PartialRegion
from documents.sandbox.page_stages import DraftedPage
from documents.straighten.pose import moved
from documents.values import Reading

Tell = Callable[[PartialPage], Awaitable[None]]
Show = Callable[[int, Reading], None]


@contextlib.asynccontextmanager
async def partial_results(tell: Tell, page: DraftedPage, *, num_to_read: int, every_s: float) -> AsyncIterator[Show]:
    """Within the block `tell` is called every `every_s` seconds if there is news; 0: never.

    Yields what is to be called with each reading and the index of its draft; `num_to_read` drafts are read by OCR.
    """
    readings: dict[int, Reading] = {}
    news = asyncio.Event()
    news.set()  # the regions themselves

    def show(index: int, reading: Reading) -> None:
        readings[index] = reading
        news.set()

    async def tell_on() -> None:
        while True:
            await asyncio.sleep(every_s)
            await news.wait()
            news.clear()
            with contextlib.suppress(Exception):  # Jobs may just be replaced
                await tell(_partial_page(page, readings, num_to_read))

    reads = any(draft.text_source == "ocr" for draft in page.drafts if draft.words_of is None)
    task = detached(tell_on()) if reads and every_s else None  # sending partial results is no call of the page's
    try:
        yield show
    finally:
        if task is not None:
            task.cancel()


def _partial_page(page: DraftedPage, readings: Mapping[int, Reading], num_to_read: int) -> PartialPage:
    """Regions from the top; without words of a text layer: only the whole page shows which are visible."""
    matrix = None if page.pose is None else page.pose.to_page()
    regions = [
        PartialRegion(
            kind=draft.kind,
            box=draft.box if matrix is None else moved(draft.box, matrix),
            text=readings[draft.index].text if draft.index in readings else None,
        )
        for draft in page.drafts
        if draft.words_of is None
    ]
    regions.sort(key=lambda region: (region.box.y0, region.box.x0))
    return PartialPage(number=page.number, size=page.size, regions=tuple(regions), num_to_read=num_to_read)
