"""Detects regions of an upload's pages without a job, for /v1/layout and /doc_layout: a few pages at once,
cancelled with the client.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from deployments.calls.cancellable_calls import call, together
from deployments.ingress.errors import UnknownOption
from deployments.ingress.operations.services import Services
from deployments.values.page_ranges import select_pages
from deployments.values.staged_blob import StagedBlob
from documents.errors import NoPages, TooManyPages
from documents.exports.picture_file import PictureFile
from documents.sandbox.page_stages import InspectedPage
from documents.values import Detection, Opened, Page, Source

MAX_PAGES_AT_ONCE = 16  # pages of one call: two batches of the usual size, so that one waits while the other runs
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class PageRegions:
    """Asks Renderer and Layout about the pages of one file."""

    services: Services
    source: Source
    numbers: Sequence[int]
    confidence: float | None
    iou_threshold: float | None

    async def inspect(self, number: int) -> InspectedPage:
        """What the page's file says of it."""
        return await call(self.services.renderer.inspect.remote(self.source, number))

    async def overlay(self, page: Page, *, dpi: float, max_side: int) -> bytes:
        """A PNG of the page and its regions at that resolution, or at the lower one that keeps within `max_side`."""
        dpi = min(dpi, 72 * max_side / max(page.size))
        return await call(self.services.renderer.overlay.remote(self.source, page, dpi=dpi))

    async def jpeg(self, page: InspectedPage, *, dpi: tuple[float, float], max_side: int) -> PictureFile:
        """The page at a resolution of its own along x and y; the finer one is lowered to keep within `max_side`."""
        finer = max(dpi)
        scale = dpi[0] / finer, dpi[1] / finer
        finer = min(finer, 72 * max_side / max(page.width, page.height))
        drawing = self.services.renderer.picture_file.remote(
            self.source, page.number, form="JPEG", dpi=finer, scale=scale
        )
        return await call(drawing)

    async def detect(self, page: InspectedPage, long_side: int) -> list[Detection]:
        """The page's regions as the network sees them, in points; the picture goes to Layout without passing here."""
        picture = self.services.renderer.picture.remote(self.source, page.number, long_side=long_side, angle=page.turn)
        thresholds = {"confidence": self.confidence, "iou_threshold": self.iou_threshold}
        answer = self.services.layout.detect.remote(picture, page.picture_size, label=self.source.path, **thresholds)
        return page.on_page(await call(answer, picture))

    async def structure(self, page: InspectedPage, detections: list[Detection]) -> Page:
        """The page's regions in reading order, none of them read by OCR."""
        blocks = await call(self.services.layout.blocks.remote(page.features, label=self.source.path))
        return await call(self.services.renderer.structure.remote(page, detections, blocks=blocks))

    async def per_page(self, answer: Callable[[int], Awaitable[Answer]]) -> list[Answer]:
        """`answer(number)` of every page, in order, as this call's turn comes; the first error ends the others."""
        slots = self.services.page_slots
        own_slots = asyncio.Semaphore(MAX_PAGES_AT_ONCE)
        num_left = len(self.numbers)

        async def one(number: int) -> Answer:
            nonlocal num_left
            async with own_slots, slots.slot(slots.deadline(num_left)):
                result = await answer(number)
                num_left -= 1
                return result

        return await together(one(number) for number in self.numbers)


async def opened(
    services: Services,
    staged: StagedBlob,
    media_type: str,
    namespace: str,
    *,
    pages: str | None = None,
    password: str | None = None,
    confidence: float | None = None,
    iou_threshold: float | None = None,
) -> PageRegions:
    """The chosen pages (`1-3,7`; all) of a namespace's staged file.

    Raises:
        IngestError: the file cannot be opened, has none of the pages, or more than `limits.max_layout_pages`.
        UnknownOption: `pages` names none.
    """
    source = Source(
        path=staged.address, media_type=media_type, password=password, namespace=namespace, attachments="none"
    )
    document: Opened = await call(services.renderer.open.remote(source))
    try:
        numbers = select_pages(pages, document.num_pages)
    except ValueError as error:
        raise UnknownOption(f"page: {error}") from None
    most = services.settings.limits.max_layout_pages
    if not numbers:
        raise NoPages(f"none of the pages {pages} is in the document; it has {document.num_pages}")
    if len(numbers) > most:
        raise TooManyPages(f"{len(numbers)} pages; one call looks at {most} at most: choose some with `page`")
    return PageRegions(services, source, numbers, confidence, iou_threshold)
