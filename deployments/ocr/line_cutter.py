"""Cuts crops into lines for OCR in a child process, so that the model's thread is not slowed down."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Awaitable, Callable, Sequence

import numpy as np

from deployments.values.read_options import RegionUnread
from documents.boxes import BoundingBox
from documents.errors import PageFailed, PageTimeout, PageTooCostly
from documents.ocr_input import line_strips
from documents.ocr_input.line_strips import Strip
from documents.render_limits import RenderLimits
from documents.sandbox.cutting_call import cut_call
from documents.sandbox.renderer_pool import RendererPool

BYTES_PER_PIXEL = 20  # memory that cutting takes, per pixel of the picture

Cut = Callable[[np.ndarray, Sequence[BoundingBox] | None], Awaitable[list[Strip]]]
"""`documents.ocr_input.line_strips.cut`, off the event loop. Raises RegionTooDense."""


async def cut_here(picture: np.ndarray, within: Sequence[BoundingBox] | None = None) -> list[Strip]:
    """In a thread of this process, for who reads one picture at a time."""
    return await asyncio.to_thread(line_strips.cut, picture, within)


class Cutter:
    """Pictures are cut one after the other in one child, which the first of them starts; it ends with this process."""

    def __init__(self, limits: RenderLimits | None = None) -> None:
        limits = limits or RenderLimits()
        memory_bytes = limits.memory_bytes + BYTES_PER_PIXEL * limits.max_pixels
        # no lower priority than the model's, which waits for it
        self._pool = RendererPool(1, dataclasses.replace(limits, memory_bytes=memory_bytes, niceness=0))

    async def cut(self, picture: np.ndarray, within: Sequence[BoundingBox] | None = None) -> list[Strip]:
        """As `Cut`.

        Raises:
            RegionUnread: it takes longer or more memory than allowed, or ends the child again and again.
            RendererUnavailable: no child could be started, or it was ended from outside; the call may succeed later.
        """
        grey = await asyncio.to_thread(line_strips.grey_of, picture)
        try:
            return await self._pool.ask(cut_call(grey, within))
        except (PageFailed, PageTimeout, PageTooCostly) as error:
            raise RegionUnread(f"it was not cut into lines: {error.message}") from error

    async def close(self) -> None:
        """End the child; a picture that it cuts fails."""
        await self._pool.close()
