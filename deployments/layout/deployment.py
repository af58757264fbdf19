"""The Layout deployment: detects regions; pages of all documents share batches, without changing each other's
result.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from ray import serve
from ray.util.metrics import Counter, Histogram

from configs import Settings
from configs.settings import checkpoint_path
from deployments.calls.remote_method import Forwardable
from deployments.calls.slots import BatchGate
from deployments.replicas.batch_loop import check_batch_loop
from deployments.replicas.model_thread import ModelThread
from documents.errors import PageFailed
from documents.segments.blocks import SegmentBlock
from documents.values import Detection

if TYPE_CHECKING:  # they load torch, which whoever builds the graph can do without
    from documents.layout.region_detector import RegionDetector, Thresholds
    from documents.layout.structure.structure_reader import StructureReader
    from documents.segments.features import PageFeatures

logger = logging.getLogger("ray.serve")
SIZES: list[float] = [1, 2, 4, 8, 16, 32, 64]
SECONDS: list[float] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10]
COUNTER_NAMES = ("pages", "batches", "shared_batches", "largest_batch", "structure_pages", "structure_shared_batches")
CHANGEABLE_SETTINGS = ("batch_size", "batch_wait_s")


@dataclass(frozen=True, slots=True)
class Item:
    """One page on its way to the model."""

    square: Any  # as the detector made it ready
    thresholds: Thresholds
    label: str
    begun: float


class Layout:
    """One model, one thread that drives it, one batch at a time."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings.layout
        self._detector = _detector(settings)
        self._reader = _reader(settings)
        self._thread = ModelThread("layout-model")
        self._gate = BatchGate(self._settings.batch_size)
        self._counts = dict.fromkeys(COUNTER_NAMES, 0)
        self._batch_size = Histogram("pagemill_layout_batch_size", "Pages per batch.", SIZES)
        self._batch_documents = Histogram("pagemill_layout_batch_documents", "Documents that share a batch.", SIZES)
        self._model_time = Histogram("pagemill_layout_model_seconds", "Seconds of the model per batch.", SECONDS)
        self._wait_time = Histogram("pagemill_layout_wait_seconds", "Seconds from call to batch.", SECONDS)
        self._structure_time = Histogram(
            "pagemill_structure_model_seconds", "Seconds of the structure network per batch.", SECONDS
        )
        self._failed = Counter("pagemill_layout_failed_pages", "Pages on which layout detection failed.")
        self.reconfigure({})

    def reconfigure(self, user_config: Mapping[str, Any]) -> None:
        """Take `batch_size` and `batch_wait_s` at run time; what is not named is as in the settings.

        Raises:
            ValueError: another name, or a size or wait that cannot be.
        """
        if unknown := set(user_config) - set(CHANGEABLE_SETTINGS):
            raise ValueError(
                f"Layout's user_config knows {', '.join(CHANGEABLE_SETTINGS)}; not {', '.join(sorted(unknown))}"
            )
        size = int(user_config.get("batch_size", self._settings.batch_size))
        wait = float(user_config.get("batch_wait_s", self._settings.batch_wait_s))
        if size < 1 or not 0 <= wait < math.inf:
            raise ValueError(f"a batch has at least 1 page and waits 0 seconds or more; not {size} and {wait}")
        batch: Any = self._batch  # what the decorator adds to the method is not typed
        batch.set_max_batch_size(size)
        batch.set_batch_wait_timeout_s(wait)
        self._gate.resize(size)

    async def detect(
        self,
        picture: Forwardable[np.ndarray],
        page_size: tuple[float, float] | None = None,
        *,
        label: str = "",
        confidence: float | None = None,
        iou_threshold: float | None = None,
    ) -> list[Detection]:
        """The regions of one page picture (uint8, height x width x 3, RGB), best first.

        Boxes are in PDF points where `page_size` (width, height) is given, else in pixels of the picture. `label`
        names the document, so that the metrics show which documents shared a batch. `confidence` (least score) and
        `iou_threshold` (overlap of duplicates) are this call's own; unset, the settings' or the checkpoint's.

        Raises:
            IngestError: this picture cannot be processed; its batch mates are not touched.
        """
        from documents.layout.region_detector import Thresholds

        started_at = time.perf_counter()
        try:
            square = await asyncio.to_thread(self._detector.fit, picture, page_size)
            async with self._gate.slot(None):
                detections = await self._batch(Item(square, Thresholds(confidence, iou_threshold), label, started_at))
            if isinstance(detections, Exception):
                raise detections
        except Exception:
            self._failed.inc()
            raise
        return detections

    async def blocks(self, features: bytes, *, label: str = "") -> tuple[SegmentBlock, ...]:
        """The blocks of one page in reading order, by the structure network; none without `features`.

        `features` are those of `InspectedPage`, `label` names the document.

        Raises:
            IngestError: the features are of no page; its batch mates are not touched.
        """
        if not features:
            return ()
        bands = await asyncio.to_thread(_unpacked, features)
        blocks = await self._block_batch((bands, label))
        if isinstance(blocks, Exception):
            raise blocks
        return blocks

    async def about(self) -> dict[str, Any]:
        """The checkpoint's name, the family of its network, the long side of the pictures it wants, how far text may
        stick out of a region (shares of that side), and what was done so far.
        """
        names = ("family", "image_size", "crop_margin")
        facts = {name: getattr(self._detector, name) for name in names}
        return {"model": self._detector.name, **facts, **self._counts}

    async def check_health(self) -> None:
        """Raises when the model is stuck in a batch or no more are formed, so that Serve replaces the replica."""
        self._thread.check()
        await check_batch_loop(self._batch)
        await check_batch_loop(self._block_batch)

    @serve.batch(max_batch_size=8, batch_wait_timeout_s=0.01)
    async def _batch(self, items: list[Item]) -> list[Any]:
        self._gate.close()
        started_at = time.perf_counter()
        for item in items:
            self._wait_time.observe(started_at - item.begun)
        try:
            detections = await self._thread.run(self._detect, items)
        except asyncio.CancelledError:  # would leave the callers of @serve.batch waiting for ever
            return [RuntimeError("the layout replica is stopping")] * len(items)
        finally:
            self._gate.open()
        self._record(items, time.perf_counter() - started_at)
        return detections

    @serve.batch(max_batch_size=32, batch_wait_timeout_s=0)
    async def _block_batch(self, items: list[tuple[Sequence[PageFeatures], str]]) -> list[Any]:
        started_at = time.perf_counter()
        try:
            blocks = await self._thread.run(self._read, [bands for bands, _ in items])
        except asyncio.CancelledError:  # would leave the callers of @serve.batch waiting for ever
            return [RuntimeError("the layout replica is stopping")] * len(items)
        self._structure_time.observe(time.perf_counter() - started_at)
        self._counts["structure_pages"] += len(items)
        self._counts["structure_shared_batches"] += len({label for _, label in items}) > 1
        return blocks

    def _read(self, pages: list[Sequence[PageFeatures]]) -> list[tuple[SegmentBlock, ...]]:
        return list(self._reader.blocks(pages))

    def _detect(self, items: list[Item]) -> list[Any]:
        return list(self._detector.detect_squares([item.square for item in items], [item.thresholds for item in items]))

    def _record(self, items: list[Item], seconds: float) -> None:
        documents = len({item.label for item in items})
        self._batch_size.observe(len(items))
        self._batch_documents.observe(documents)
        self._model_time.observe(seconds)
        self._counts["pages"] += len(items)
        self._counts["batches"] += 1
        self._counts["shared_batches"] += documents > 1
        self._counts["largest_batch"] = max(self._counts["largest_batch"], len(items))
        logger.info("layout batch: %d pages of %d documents in %.3f s", len(items), documents, seconds)


