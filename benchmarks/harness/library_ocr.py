"""ScanReader: a scan to a Document in this process by our own functions and engine, without a server, Ray or jobs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from batching import Engine, EngineConfig
from batching.loading.models import load_got_ocr2
from benchmarks.harness.library import source_of
from benchmarks.harness.page_networks import PageNetworks
from configs.settings import Settings, checkpoint_path
from deployments.ocr.line_cutter import Cutter
from deployments.ocr.ocr_model import repetition_limit
from deployments.ocr.region_reader import RegionReader
from deployments.values.read_options import PLAIN_OPTIONS, ReadOptions
from documents.document.assemble_document import assemble
from documents.draft.page_draft import RegionDraft
from documents.draft.text_source import Layer, must_stand_straight
from documents.draft.whole_page_reading import PageReading
from documents.errors import IngestError
from documents.inspection import Inspection
from documents.ocr_input.tesseract import Tesseract
from documents.ocr_input.word_confidence import Calibration
from documents.page.build_page import compose_read_page, draft_regions, read_page
from documents.regions.scanned_lines import ReadingPlan, plan_reading, text_alone, within_crop
from documents.render_limits import RenderLimits
from documents.sandbox.page_stages import InspectedPage
from documents.sandbox.renderer_pool import RendererPool
from documents.segments.packed_features import packed_segments
from documents.straighten.pose import Pose, on_page
from documents.values import Document, Page, PageWarning, Reading, Source

T = TypeVar("T")
PATIENCE_S = 600.0  # for a page: the machine may be shared
Readings = tuple[dict[int, Reading], dict[int, tuple[int, int]], list[PageWarning]]


@dataclass(frozen=True, slots=True)
class ScannedPage:
    """A page of which nothing is read yet: what OCR is to read, and how the straightened page stands on the file's."""

    inspection: Inspection
    plan: ReadingPlan
    pose: Pose | None
    page_size: tuple[float, float]


