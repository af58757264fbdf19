"""Reads a page of an Office file, web page or mail: parsed, not drawn; pictures in it go through OCR."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from statistics import fmean

from deployments.calls.cancellable_calls import call, together
from deployments.calls.handles import RendererHandle
from deployments.pipeline.page_ocr import LATE_REASON
from deployments.values.jobs import Timings
from deployments.values.page_job import PageJob
from documents.errors import IngestError, RendererUnavailable
from documents.region_values import FigureRegion, FurnitureRegion, Region
from documents.values import Page, PageWarning

MAX_PICTURES = 20  # maximum pictures that are read per page
MAX_AT_ONCE = 4
MAX_READ_SHARE = 0.9  # share of a page's time; pictures that are not read by then are left unread
MIN_SIDE_PIXELS = 24  # a smaller picture is an icon, in which no text is searched
MIN_AREA_PIXELS = 12_000
ReadPage = Callable[[PageJob], Awaitable[tuple[Page, Timings]]]


async def with_read_pictures(job: PageJob, page: Page, renderer: RendererHandle, read_page: ReadPage) -> Page:
    """The page, its figures with the words that are printed in them, as far as `read_page` reads them in time."""
    if job.text_source == "text_layer":
        return page
    figures = [region for region in page.regions if isinstance(region, FigureRegion)]
    names = list(dict.fromkeys(figure.picture for figure in figures if figure.picture))
    gate = asyncio.Semaphore(MAX_AT_ONCE)
    pages: dict[str, Page] = {}
    warnings: list[PageWarning] = []

    async def read(name: str) -> None:
        picture = job.picture(name)
        try:
            async with asyncio.timeout(MAX_READ_SHARE * job.left_s), gate:
                opened = await call(renderer.open.remote(picture.source))
                width, height = opened.pixel_size or (0, 0)
                if min(width, height) >= MIN_SIDE_PIXELS and width * height >= MIN_AREA_PIXELS:
                    pages[name], _ = await read_page(picture)
        except RendererUnavailable:
            raise
        except (IngestError, TimeoutError) as error:
            reason = error.message if isinstance(error, IngestError) else LATE_REASON
            message = f"the picture {name} could not be read: {reason}"
            warnings.append(PageWarning(code="picture_unread", message=message, page=job.number))

    await together(read(name) for name in names[:MAX_PICTURES])
    if len(names) > MAX_PICTURES:
        message = f"of {len(names)} pictures the first {MAX_PICTURES} were read"
        warnings.append(PageWarning(code="picture_unread", message=message, page=job.number))
    regions = tuple(_with_words(region, pages) for region in page.regions)
    inside = [warning for name in names if name in pages for warning in pages[name].warnings]
    moved = [warning.model_copy(update={"page": job.number, "box": None}) for warning in inside]
    ordered = (*page.warnings, *moved, *sorted(warnings, key=lambda warning: warning.message))
    return page.model_copy(update={"regions": regions, "warnings": ordered})


def _with_words(region: Region, pages: dict[str, Page]) -> Region:
    """A figure with the words of its picture, in their reading order."""
    if not isinstance(region, FigureRegion) or region.picture not in pages:
        return region
    body = [other for other in pages[region.picture].regions if not isinstance(other, FurnitureRegion)]
    printed = [other for other in sorted(body, key=lambda other: other.order) if other.text.strip()]
    if not printed:
        return region
    confidences = [other.confidence for other in printed if other.confidence is not None]
    return region.model_copy(
        update={
            "text": "\n\n".join(other.text for other in printed),
            "text_source": "ocr",
            "reader": next((other.reader for other in printed if other.reader), None),
            "confidence": fmean(confidences) if confidences else None,
            "reason": "no text layer",
        }
    )
