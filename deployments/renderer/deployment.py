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
from deployments.calls.cancellable_calls import together
from deployments.calls.remote_method import method_of
from deployments.renderer.office_printing import PrintedBoxCache
from deployments.replicas.loop_watchdog import watch_loop
from deployments.replicas.render_limits import render_limits
from deployments.storage.bucket_objects import BucketObjects
from deployments.storage.configured_blobs import local_blobs
from deployments.values.page_job import PageJob
from documents.boxes import BoundingBox
from documents.draft.rule import RuleFailure
from documents.errors import IngestError, PageNotDrawn, RendererUnavailable
from documents.exports.overlay import overlay
from documents.exports.picture_file import PictureFile, PictureForm, encoded
from documents.media_types import TEXT_TYPES
from documents.printing.printer import Printer, PrintLimits
from documents.sandbox import RendererPool
from documents.sandbox.page_stages import Crop, InspectedPage, PageView
from documents.sandbox.structure_runner import StructureRunner
from documents.values import Page, Source

logger = logging.getLogger("ray.serve")
PRINT_SHARE = 0.5  # share of a page's time for printing; the rest is for the pictures in it


class Renderer:
    """A pool of children, see `RendererPool` and `StructureRunner`; what their calls raise reaches the caller.

    It holds nothing of a page between two calls of `Pipeline.page`: each may go to another replica.
    """

    def __init__(self, settings: Settings) -> None:
        options = settings.renderer
        self._num_children = options.num_children
        self._ends = Counter(
            "pagemill_renderer_child_ends", "Children of the renderer that ended, by reason.", ("reason",)
        )
        self._prints: PrintedBoxCache | None = None
        self._pool = RendererPool(
            options.num_children,
            render_limits(settings),
            lambda reason: self._ends.inc(tags={"reason": reason}),
            local_blobs(settings),
        )
        if options.libreoffice:
            limits = PrintLimits(
                timeout_s=options.print_timeout_s,
                cpu_s=math.ceil(options.print_timeout_s),
                memory_bytes=options.print_memory_mb * 1_000_000,
            )
            self._prints = PrintedBoxCache(self._pool, Printer(limits))
        self._bucket_objects = BucketObjects(settings)
        self._failed_rules = Counter("pagemill_failed_rules", "Rules of page structure that failed.", ("rule",))
        self._structure = StructureRunner(self._pool, self._on_failed_rule)
        watch_loop(settings.limits.loop_stall_s)

    warm = method_of("_pool", RendererPool.warm)
    open = method_of("_pool", RendererPool.open)
    attachment = method_of("_pool", RendererPool.attachment)
    inspect = method_of("_pool", RendererPool.inspect)
    fingerprint = method_of("_pool", RendererPool.fingerprint)
    straightened = method_of("_pool", RendererPool.straightened)
    picture = method_of("_pool", RendererPool.picture)
    crop = method_of("_pool", RendererPool.crop)
    staged_object = method_of("_bucket_objects", BucketObjects.staged_object)
    discard_object = method_of("_bucket_objects", BucketObjects.discard_object)
    draft = method_of("_structure", StructureRunner.draft)
    segments = method_of("_structure", StructureRunner.segments)
    compose = method_of("_structure", StructureRunner.compose)
    structure = method_of("_structure", StructureRunner.structure)

    async def about(self) -> dict[str, Any]:
        """How many children it has at most, and which of the kernel's walls stand around them."""
        return {"num_children": self._num_children, "walls": self._pool.walls}

    async def open_page(self, job: PageJob) -> InspectedPage | PageView | Page:
        """What the page's file says of it; of one that must stand straight only how, but for which end is up.

        A page that its author wrote and nobody drew is all there; only its pictures may still be read.
        """
        if job.source.media_type in TEXT_TYPES and (page := await self._authored(job)) is not None:
            return page
        try:
            inspected = await self._pool.inspect(job.source, job.number, text_source=job.text_source)
        except PageNotDrawn:  # of a file that a PDF carries
            if (page := await self._authored(job)) is None:
                raise
            return page
        if not inspected.must_stand_straight:
            return inspected
        return inspected.straightened(await self._pool.pose(job.source, job.number))

    async def crops(self, page: PageView, crops: Sequence[Crop]) -> list[np.ndarray | IngestError]:
        """As `crop`, with the error in the place of one that cannot be drawn.

        Raises:
            RendererUnavailable: none is to blame.
        """

        async def drawn(crop: Crop) -> np.ndarray | IngestError:
            try:
                return await self._pool.crop(page, crop)
            except RendererUnavailable:
                raise
            except IngestError as error:
                return error

        return await together(drawn(crop) for crop in crops)

    async def _authored(self, job: PageJob) -> Page | None:
        """With printed boxes where that is on, for which it waits at most a share of the page's time."""
        page = None if job.source.part else await self._pool.authored(job.source, job.number)
        if page is None or self._prints is None:
            return page
        return await self._prints.placed(job.source, page, round(PRINT_SHARE * job.left_s, 1))

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

    def _on_failed_rule(self, failure: RuleFailure, page: int) -> None:
        self._failed_rules.inc(tags={"rule": failure.rule})
        # the line carries the request id of the call, as Pipeline's line of the page does, which names the job
        logger.error("rule `%s` failed on page %d\n%s", failure.rule, page, failure.trace, extra={"page": page})
