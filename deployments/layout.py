"""Layout: the regions of pages; pages of all documents share each batch, and no result depends on its batch mates."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from ray import serve
from ray.util.metrics import Histogram

from configs import Settings
from configs.settings import checkpoint_path
from deployments.gate import BatchGate
from documents.values import Detection

logger = logging.getLogger("ray.serve")
SIZES: list[float] = [1, 2, 4, 8, 16, 32, 64]
SECONDS: list[float] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10]


@dataclass(frozen=True, slots=True)
class Item:
    """One page on its way to the model."""

    picture: np.ndarray
    page_size: tuple[float, float] | None
    label: str
    begun: float


class Layout:
    """One model, one thread, one batch at a time."""

    def __init__(self, settings: Settings) -> None:
        from deployments.device import choose_device  # here: whoever builds the graph need not load torch
        from documents.detector import Detector

        self._settings = settings.layout
        self._detector = Detector(
            checkpoint_path(self._settings.model),
            device=choose_device(settings.device),
            max_batch_size=self._settings.batch_size,
        )
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="layout-model")
        self._gate = BatchGate(self._settings.batch_size)
        self._counts = {"pages": 0, "batches": 0, "shared_batches": 0, "largest_batch": 0}
        self._batch_size = Histogram("pagemill_layout_batch_size", "Pages a batch.", SIZES)
        self._batch_documents = Histogram("pagemill_layout_batch_documents", "Documents that share a batch.", SIZES)
        self._model_time = Histogram("pagemill_layout_model_seconds", "Seconds of the model a batch.", SECONDS)
        self._wait_time = Histogram("pagemill_layout_wait_seconds", "Seconds from call to batch.", SECONDS)
        self.reconfigure({})

    def reconfigure(self, user_config: Mapping[str, Any]) -> None:
        """Take `batch_size` and `batch_wait_s` at run time; what is not named is as in the settings."""
        self._gate.size = int(user_config.get("batch_size", self._settings.batch_size))
        batch: Any = self._batch  # what the decorator adds to the method is not typed
        batch.set_max_batch_size(self._gate.size)
        batch.set_batch_wait_timeout_s(float(user_config.get("batch_wait_s", self._settings.batch_wait_s)))

    async def detect(
        self, picture: np.ndarray, page_size: tuple[float, float] | None = None, *, label: str = ""
    ) -> list[Detection]:
        """The regions of one page picture (uint8, height x width x 3, RGB), best first.

        Boxes are in PDF points where `page_size` (width, height) is given, else in pixels of the picture. `label`
        names the document, so that the metrics show which documents shared a batch.

        Raises:
            IngestError: this picture cannot be processed; its batch mates are not touched.
        """
        item = Item(picture, page_size, label, time.perf_counter())
        async with self._gate.entered():
            found = await self._batch(item)
        if isinstance(found, Exception):
            raise found
        return found

    async def about(self) -> dict[str, Any]:
        """The checkpoint's name, the long side of the pictures it wants, how far text may stick out of a region (shares
        of that side), and what was done so far.
        """
        detector = self._detector
        facts = {"model": detector.name, "image_size": detector.image_size, "crop_margin": detector.crop_margin}
        return facts | self._counts

    @serve.batch(max_batch_size=8, batch_wait_timeout_s=0.01)
    async def _batch(self, items: list[Item]) -> list[Any]:
        self._gate.close()
        begun = time.perf_counter()
        for item in items:
            self._wait_time.observe(begun - item.begun)
        loop = asyncio.get_running_loop()
        try:
            found = await loop.run_in_executor(self._thread, self._detect, items)
        except asyncio.CancelledError:  # would leave the callers of @serve.batch waiting for ever
            return [RuntimeError("the layout replica is stopping")] * len(items)
        self._record(items, time.perf_counter() - begun)
        return found

    def _detect(self, items: list[Item]) -> list[Any]:
        chosen = self._settings
        return list(
            self._detector.detect(
                [item.picture for item in items],
                [item.page_size for item in items],
                confidence=chosen.confidence,
                iou_threshold=chosen.iou_threshold,
            )
        )

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
