"""Reads a page of an Office file, web page or mail: parsed, not drawn; pictures in it go through OCR."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from statistics import fmean

from deployments.calls.cancellable_calls import call, together
from deployments.calls.handles import RendererHandle
from deployments.values.jobs import Timings
from deployments.values.page_task import PageTask, Stopwatch
from documents.errors import IngestError, RendererUnavailable
from documents.region_values import FigureRegion, FurnitureRegion, Region
from documents.values import Opened, Page, PageWarning

logger = logging.getLogger("ray.serve")
MAX_PICTURES = 20  # maximum pictures that are read per page
MAX_AT_ONCE = 4
MIN_SIDE_PIXELS = 24  # a smaller picture is an icon, in which no text is searched
MIN_AREA_PIXELS = 12_000
ReadPage = Callable[[PageTask], Awaitable[tuple[Page, Timings]]]


async def authored_page(task: PageTask, renderer: RendererHandle, read_page: ReadPage) -> tuple[Page, Timings] | None:
    """The page, and the seconds each stage took; None of one that is drawn. `read_page` reads a picture.

    Raises as `Pipeline.page`.
    """
    clock = Stopwatch()
    page: Page | None = await call(renderer.authored.remote(task.source, task.number, task.deadline_s))
    if page is None:
        return None
    clock.lap("parse_s")
    if task.text_source != "text_layer":
        page = await _with_read_pictures(task, page, renderer, read_page)
        clock.lap("ocr_s")
    ids = {"job": task.label, "page": task.number}
    logger.info("page %d of %s in %.3f s", task.number, task.label, sum(clock.laps.values()), extra=ids)
    return page, clock.laps


async def _with_read_pictures(task: PageTask, page: Page, renderer: RendererHandle, read_page: ReadPage) -> Page:
    """The page, its figures with the words that are printed in them."""
    figures = [region for region in page.regions if isinstance(region, FigureRegion)]
    names = list(dict.fromkeys(figure.picture for figure in figures if figure.picture))
    gate = asyncio.Semaphore(MAX_AT_ONCE)
    pages: dict[str, Page] = {}
    warnings: list[PageWarning] = []

    async def read(name: str) -> None:
        picture = task.model_copy(
            update={"source": task.source.model_copy(update={"part": name}), "number": 1, "job_id": None}
        )
        try:
            async with gate:
                opened: Opened = await call(renderer.open.remote(picture.source))
                if _may_hold_text(opened):
                    pages[name], _ = await read_page(picture)
        except RendererUnavailable:
            raise
        except IngestError as error:
            message = f"the picture {name} could not be read: {error.message}"
            warnings.append(PageWarning(code="picture_unread", message=message, page=task.number))

    await together(read(name) for name in names[:MAX_PICTURES])
    if len(names) > MAX_PICTURES:
        message = f"of {len(names)} pictures the first {MAX_PICTURES} were read"
        warnings.append(PageWarning(code="picture_unread", message=message, page=task.number))
    regions = tuple(_with_words(region, pages) for region in page.regions)
    inside = [warning for name in names if name in pages for warning in pages[name].warnings]
    moved = [warning.model_copy(update={"page": task.number, "box": None}) for warning in inside]
    ordered = (*page.warnings, *moved, *sorted(warnings, key=lambda warning: warning.message))
    return page.model_copy(update={"regions": regions, "warnings": ordered})


def _may_hold_text(opened: Opened) -> bool:
    width, height = opened.pixel_size or (0, 0)
    return min(width, height) >= MIN_SIDE_PIXELS and width * height >= MIN_AREA_PIXELS


def _with_words(region: Region, pages: dict[str, Page]) -> Region:
    """A figure with the words of its picture, in their reading order."""
    if not isinstance(region, FigureRegion) or region.picture not in pages:
        return region
    printed = [other for other in _in_order(pages[region.picture].regions) if other.text.strip()]
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


def _in_order(regions: Sequence[Region]) -> list[Region]:
    body = [region for region in regions if not isinstance(region, FurnitureRegion)]
    return sorted(body, key=lambda region: region.order)
