"""Composing a page in a child, and the same page composed in this process."""

from __future__ import annotations

import asyncio

from page_making import detection_of, inspected, inspection, line

from documents.page.build_page import compose_page, draft_regions
from documents.page.finished_page import LOW_CONFIDENCE
from documents.sandbox import RendererPool, RenderLimits
from documents.sandbox.page_stages import ComposeCall
from documents.sandbox.structure_runner import StructureRunner
from documents.values import Source

INSPECTION = inspection(
    line("A heading of the page", y=60, size=16, bold=True), line("The harbour was closed.", y=120), line("12", y=760)
)
DETECTIONS = [detection_of("title", 50, 55, 400, 80), detection_of("plain text", 50, 110, 400, 140)]
NOWHERE = Source(path="/nowhere", media_type="application/pdf")


def page_of(number, source=NOWHERE):
    return inspected(INSPECTION.model_copy(update={"number": number}), source)


def compose_call(drafted, readings, *, blocks=(), low_confidence=LOW_CONFIDENCE):
    return ComposeCall(page=drafted, readings=readings, blocks=blocks, low_confidence=low_confidence)


def plain(number):
    """The page of which nothing is read, as this process composes it."""
    page_inspection = INSPECTION.model_copy(update={"number": number})
    page = compose_page(page_inspection, draft_regions(page_inspection, DETECTIONS), {}, {})
    regions = tuple(region.model_copy(update={"spans": ()}) for region in page.regions)
    return page.model_copy(update={"regions": regions})


def composing(use, *, num_children=1, **limits):
    """What `use(composer, pool)` gives, and the failures of rules with the numbers of their pages."""
    failed = []

    async def main():
        pool = RendererPool(
            num_children, RenderLimits(page_timeout_s=600, **limits)
        )  # whatever the machine does beside
        try:
            return await use(StructureRunner(pool, lambda failure, number: failed.append((failure, number))), pool)
        finally:
            await pool.close()

    return asyncio.run(main()), failed
