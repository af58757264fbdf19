"""Renderer: the only deployment whose processes open outside bytes, each in a child that may be killed."""

from __future__ import annotations

from typing import Any

import numpy as np
from ray.util.metrics import Counter

from configs import Settings
from documents.inspection import Inspection
from documents.sandbox import RendererPool, RenderLimits
from documents.straighten.pose import Pose
from documents.values import BoundingBox, Opened, Source


class Renderer:
    """A pool of children, see `documents.sandbox.RendererPool`; what its calls raise comes to the caller as it is."""

    def __init__(self, settings: Settings) -> None:
        chosen = settings.renderer
        limits = RenderLimits(
            max_pages=settings.limits.max_pages,
            max_pixels=chosen.max_pixels,
            page_timeout_s=chosen.page_timeout_s,
            page_cpu_s=chosen.page_cpu_s,
            memory_bytes=chosen.memory_mb * 1_000_000,
            resident_bytes=chosen.retire_mb * 1_000_000,
            documents_per_child=chosen.documents_per_child,
        )
        self._num_children = chosen.num_children
        self._ends = Counter(
            "pagemill_renderer_child_ends", "Children of the renderer that ended, by reason.", ("reason",)
        )
        self._pool = RendererPool(chosen.num_children, limits, lambda reason: self._ends.inc(tags={"reason": reason}))

    async def about(self) -> dict[str, Any]:
        """How many children it has at most, and which of the kernel's walls stand around them."""
        return {"num_children": self._num_children, "walls": self._pool.walls}

    async def open(self, source: Source) -> Opened:
        return await self._pool.open(source)

    async def inspect(self, source: Source, number: int, *, pose: Pose | None = None) -> Inspection:
        return await self._pool.inspect(source, number, pose=pose)

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