class ScanReader:
    """Keeps its children, its network and its engine between documents; one document at a time."""

    def __init__(self, settings: Settings | None = None, calibration: Calibration | None = None) -> None:
        self._settings = settings or Settings()
        self._ocr = self._settings.ocr
        self._networks = PageNetworks.of(self._settings)
        self._pool = RendererPool(1, RenderLimits(page_timeout_s=PATIENCE_S))
        self._loop = asyncio.new_event_loop()
        runner = load_got_ocr2(checkpoint_path(self._ocr.model), quantisation=self._ocr.quantisation)
        config = EngineConfig(
            max_running=self._ocr.max_running,
            max_waiting=self._ocr.max_waiting,
            num_blocks=self._ocr.num_blocks,
            block_size=self._ocr.block_size,
            max_step_tokens=self._ocr.max_step_tokens,
            vision_budget_mb=self._ocr.vision_budget_mb,
        )
        self._engine = Engine(runner, config)
        self._cutter = Cutter(RenderLimits(page_timeout_s=PATIENCE_S))
        self.reader = RegionReader(
            self._engine,
            runner.inputs.reading,
            Path(self._ocr.model).name,
            max_tokens=self._ocr.max_tokens,
            window=2 * self._ocr.max_running,
            calibration=calibration
            or Calibration.of_folder(checkpoint_path(self._ocr.model), threshold=self._ocr.min_word_confidence),
            repetition=repetition_limit(runner.inputs.tokenizer),
            second=Tesseract.installed() if self._ocr.second_reader == "tesseract" else None,
            doubtful=self._ocr.warning_confidence,
            cut=self._cutter.cut,
        )
        self._loop.run_until_complete(self._engine.start())
        self.seconds: dict[str, float] = {}  # of each stage of the last document

    def document(self, path: Path) -> Document:
        """The whole document, every page read as a scan is; a page that fails raises its error."""
        return self._loop.run_until_complete(self._read(path))

    def close(self) -> None:
        """End the engine and the children."""
        self._loop.run_until_complete(self._cutter.close())
        self._loop.run_until_complete(self._engine.close())
        self._loop.run_until_complete(self._pool.close())
        self._loop.close()

    async def _read(self, path: Path) -> Document:
        self.seconds = {}
        source = source_of(path)
        opened = await self._pool.open(source)
        pages = [await self._page(source, number) for number in range(1, opened.num_pages + 1)]
        return assemble(path.name, 1, opened, pages)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """On the loop that the engine and the children know."""
        return self._loop.run_until_complete(work)

    async def _page(self, source: Source, number: int) -> Page:
        scanned = await self.scanned(source, number)
        begun = time.perf_counter()
        readings, sizes, warnings = await self._readings(source, number, scanned.plan, scanned.pose)
        begun = self._lap("ocr_s", begun)
        page = self.composed(scanned, readings, sizes, warnings)
        self._lap("compose_s", begun)
        return page

    async def scanned(self, source: Source, number: int) -> ScannedPage:
        """The page up to its reading."""
        begun = time.perf_counter()
        inspected = await self._pool.inspect(source, number)
        inspection = inspected.inspection()
        page_size = inspection.width, inspection.height
        pose: Pose | None = None
        if must_stand_straight(Layer(inspection), "auto"):
            pose = await self._pool.pose(source, number)
            picture = await self._pool.picture(source, number, dpi=self._ocr.dpi, pose=pose)
            pose = pose.turned(await self.reader.direction(picture))
            inspected = await self._pool.inspect(source, number, pose=pose)
            inspection = inspected.inspection()
        begun = self._lap("pose_s", begun)
        inspection, plan = await self._plan(inspected)
        self._lap("layout_s", begun)
        return ScannedPage(inspection, plan, pose, page_size)

    def composed(
        self,
        scanned: ScannedPage,
        readings: dict[int, Reading],
        sizes: dict[int, tuple[int, int]],
        warnings: Sequence[PageWarning] = (),
        page_reading: PageReading | None = None,
    ) -> Page:
        """The page with what was read of it."""
        read = read_page(scanned.inspection, scanned.plan.drafts, readings, sizes, page_reading=page_reading)
        is_read = bool(readings) or page_reading is not None
        features = packed_segments(scanned.inspection, read.lines) if is_read else b""
        blocks = self._networks.reader.blocks_of(features)
        page = compose_read_page(read, warnings, blocks=blocks, low_confidence=self._ocr.warning_confidence)
        pose = scanned.pose
        return on_page(page, pose, scanned.page_size) if pose and pose.changes(*scanned.page_size) else page

    async def crop(self, source: Source, number: int, draft: RegionDraft, pose: Pose | None) -> np.ndarray:
        """A region as OCR gets it."""
        return await self._pool.picture(
            source, number, dpi=self._ocr.dpi, box=draft.crop_box, angle=draft.angle, pose=pose
        )

    async def whole(self, source: Source, number: int, pose: Pose | None) -> np.ndarray:
        """The straightened page as OCR gets it."""
        return await self._pool.picture(source, number, dpi=self._ocr.dpi, pose=pose)

    async def _plan(self, inspected: InspectedPage) -> tuple[Inspection, ReadingPlan]:
        """What OCR is to read, and the inspection as the plan sees it."""
        margin = self._networks.detector.crop_margin
        blocks = self._networks.reader.blocks_of(inspected.features)
        regions = await self._networks.regions(self._pool, inspected, blocks)
        inspection, detections = text_alone(inspected.inspection(), regions)
        drafts = draft_regions(inspection, detections, blocks=blocks, crop_margin=margin)
        return inspection, plan_reading(inspection, drafts, margin)

    async def _readings(self, source: Source, number: int, plan: ReadingPlan, pose: Pose | None) -> Readings:
        readings: dict[int, Reading] = {}
        sizes: dict[int, tuple[int, int]] = {}
        warnings: list[PageWarning] = []

        async def read(draft: RegionDraft) -> None:
            crop = await self.crop(source, number, draft, pose)
            sizes[draft.index] = crop.shape[1], crop.shape[0]
            try:
                lines = plan.lines.get(draft.index)
                options = PLAIN_OPTIONS if lines is None else ReadOptions(lines=within_crop(lines, draft.crop_box))
                readings[draft.index] = await self.reader.read(crop, options)
            except IngestError as error:
                warnings.append(PageWarning(code="region_failed", message=error.message, page=number, box=draft.box))

        async with asyncio.TaskGroup() as group:
            for draft in plan.drafts:
                if draft.text_source == "ocr":
                    group.create_task(read(draft))
        return dict(sorted(readings.items())), dict(sorted(sizes.items())), warnings

    def _lap(self, name: str, begun: float) -> float:
        now = time.perf_counter()
        self.seconds[name] = self.seconds.get(name, 0.0) + now - begun
        return now