def _unpacked(features: bytes) -> Sequence[PageFeatures]:
    """Raises PageFailed where the child's bytes are none."""
    from documents.segments.packed_features import unpack

    try:
        return unpack(features)
    except ValueError as error:
        raise PageFailed(f"the child's answer about the page is invalid: {error}") from None


def _reader(settings: Settings) -> StructureReader:
    from deployments.replicas.device import choose_device
    from documents.layout.structure.structure_reader import StructureReader

    return StructureReader(Path(checkpoint_path(settings.layout.structure_model)), choose_device(settings.device))


def _detector(settings: Settings) -> RegionDetector[Any]:
    from deployments.replicas.device import choose_device
    from documents.layout.batch_runner import RunnerConfig
    from documents.layout.load_detector import load_detector
    from documents.layout.region_detector import Thresholds

    layout = settings.layout
    return load_detector(
        checkpoint_path(layout.model),
        runner=RunnerConfig(
            device=choose_device(settings.device),
            precision=layout.precision,
            acceleration=layout.acceleration,
            num_threads=layout.num_threads,
        ),
        max_batch_size=layout.batch_size,
        thresholds=Thresholds(layout.confidence, layout.iou_threshold),
        class_confidence=layout.class_confidence,
        classes=layout.classes,
        converted_dir=settings.data_dir / "checkpoints",
    )
