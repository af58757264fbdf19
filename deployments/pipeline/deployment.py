"""The Pipeline deployment: one page from file to result (render, layout, OCR, structure), and indexing at the end."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

from ray import serve
from ray.util.metrics import Counter

from configs import Settings
from deployments.calls.cancellable_calls import call
from deployments.calls.handles import (
    EmbedderHandle,
    JobsHandle,
    LayoutHandle,
    OcrHandle,
    RendererHandle,
    SearchHandle,
)
from deployments.jobs.results.fetched_result import fetched_result
from deployments.pipeline.chunked_document import chunked_document
from deployments.pipeline.office_pages import authored_page
from deployments.pipeline.page_reader import PageReader
from deployments.replicas.loop_watchdog import watch_loop
from deployments.values.jobs import PartialPage, Plan, Timings
from deployments.values.page_task import PageTask, Stopwatch
from documents.errors import PageNotDrawn
from documents.media_types import TEXT_TYPES
from documents.readings.whole_page import UNPLACED_CODE
from documents.sandbox.page_stages import DraftedPage, InspectedPage, PageReadings
from documents.segments.blocks import SegmentBlock
from documents.straighten.pose import Pose
from documents.values import Detection, Opened, Page, Source
from retrieval.chunking.chunk_size import counter_for
from retrieval.embedding.embedder import Embedder

logger = logging.getLogger("ray.serve")
READ_SHARE = 0.8  # share of a page's deadline; regions that are not read by then are left unread


class Pipeline:
    """Renderer, layout, text source, reading, order: in this sequence for each page."""

    def __init__(
        self,
        settings: Settings,
        renderer: RendererHandle,
        layout: LayoutHandle,
        ocr: OcrHandle,
        embedder: EmbedderHandle,
        search: SearchHandle,
    ) -> None:
        self._renderer = renderer
        self._layout = layout
        self._reader = PageReader(settings, renderer, ocr, self._send_partial_page)
        self._embedder = embedder
        self._search = search
        self._low_confidence = settings.ocr.warning_confidence
        self._deadline_s = settings.limits.page_deadline_s
        self._jobs: JobsHandle | None = None
        self._counter = counter_for(Embedder.find(settings.embedder.model))
        # of their own, as many as documents may be finished at once: retries of pages need the loop's
        self._documents = ThreadPoolExecutor(settings.limits.max_pages_in_flight, thread_name_prefix="documents")
        self._straightened = Counter(
            "pagemill_straightened_pages", "Pages that were turned, deskewed or evened out before reading.", ("change",)
        )
        self._written = Counter("pagemill_authored_pages", "Pages that are not drawn, by form.", ("form",))
        self._whole_pages = Counter(
            "pagemill_whole_page_readings",
            "Pages that OCR read as one picture; `no`: a block matched no region.",
            ("placed",),
        )
        self._finder: dict[str, Any] | None = None  # what Layout tells of itself; it does not change
        watch_loop(settings.limits.loop_stall_s)

    async def about(self) -> dict[str, Any]:
        """How chunks are counted."""
        return {"max_chunk_tokens": self._counter.max_tokens}

    async def open(self, source: Source) -> Opened:
        """What the file tells before any page is looked at."""
        return await call(self._renderer.open.remote(source))

    async def attachment(self, source: Source, name: str) -> bytes:
        """The bytes of a mail's attachment that `open` listed."""
        return await call(self._renderer.attachment.remote(source, name))

    async def page(self, task: PageTask) -> tuple[Page, Timings]:
        """The facts of one page, and the seconds each stage took.

        Raises:
            IngestError: the page cannot be drawn or read.
            Busy, ReplicaDied, RendererUnavailable: a callee could not do its part; the call may be tried again.
        """
        if task.source.media_type in TEXT_TYPES and task.source.part is None:
            authored = await authored_page(task, self._renderer, self._drawn_page)
            if authored is not None:
                self._written.inc(tags={"form": authored[0].form})
                return authored
        try:
            return await self._drawn_page(task)
        except PageNotDrawn:  # of a file that a PDF carries
            carried = await authored_page(task, self._renderer, self._drawn_page)
            if carried is None:
                raise
            self._written.inc(tags={"form": carried[0].form})
            return carried

    async def _drawn_page(self, task: PageTask) -> tuple[Page, Timings]:
        """The facts of a page that is drawn. Raises as `page`."""
        clock = Stopwatch()
        until = asyncio.get_running_loop().time() + READ_SHARE * min(
            self._deadline_s, task.deadline_s or self._deadline_s
        )
        inspected: InspectedPage = await call(
            self._renderer.inspect.remote(task.source, task.number, text_source=task.text_source)
        )
        page_size = inspected.width, inspected.height
        clock.lap("inspect_s")
        pose = await self._reader.pose(task) if inspected.must_stand_straight else None
        if pose is not None:
            inspected = await call(self._renderer.inspect.remote(task.source, task.number, pose=pose))
        clock.lap("pose_s")
        drafted = await self._drafted(task, inspected, pose, clock)
        readings = await self._reader.read(task, drafted, pose, page_size, until)
        clock.lap("ocr_s")
        page = await self._composed(task, drafted, readings, pose, page_size)
        clock.lap("compose_s")
        # the calls of this page carry this line's request id: by it their lines in other replicas are found
        ids = {"job": task.label, "page": task.number}
        logger.info("page %d of %s in %.3f s", task.number, task.label, sum(clock.laps.values()), extra=ids)
        return page, clock.laps

    async def finish(self, plan: Plan, opened: Opened) -> None:
        """Cut the document of a job into chunks, embed them and put them into the index in one commit."""
        _, _, pages = await fetched_result(self._jobs_handle(), plan.job_id)
        chunked = await asyncio.get_running_loop().run_in_executor(
            self._documents, chunked_document, plan, opened, pages, self._counter
        )
        vectors = await call(self._embedder.embed.remote(chunked.texts))
        await call(
            self._search.replace.remote(
                plan.document_id,
                chunked.chunks,
                vectors,
                namespace=plan.namespace,
                revision=plan.revision,
                metadata=chunked.metadata,
                source=chunked.source,
            )
        )

    async def forget(self, document_id: str, *, namespace: str) -> None:
        """Remove a document from the index; one that is not there is as good as removed."""
        await call(self._search.forget.remote(document_id, namespace=namespace))

    async def _drafted(self, task: PageTask, page: InspectedPage, pose: Pose | None, clock: Stopwatch) -> DraftedPage:
        """The page's regions, by both networks of Layout and its text layer."""
        detections = await self._detect(task, page, pose)
        blocks = await call(self._layout.blocks.remote(page.features, label=task.label))
        clock.lap("layout_s")
        margin = (await self._about_layout())["crop_margin"]
        drafted: DraftedPage = await call(
            self._renderer.draft.remote(
                task.source, page, detections, blocks=blocks, text_source=task.text_source, crop_margin=margin
            )
        )
        clock.lap("draft_s")
        return drafted

    async def _detect(self, task: PageTask, page: InspectedPage, pose: Pose | None) -> list[Detection]:
        """Regions by the layout network; the picture goes from Renderer to Layout without passing here."""
        side = (await self._about_layout())["image_size"]
        picture = self._renderer.picture.remote(task.source, task.number, long_side=side, angle=page.turn, pose=pose)
        answer = self._layout.detect.remote(picture, page.picture_size, label=task.label)
        return page.on_page(await call(answer, picture))

    async def _composed(
        self,
        task: PageTask,
        drafted: DraftedPage,
        readings: PageReadings,
        pose: Pose | None,
        page_size: tuple[float, float],
    ) -> Page:
        """The finished page, counted by what was done for it."""
        page: Page = await call(
            self._renderer.compose.remote(
                task.source,
                drafted,
                readings,
                blocks=await self._blocks_after_ocr(task, drafted, readings),
                low_confidence=self._low_confidence,
                pose=pose,
                page_size=page_size,
            )
        )
        if readings.page is not None:
            unplaced = any(warning.code == UNPLACED_CODE for warning in page.warnings)
            self._whole_pages.inc(tags={"placed": "no" if unplaced else "yes"})
        for change in pose.changes(*page_size) if pose is not None else ():
            self._straightened.inc(tags={"change": change})
        return page

    async def _blocks_after_ocr(
        self, task: PageTask, page: DraftedPage, readings: PageReadings
    ) -> tuple[SegmentBlock, ...]:
        """The blocks of the page's lines once OCR has read some of them; none where it read nothing."""
        if not readings.readings and readings.page is None:
            return ()
        features: bytes = await call(self._renderer.segments.remote(task.source, page, readings))
        return await call(self._layout.blocks.remote(features, label=task.label))

    async def _about_layout(self) -> dict[str, Any]:
        finder = self._finder
        if finder is None:
            finder = self._finder = await call(self._layout.about.remote())
        return finder

    async def _send_partial_page(self, job_id: str | None, partial_page: PartialPage) -> None:
        """Send it to Jobs."""
        assert job_id is not None  # without one there are no partial results
        await call(self._jobs_handle().partial_page.remote(job_id, partial_page))

    def _jobs_handle(self) -> JobsHandle:
        """Jobs calls this deployment, and so cannot be bound to it."""
        if self._jobs is None:
            handle = serve.get_deployment_handle("Jobs", serve.get_replica_context().app_name)
            self._jobs = cast("JobsHandle", handle)
        return self._jobs
