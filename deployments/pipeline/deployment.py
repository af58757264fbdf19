"""The Pipeline deployment: one page from file to result (render, layout, OCR, structure), and indexing at the end."""

from __future__ import annotations

import asyncio
import functools
import logging
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

from ray import serve
from ray.util.metrics import Counter

from configs import Settings
from deployments.calls.cancellable_calls import call
from deployments.calls.handles import (
    JobsHandle,
    LayoutHandle,
    OcrHandle,
    RendererHandle,
    SearchHandle,
)
from deployments.jobs.results.fetched_result import fetched_result
from deployments.pipeline.chunked_document import chunked_document
from deployments.pipeline.office_pages import with_read_pictures
from deployments.pipeline.page_ocr import ReadPlaces
from deployments.pipeline.page_reader import PageReader
from deployments.replicas.loop_watchdog import watch_loop
from deployments.values.jobs import PartialPage, Plan, Timings
from deployments.values.page_job import PageJob, Stopwatch
from deployments.values.shards import deployment_of, shard_of
from documents.page.picture_need import needs_look
from documents.readings.whole_page import UNPLACED_CODE
from documents.sandbox.page_stages import ComposeCall, Crop, InspectedPage
from documents.values import Detection, Opened, Page, Source
from retrieval.chunking.chunk_size import counter_for
from retrieval.embedding.embedder import Embedder

logger = logging.getLogger("ray.serve")
READ_SHARE = 0.8  # share of a page's time; regions that are not read by then are left unread


