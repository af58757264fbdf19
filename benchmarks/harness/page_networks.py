"""The two networks that say what is on a page, as a server has them by its settings."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file

from configs.settings import Settings, checkpoint_path
from documents.errors import IngestError
from documents.layout.load_detector import load_detector
from documents.layout.region_detector import RegionDetector, Thresholds
from documents.layout.structure.structure_reader import StructureReader
from documents.page.picture_need import needs_look
from documents.sandbox.page_stages import Crop, InspectedPage
from documents.sandbox.renderer_pool import RendererPool
from documents.segments.blocks import SegmentBlock
from documents.segments.features import GROUPS, PageFeatures
from documents.segments.packed_features import unpack
from documents.values import Detection

EVIDENCE = ("trees", "regions", "type", "words", "graphics")  # that a benchmark may take away
IMPOSSIBLE_SCORE = 1.01  # a score that no region has


@dataclass(frozen=True, slots=True)
class PageNetworks:
    """`detector` finds regions in a page's picture, `reader` blocks in its printed lines."""

    detector: RegionDetector[Any]
    reader: StructureReader
    looks_always: bool = False  # as `layout.when`

    def must_look(self, page: InspectedPage, blocks: Sequence[SegmentBlock]) -> bool:
        """Whether `detector` is shown the page."""
        return self.looks_always or needs_look(page.picture, blocks)

    async def regions(
        self,
        pool: RendererPool,
        page: InspectedPage,
        blocks: Sequence[SegmentBlock],
        lap: Callable[[str], None] = lambda _: None,
    ) -> list[Detection]:
        """What `detector` sees on the page, if it must be shown it.

        `lap` is called after drawing the picture and after the network. Raises IngestError as both do.
        """
        if not self.must_look(page, blocks):
            return []
        picture = await pool.crop(page.view, Crop(long_side=self.detector.image_size, angle=page.turn))
        lap("picture")
        (detections,) = await asyncio.to_thread(self.detector.detect, [picture], [page.picture_size])
        lap("network")
        if isinstance(detections, IngestError):
            raise detections
        return page.on_page(detections)

    @classmethod
    def of(cls, settings: Settings, without: Collection[str] = ()) -> PageNetworks:
        """Those of the settings' checkpoints; some of their `EVIDENCE` may be taken away."""
        sure = Thresholds(confidence=IMPOSSIBLE_SCORE) if "regions" in without else None
        detector = load_detector(checkpoint_path(settings.layout.model), thresholds=sure)
        return cls(detector, structure_reader(settings, without), settings.layout.when == "always")


class _PartlyBlind(StructureReader):
    """Reads pages of which something is not known."""

    def __init__(self, folder: Path, without: Collection[str]) -> None:
        super().__init__(folder)
        self._without = without
        self._mean = load_file(folder / "model.safetensors")["mean"]

    def blocks_of(self, packed: bytes) -> tuple[SegmentBlock, ...]:
        return next(iter(self.blocks([[self._blinded(band) for band in unpack(packed)]])))

    def _blinded(self, band: PageFeatures) -> PageFeatures:
        numbers = band.numbers.copy()
        for name in set(self._without) & set(GROUPS):
            numbers[:, GROUPS[name]] = self._mean[GROUPS[name]]
        return replace(band, numbers=numbers, hashes=band.hashes * np.int16("words" not in self._without))


def structure_reader(settings: Settings, without: Collection[str] = ()) -> StructureReader:
    """The reader of the settings' checkpoint; some of its `EVIDENCE` may be taken away."""
    folder = Path(checkpoint_path(settings.layout.structure_model))
    return _PartlyBlind(folder, without) if without else StructureReader(folder)
