"""The Renderer deployment: parses files, draws pages and runs structure rules, in sandboxed child processes."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from ray.util.metrics import Counter

from configs import Settings
from deployments.renderer.office_printing import PrintedBoxCache
from deployments.replicas.loop_watchdog import watch_loop
from deployments.replicas.render_limits import render_limits
from documents.boxes import BoundingBox
from documents.draft.rule import RuleFailure
from documents.draft.text_source import Wanted
from documents.exports.overlay import overlay
from documents.exports.picture_file import PictureFile, PictureForm, encoded
from documents.printing.printer import Printer, PrintLimits
from documents.sandbox import RendererPool
from documents.sandbox.page_stages import DraftedPage, InspectedPage, PageReadings
from documents.sandbox.structure_runner import StructureRunner
from documents.segments.blocks import SegmentBlock
from documents.straighten.pose import Pose
from documents.values import Detection, Opened, Page, Source

logger = logging.getLogger("ray.serve")
PRINT_SHARE = 0.5  # share of a page's deadline for printing; the rest is for the pictures in it


class Renderer:
    """A pool of children, see `RendererPool` and `StructureRunner`; what their calls raise reaches the caller."""

    def __init__(self, settings: Settings) -> None:
        options = settings.renderer
        self._num_children = options.num_children
        self._page_deadline_s = settings.limits.page_deadline_s
        self._ends = Counter(
            "pagemill_renderer_child_ends", "Children of the renderer that ended, by reason.", ("reason",)
        )
        self._prints: PrintedBoxCache | None = None
        self._pool = RendererPool(
            options.num_children, render_limits(settings), lambda reason: self._ends.inc(tags={"reason": reason})
        )
        if options.libreoffice:
            limits = PrintLimits(
                timeout_s=options.print_timeout_s,
                cpu_s=math.ceil(options.print_timeout_s),
                memory_bytes=options.print_memory_mb * 1_000_000,
            )
            self._prints = PrintedBoxCache(self._pool, Printer(limits))
        self._failed_rules = Counter("pagemill_failed_rules", "Rules of page structure that failed.", ("rule",))
        self._structure = StructureRunner(self._pool, self._on_failed_rule)
        watch_loop(settings.limits.loop_stall_s)

    def _on_failed_rule(self, failure: RuleFailure, page: int) -> None:
        self._failed_rules.inc(tags={"rule": failure.rule})
        # the line carries the request id of the call, as Pipeline's line of the page does, which names the job
        logger.error("rule `%s` failed on page %d\n%s", failure.rule, page, failure.trace, extra={"page": page})

    async def about(self) -> dict[str, Any]:
        """How many children it has at most, and which of the kernel's walls stand around them."""
        return {"num_children": self._num_children, "walls": self._pool.walls}

    async def open(self, source: Source) -> Opened:
        return await self._pool.open(source)

    async def authored(self, source: Source, number: int, deadline_s: float | None = None) -> Page | None:
        """A page as its author wrote it, with printed boxes where that is on; see `RendererPool.authored`.

        It waits for them at most a share of the page's deadline: `deadline_s`, or the server's where that is less.
        """
        page = await self._pool.authored(source, number)
        if page is None or self._prints is None:
            return page
        wait_s = PRINT_SHARE * min(self._page_deadline_s, deadline_s or self._page_deadline_s)
        return await self._prints.placed(source, page, wait_s)

    async def attachment(self, source: Source, name: str) -> bytes:
        """The bytes of an attachment; see `RendererPool.attachment`."""
        return await self._pool.attachment(source, name)

    async def inspect(
        self, source: Source, number: int, *, pose: Pose | None = None, text_source: Wanted = "text_layer"
    ) -> InspectedPage:
        return await self._pool.inspect(source, number, pose=pose, text_source=text_source)

    async def pose(self, source: Source, number: int) -> Pose:
        """How a page must be straightened; see `RendererPool.pose`."""
        return await self._pool.pose(source, number)

    async def picture(
        self,
        source: Source,
        number: int,
        *,
        long_side: int | None = None,
        dpi: float | None = None,
        box: BoundingBox | None = None,
        angle: int = 0,
        pose: Pose | None = None,
    ) -> np.ndarray:
        """Pixels of a page or of a box on it: uint8, height x width x 3, RGB; see `RendererPool.picture`."""
        return await self._pool.picture(source, number, long_side=long_side, dpi=dpi, box=box, angle=angle, pose=pose)

    async def picture_file(
        self,
        source: Source,
        number: int,
        *,
        form: PictureForm = "PNG",
        dpi: float | None = None,
        box: BoundingBox | None = None,
        angle: int = 0,
        scale: tuple[float, float] = (1.0, 1.0),
    ) -> PictureFile:
        """The picture as a file, scaled along x and y once it is drawn."""
        pixels = await self._pool.picture(source, number, dpi=dpi, box=box, angle=angle)
        return await asyncio.to_thread(encoded, pixels, form, dpi=dpi, scale=scale)

    async def overlay(self, source: Source, page: Page, *, dpi: float) -> bytes:
        """A PNG of the page with its regions drawn over it."""
        pixels = await self._pool.picture(source, page.number, dpi=dpi)
        return await asyncio.to_thread(overlay, pixels, page.size, page.regions)

    async def draft(
        self,
        source: Source,
        page: InspectedPage,
        detections: Sequence[Detection],
        *,
        blocks: Sequence[SegmentBlock] = (),
        text_source: Wanted,
        crop_margin: tuple[float, float],
    ) -> DraftedPage:
        """The regions of a page before any of them is read; see `StructureRunner.draft`."""
        return await self._structure.draft(
            source, page, detections, blocks=blocks, text_source=text_source, crop_margin=crop_margin
        )

    async def segments(
        self,
        source: Source,
        page: DraftedPage,
        readings: PageReadings,
    ) -> bytes:
        """The features of a page's lines once they are read; see `StructureRunner.segments`."""
        return await self._structure.segments(source, page, readings)

    async def compose(
        self,
        source: Source,
        page: DraftedPage,
        readings: PageReadings,
        *,
        blocks: Sequence[SegmentBlock] = (),
        low_confidence: float,
        pose: Pose | None,
        page_size: tuple[float, float],
    ) -> Page:
        """The page once its regions are read; see `StructureRunner.compose`."""
        return await self._structure.compose(
            source, page, readings, blocks=blocks, low_confidence=low_confidence, pose=pose, page_size=page_size
        )

    async def structure(
        self,
        source: Source,
        page: InspectedPage,
        detections: Sequence[Detection],
        *,
        blocks: Sequence[SegmentBlock] = (),
    ) -> Page:
        """A page of which nothing is read; see `StructureRunner.structure`."""
        return await self._structure.structure(source, page, detections, blocks=blocks)
