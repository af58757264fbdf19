"""LibraryReader: a document to Markdown in this process by our own functions, without a server, Ray, jobs or OCR."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.harness.library import source_of
from benchmarks.harness.page_networks import structure_reader
from configs.settings import Settings, checkpoint_path
from documents.document.assemble_document import assemble
from documents.exports.markdown import markdown
from documents.layout.load_detector import load_detector
from documents.page.build_page import compose_page, draft_regions
from documents.sandbox.renderer_pool import RendererPool
from documents.values import Detection, Document, Page, Source

AT_ONCE = 4  # pages, so that the network has one while others are drawn


class LibraryReader:
    """Keeps its children and its network between documents; without layout, text layer and order are all there is."""

    def __init__(self, *, layout: bool) -> None:
        settings = Settings()
        self._detector = load_detector(checkpoint_path(settings.layout.model)) if layout else None
        self._reader = structure_reader(settings)
        self._pool = RendererPool(settings.renderer.num_children)
        self._model = ThreadPoolExecutor(1)
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
            detections: list[Detection] = []
            margin = (0.0, 0.0)
            if self._detector is not None:
                side = self._detector.image_size
                picture = await self._pool.picture(source, number, long_side=side, angle=inspected.turn)
                size = inspected.picture_size
                detect = self._loop.run_in_executor(self._model, self._detector.detect, [picture], [size])
                (result,) = await detect
                if isinstance(result, Exception):
                    raise result
                detections, margin = inspected.on_page(result), self._detector.crop_margin
            read = self._loop.run_in_executor(self._model, self._reader.blocks_of, inspected.features)
            drafts = draft_regions(inspection, detections, blocks=await read, crop_margin=margin)
            return compose_page(inspection, drafts, {}, {})
