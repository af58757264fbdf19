"""Draws the figures of a document as pictures for zip and Docling results; a figure that fails is reported."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

from deployments.calls.call_retries import with_retries
from deployments.calls.cancellable_calls import call, together
from deployments.ingress.operations.services import Services
from deployments.values.jobs import Plan
from deployments.values.shards import shard_of
from documents.boxes import BoundingBox
from documents.errors import IngestError
from documents.exports.picture_file import PictureFile
from documents.exports.text_blocks import figures
from documents.region_values import FigureRegion, Region
from documents.values import Document, PageWarning

MAX_DRAW_ATTEMPTS = 2  # replicas that may die while they draw one figure
MAX_PARALLEL_FIGURES = 4  # figures of one document that are drawn at the same time
MAX_SIDE = 4000  # pixels; a larger figure is drawn at a lower resolution
MAX_TOTAL_BYTES = 200_000_000  # sum over the PNGs of a document: they are in memory together


class NoRoom(Exception):
    """The pictures of a document are too many."""


async def drawn_figures(
    services: Services, plan: Plan, document: Document, *, dpi: float, max_bytes: int = MAX_TOTAL_BYTES
) -> tuple[dict[str, bytes], list[PageWarning]]:
    """The figures cut from their pages, as PNG by their names; and which could not be drawn, or found no room."""
    source = plan.source(services.blobs.of_shard(shard_of(plan.job_id)).address(plan.sha256))
    gate = asyncio.Semaphore(MAX_PARALLEL_FIGURES)
    pictures: dict[str, bytes] = {}
    missing: list[PageWarning] = []

    async def draw(name: str, number: int, region: Region) -> None:
        def picture() -> Awaitable[PictureFile]:
            if (part := _picture_of(region)) is not None:
                whole = source.model_copy(update={"part": part})
                return call(services.renderer.picture_file.remote(whole, 1))  # in its own pixels
            fit = min(dpi, _largest_dpi(region.box))
            return call(services.renderer.picture_file.remote(source, number, dpi=fit, box=region.box))

        async with gate:
            try:
                if sum(map(len, pictures.values())) >= max_bytes:
                    raise NoRoom(f"there are {max_bytes} bytes of pictures already")
                pictures[name] = (await with_retries(picture, attempts=MAX_DRAW_ATTEMPTS)).content
            except (IngestError, NoRoom) as error:
                message = f"{name} could not be drawn: {error}"
                missing.append(PageWarning(code="figure_missing", message=message, page=number, box=region.box))

    # of others their authors say that there is a picture; the file does not hold it
    wanted_figures = [figure for figure in figures(document) if figure[1].form == "print" or _picture_of(figure[2])]
    await together(draw(name, page.number, region) for name, page, region in wanted_figures)
    return pictures, sorted(missing, key=lambda warning: warning.message)


def _picture_of(region: Region) -> str | None:
    """The picture inside its file that a figure is, if it is one."""
    return region.picture if isinstance(region, FigureRegion) else None


def _largest_dpi(box: BoundingBox) -> float:
    """At which the box has `MAX_SIDE` pixels along its longer side."""
    return 72 * MAX_SIDE / max(box.width, box.height, 1)