class Pipeline:
    """Renderer, layout, text source, reading, order: in this sequence for each page."""

    def __init__(
        self,
        settings: Settings,
        renderer: RendererHandle,
        layout: LayoutHandle,
        ocr: OcrHandle,
        search: SearchHandle,
    ) -> None:
        self._renderer = renderer
        self._layout = layout
        self._ocr = ocr
        self._reader = PageReader(settings, renderer, ocr, self._send_partial_page)
        self._search = search
        self._dpi = settings.ocr.dpi
        self._low_confidence = settings.ocr.warning_confidence
        self._looks_always = settings.layout.when == "always"
        self._owners: dict[int, JobsHandle] = {}  # of jobs, by shard
        self._counter = counter_for(Embedder.find(settings.embedder.model))
        # of their own, as many as documents may be finished at once: retries of pages need the loop's
        self._documents = ThreadPoolExecutor(settings.limits.max_pages_in_flight, thread_name_prefix="documents")
        self._straightened = Counter(
            "pagemill_straightened_pages", "Pages that were turned, deskewed or evened out before reading.", ("change",)
        )
        self._written = Counter("pagemill_authored_pages", "Pages that are not drawn, by form.", ("form",))
        self._looks = Counter(
            "pagemill_layout_looks", "Pages by whether the layout network looked at their picture.", ("looked_at",)
        )
        self._whole_pages = Counter(
            "pagemill_whole_page_readings",
            "Pages that OCR read as one picture; `no`: a block matched no region.",
            ("placed",),
        )
        self._about_layout: dict[str, Any] | None = None  # what Layout tells of itself; it does not change
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

    async def fingerprint(self, source: Source, number: int) -> str | None:
        """A digest of what a page draws and says; None of one that cannot be compared. Raises as `page`."""
        return await call(self._renderer.fingerprint.remote(source, number))

    async def page(self, job: PageJob) -> tuple[Page, Timings]:
        """The facts of one page, and the seconds each stage took.

        Raises:
            IngestError: the page cannot be drawn or read.
            Busy, ReplicaDied, RendererUnavailable: a callee could not do its part; the call may be tried again.
        """
        page, timings = await self._page(job, ReadPlaces(READ_SHARE * job.left_s))
        # the calls of this page carry this line's request id: by it their lines in other replicas are found
        ids = {"job": job.label, "page": job.number}
        logger.info("page %d of %s in %.3f s", job.number, job.label, sum(timings.values()), extra=ids)
        return page, timings

    async def _page(self, job: PageJob, places: ReadPlaces) -> tuple[Page, Timings]:
        """As `page`, or a picture in one, within its places; pixels go from Renderer to Layout and Ocr."""
        clock = Stopwatch()
        page = await call(self._renderer.open_page.remote(job))
        if isinstance(page, Page):
            clock.lap("parse_s")
            self._written.inc(tags={"form": page.form})
            read_picture = functools.partial(self._page, places=places)
            composed = await with_read_pictures(job, page, self._renderer, read_picture)
            clock.lap("ocr_s")
            return composed, clock.laps
        clock.lap("inspect_s")
        if not isinstance(page, InspectedPage):
            picture = self._renderer.crop.remote(page, Crop(dpi=self._dpi))
            angle = await call(self._ocr.direction.remote(picture, label=job.label), picture)
            page = await call(self._renderer.straightened.remote(page.turned(angle)))
        clock.lap("pose_s")
        about = self._about_layout = self._about_layout or await call(self._layout.about.remote())
        blocks = await call(self._layout.blocks.remote(page.features, label=job.label))
        is_seen = self._looks_always or needs_look(page.picture, blocks)
        regions = await self._regions(page, about["image_size"], job.label) if is_seen else []
        self._looks.inc(tags={"looked_at": "yes" if is_seen else "no"})
        clock.lap("layout_s")
        margin, source = about["crop_margin"], job.text_source
        draft = self._renderer.draft.remote(page, regions, blocks=blocks, text_source=source, crop_margin=margin)
        drafted = await call(draft)
        clock.lap("draft_s")
        readings = await self._reader.read(job, drafted, places)
        clock.lap("ocr_s")
        blocks = ()  # of the lines once OCR has read some of them
        if readings.readings or readings.page is not None:
            features = await call(self._renderer.segments.remote(drafted, readings))
            blocks = await call(self._layout.blocks.remote(features, label=job.label))
        composing = ComposeCall(page=drafted, readings=readings, blocks=blocks, low_confidence=self._low_confidence)
        composed = await call(self._renderer.compose.remote(composing))
        clock.lap("compose_s")
        self._count(composed, composing)
        return composed, clock.laps

    async def _regions(self, page: InspectedPage, long_side: int, label: str) -> list[Detection]:
        """What the layout network sees in the page's picture, which goes from Renderer to Layout."""
        picture = self._renderer.crop.remote(page.view, Crop(long_side=long_side, angle=page.turn))
        detections = self._layout.detect.remote(picture, page.picture_size, label=label)
        return page.on_page(await call(detections, picture))

    async def finish(self, plan: Plan, opened: Opened) -> None:
        """Cut the document of a job into chunks and put them into the index in one commit; Search embeds them."""
        _, _, pages = await fetched_result(self._owner(shard_of(plan.job_id)), plan.job_id)
        chunked = await asyncio.get_running_loop().run_in_executor(
            self._documents, chunked_document, plan, opened, pages, self._counter
        )
        await call(
            self._search.replace.remote(
                plan.document_id,
                chunked.chunks,
                namespace=plan.namespace,
                revision=plan.revision,
                metadata=chunked.metadata,
                source=chunked.source,
                shard=shard_of(plan.job_id),
            )
        )

    async def forget(self, document_id: str, *, namespace: str, shard: int = 0) -> None:
        """Remove a document from a shard of the index; one that is not there is as good as removed."""
        await call(self._search.forget.remote(document_id, namespace=namespace, shard=shard))

    def _count(self, page: Page, made_of: ComposeCall) -> None:
        """What was done for a page."""
        if made_of.readings.page is not None:
            unplaced = any(warning.code == UNPLACED_CODE for warning in page.warnings)
            self._whole_pages.inc(tags={"placed": "no" if unplaced else "yes"})
        pose = made_of.page.pose
        for change in pose.changes(*made_of.page.size) if pose is not None else ():
            self._straightened.inc(tags={"change": change})

    async def _send_partial_page(self, job_id: str | None, partial_page: PartialPage) -> None:
        """Send it to Jobs."""
        assert job_id is not None  # without one there are no partial results
        await call(self._owner(shard_of(job_id)).partial_page.remote(job_id, partial_page))

    def _owner(self, shard: int) -> JobsHandle:
        """Jobs calls this deployment, and so cannot be bound to it."""
        if shard not in self._owners:
            name = deployment_of(shard)
            handle = serve.get_deployment_handle(name, serve.get_replica_context().app_name)
            self._owners[shard] = cast("JobsHandle", handle)
        return self._owners[shard]
