"""LibraryReader: a document to Markdown in this process by our own functions, without a server, Ray, jobs or OCR."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import torch

from benchmarks.harness.library import source_of
from benchmarks.harness.page_networks import PageNetworks, structure_reader
from configs.settings import Settings
from documents.document.assemble_document import assemble
from documents.exports.markdown import markdown
from documents.page.build_page import compose_page, draft_regions
from documents.sandbox.child import GC_THRESHOLD
from documents.sandbox.page_stages import Crop, InspectedPage
from documents.sandbox.renderer_pool import RendererPool
from documents.segments.blocks import SegmentBlock
from documents.values import Detection, Document, Page, Source

AT_ONCE = 4  # pages, so that the network has one while others are drawn


class LibraryReader:
    """Keeps its children and its network between documents; without layout, text layer and order are all there is."""

    def __init__(self, *, layout: bool) -> None:
        gc.set_threshold(GC_THRESHOLD)  # as in a child, where a server runs the rules
        settings = Settings()
        self._networks = PageNetworks.of(settings) if layout else None
        self._reader = structure_reader(settings) if self._networks is None else self._networks.reader
        self._pool = RendererPool(settings.renderer.num_children)
        # the structure network has one thread, as Ray gives it in a replica: it is too small to be shared by several
        self._model = ThreadPoolExecutor(1, initializer=torch.set_num_threads, initargs=(1,))
        self._loop = asyncio.new_event_loop()

    def read(self, path: str) -> tuple[int, str]:
        """The number of pages, and the Markdown."""
        document = self.document(Path(path))
        return len(document.pages), markdown(document)

    def document(self, path: Path) -> Document:
        """The whole document; a page that fails raises its error."""
        return self._loop.run_until_complete(self._read(path))

    def close(self) -> None:
        """End the children."""
        self._loop.run_until_complete(self._pool.close())
        self._loop.close()
        self._model.shutdown()

    async def _read(self, path: Path) -> Document:
        source = source_of(path)
        opened = await self._pool.open(source)
        places = asyncio.Semaphore(AT_ONCE)
        numbers = range(1, opened.num_pages + 1)
        pages = await asyncio.gather(*(self._page(source, number, places) for number in numbers))
        return assemble(path.name, 1, opened, pages)

    async def _page(self, source: Source, number: int, places: asyncio.Semaphore) -> Page:
        async with places:
            inspected = await self._pool.inspect(source, number)
            inspection = inspected.inspection()
            read = self._loop.run_in_executor(self._model, self._reader.blocks_of, inspected.features)
            blocks = await read
            regions: list[Detection] = []
            margin = (0.0, 0.0)
            if self._networks is not None:
                regions = await self._regions(self._networks, inspected, blocks)
                margin = self._networks.detector.crop_margin
            drafts = draft_regions(inspection, regions, blocks=blocks, crop_margin=margin)
            return compose_page(inspection, drafts, {}, {})

    async def _regions(
        self, networks: PageNetworks, page: InspectedPage, blocks: Sequence[SegmentBlock]
    ) -> list[Detection]:
        """As `PageNetworks.regions`, in the thread of the networks."""
        if not networks.must_look(page, blocks):
            return []
        picture = await self._pool.crop(page.view, Crop(long_side=networks.detector.image_size, angle=page.turn))
        detect = self._loop.run_in_executor(self._model, networks.detector.detect, [picture], [page.picture_size])
        (detections,) = await detect
        if isinstance(detections, Exception):
            raise detections
        return page.on_page(detections)
