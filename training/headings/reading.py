"""Documents as a server reads them up to their headings: by the text layer, without OCR and without authors' trees."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from benchmarks.harness.page_networks import PageNetworks
from documents.errors import IngestError
from documents.media_types import PDF
from documents.render_limits import RenderLimits
from documents.sandbox.renderer_pool import RendererPool
from documents.structure.assemble_document import before_headings
from documents.structure.build_page import compose_page, draft_regions
from documents.values import OutlineItem, Page, Source


def pool_without_trees() -> RendererPool:
    """One child, which reads no structure trees: they hold the answers."""
    return RendererPool(1, RenderLimits(structure_trees=False))


async def read(
    path: Path, numbers: Collection[int], pool: RendererPool, networks: PageNetworks
) -> tuple[Sequence[OutlineItem], list[Page]]:
    """The outline, and the pages of these numbers (of none: all); a page that fails is left out."""
    source = Source(path=str(path), media_type=PDF)
    detector = networks.detector
    opened = await pool.open(source)
    pages: list[Page] = []
    for number in range(1, opened.num_pages + 1):
        if numbers and number not in numbers:
            continue
        try:
            inspected = await pool.inspect(source, number)
            inspection = inspected.inspection()
            picture = await pool.picture(source, number, long_side=detector.image_size, angle=inspected.turn)
            detections = detector.detect([picture], [inspected.picture_size])[0]
            blocks = networks.reader.blocks_of(inspected.features)
        except IngestError:
            continue
        if not isinstance(detections, IngestError):
            placed, margin = inspected.on_page(detections), detector.crop_margin
            drafts = draft_regions(inspection, placed, blocks=blocks, crop_margin=margin)
            pages.append(compose_page(inspection, drafts, {}, {}))
    return opened.outline, before_headings(pages)
