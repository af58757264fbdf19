"""A fixed number of children draw pages; a call that ends badly takes its child with it, and never another call."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from documents.inspection import Inspection
from documents.render_limits import RenderLimits
from documents.sandbox import wire
from documents.sandbox.child_process import ChildProcess
from documents.sandbox.child_queue import ChildQueue
from documents.straighten.pose import Pose
from documents.values import BoundingBox, Opened, Source

T = TypeVar("T")


class RendererPool:
    """Each child is idle or serves exactly one call, and one namespace; children start when first needed.

    Any call raises PageTimeout, PageTooCostly, ImageTooLarge by what the document costs, and RendererUnavailable where
    the machine has no child for it: that is never the document's fault.
    """

    def __init__(
        self, num_children: int, limits: RenderLimits | None = None, on_end: Callable[[str], None] = lambda _: None
    ) -> None:
        """`on_end` is called with the reason, of `child_end.ChildEnd`, whenever a child is ended or ends."""
        limits = limits or RenderLimits()
        self._children = tuple(ChildProcess(limits, on_end) for _ in range(num_children))
        self._queue = ChildQueue(self._children)

    @property
    def walls(self) -> tuple[str, ...] | None:
        """Which of the kernel's walls stand around the children; None before one has started."""
        return next((child.walls for child in self._children if child.walls is not None), None)

    async def open(self, source: Source) -> Opened:
        """Open a document; raises UnreadableDocument, EncryptedDocument, NoPages, TooManyPages, or as any call."""
        return await self._call(source, {"call": "open"}, lambda told, _: Opened.model_validate(told))

    async def inspect(self, source: Source, number: int, *, pose: Pose | None = None) -> Inspection:
        """What page `number` (from 1) tells of itself, straightened as `pose` says; raises PageFailed."""
        request: wire.Header = {"call": "inspect", "number": number, "pose": pose and pose.model_dump()}
        return await self._call(source, request, lambda _, told: Inspection.model_validate_json(told))

    async def pose(self, source: Source, number: int) -> Pose:
        """How the page must be straightened, told from its picture; not which end is up. Raises as `inspect`."""
        request: wire.Header = {"call": "pose", "number": number}
        return await self._call(source, request, lambda told, _: Pose.model_validate(told))

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
        """Draw a page, or the part of it in `box` (points), turned back by `angle` degrees clockwise.

        With a `pose` the page is straightened first, and the box is one of the straightened page.

        Either `long_side` (pixels of the result's longer side) or `dpi` sets the scale; if neither is given, a PDF is
        drawn at 144 dpi, and an image comes in its own pixels.
        Returns uint8 (height, width, 3), RGB, contiguous, read-only. Raises PageFailed, or as any call.
        """
        request: wire.Header = {
            "call": "picture",
            "number": number,
            "long_side": long_side,
            "dpi": dpi,
            "box": box and box.model_dump(),
            "angle": angle,
            "pose": pose and pose.model_dump(),
        }
        return await self._call(source, request, _picture)

    async def close(self) -> None:
        """End all children; calls that still run fail."""
        self._queue.close()
        await asyncio.gather(*(child.close() for child in self._children))

    async def _call(self, source: Source, request: wire.Header, read: Callable[[Any, bytes], T]) -> T:
        async with self._queue.child_for(source) as child:
            return await child.ask(source, request, read)


def _picture(told: Any, payload: bytes) -> np.ndarray:
    height, width, depth = told["shape"]
    if depth != 3 or min(height, width) < 1:
        raise ValueError("a picture has pixels of three colours")
    return np.frombuffer(payload, np.uint8).reshape(height, width, depth)
