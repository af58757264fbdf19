"""Prints each Office file to PDF once, and finds its text there to give regions their printed boxes."""

from __future__ import annotations

import asyncio
import functools
import logging
import shutil
import tempfile
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path

from ray.util.metrics import Counter

from documents.boxes import BoundingBox
from documents.errors import IngestError
from documents.inspection import Inspection
from documents.media_types import PDF
from documents.places import PrintedBox
from documents.printing.printed_text import PrintedText, printed_boxes, with_printed_boxes
from documents.printing.printer import ENDINGS, Printer
from documents.sandbox import RendererPool
from documents.values import Page, PageWarning, Source

logger = logging.getLogger("ray.serve")
MAX_CACHED_FILES = 32  # files whose boxes are cached
FAILURE_CACHE_S = 120.0  # a failure holds for the other pages of the file; a later retry prints it again
Boxes = Mapping[tuple[int, int], PrintedBox]


class PrintedBoxCache:
    """Caches the printed boxes of the latest files; a file that cannot be printed keeps its text and gets a warning."""

    def __init__(self, pool: RendererPool, printer: Printer) -> None:
        self._pool = pool
        self._printer = printer
        self._boxes: OrderedDict[Source, asyncio.Future[Boxes]] = OrderedDict()
        self._prints = Counter(
            "pagemill_printed_files", "Office files printed by LibreOffice, by outcome.", ("outcome",)
        )

    async def placed(self, source: Source, page: Page, wait_s: float) -> Page:
        """The page with what of its regions is found on the printed pages; those of other kinds stay as they are.

        After `wait_s` it goes on without boxes: files are printed one after the other, and pages have deadlines.
        """
        if source.media_type not in ENDINGS or source.part is not None:
            return page
        try:
            async with asyncio.timeout(wait_s):
                boxes = await self._boxes_of(source)
            return with_printed_boxes(page, boxes)
        except IngestError as error:
            reason = error.message
        except TimeoutError:
            reason = f"the file was not printed within {wait_s:g} s"
        except Exception as error:  # whatever it is, it has cost boxes and not the text
            reason = f"printing failed ({type(error).__name__})"
        warning = PageWarning(code="not_printed", message=f"no printed boxes: {reason}", page=page.number)
        return page.model_copy(update={"warnings": (*page.warnings, warning)})

    async def _boxes_of(self, source: Source) -> Boxes:
        """Asked for by several pages at once, the file is printed once; who goes away does not stop it for others."""
        task = self._boxes.get(source)
        if task is None:
            task = self._boxes[source] = asyncio.ensure_future(self._printed(source))
            task.add_done_callback(functools.partial(self._forget_failure, source))
            while len(self._boxes) > MAX_CACHED_FILES:
                self._boxes.popitem(last=False)
        return await asyncio.shield(task)

    def _forget_failure(self, source: Source, task: asyncio.Future[Boxes]) -> None:
        if task.cancelled() or task.exception() is not None:
            asyncio.get_running_loop().call_later(FAILURE_CACHE_S, self._forget, source, task)

    def _forget(self, source: Source, task: asyncio.Future[Boxes]) -> None:
        if self._boxes.get(source) is task:
            del self._boxes[source]

    async def _printed(self, source: Source) -> Boxes:
        try:
            folder = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="pagemill-printed-"))
            try:
                pdf = folder / "printed.pdf"
                async with self._pool.local_path(source.path) as path:
                    await self._printer.print(Path(path), source.media_type, pdf)
                lines = await self._lines(source.model_copy(update={"path": str(pdf), "media_type": PDF}))
                opened = await self._pool.open(source)
                pages = [await self._pool.authored(source, number) for number in range(1, opened.num_pages + 1)]
            finally:
                await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        except IngestError as error:
            self._prints.inc(tags={"outcome": error.code})
            logger.warning("%s could not be printed: %s", source.path, error.message)
            raise
        except Exception:
            self._prints.inc(tags={"outcome": "internal"})
            logger.exception("%s could not be printed", source.path)
            raise
        self._prints.inc(tags={"outcome": "printed"})
        authored = [page for page in pages if page is not None]
        return await asyncio.to_thread(printed_boxes, authored, PrintedText(lines))

    async def _lines(self, pdf: Source) -> list[tuple[int, str, BoundingBox]]:
        opened = await self._pool.open(pdf)
        lines: list[tuple[int, str, BoundingBox]] = []
        for number in range(1, opened.num_pages + 1):
            inspected = await self._pool.inspect(pdf, number)
            inspection = Inspection.model_validate_json(inspected.content)
            lines += ((number, line.text, line.box) for line in inspection.lines if line.hidden is None)
        return lines
