"""The pool of child processes: opens, draws and inspects files; limits and retries."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from documents.boxes import BoundingBox
from documents.draft.text_source import Wanted
from documents.render_limits import RenderLimits
from documents.sandbox.child_call import ChildCall
from documents.sandbox.child_process import ChildProcess
from documents.sandbox.child_queue import ChildQueue
from documents.sandbox.framing import MAX_ATTACHMENT_BYTES, MAX_FINISHED_PAGE_BYTES, MAX_HEADER_BYTES
from documents.sandbox.local_files import LocalPath, on_this_machine
from documents.sandbox.page_stages import Crop, InspectedPage, PageView
from documents.straighten.pose import Pose
from documents.values import Opened, Page, Source

T = TypeVar("T")


class RendererPool:
    """Each child is idle or serves exactly one call, and one namespace; it starts when first needed, or with `warm`.

    With two children or more, one of them is always left for `StructureRunner`, whose calls never wait for these.

    Any call raises PageTimeout, PageTooCostly, ImageTooLarge by what the document costs, and RendererUnavailable where
    the machine has no child for it: that is never the document's fault.
    """

    def __init__(
        self,
        num_children: int,
        limits: RenderLimits | None = None,
        on_end: Callable[[str], None] = lambda _: None,
        local_path: LocalPath = on_this_machine,
    ) -> None:
        """`on_end` is called with the reason, of `child_end.ChildEnd`, whenever a child is ended or ends.

        What `local_path` raises reaches the caller of any call.
        """
        self.local_path = local_path
        self.limits = limits or RenderLimits()
        self._children = tuple(ChildProcess(self.limits, on_end) for _ in range(num_children))
        self._queue = ChildQueue(self._children)

    @property
    def walls(self) -> tuple[str, ...] | None:
        """Which of the kernel's walls stand around the children; None before one has started."""
        return next((child.walls for child in self._children if child.walls is not None), None)

    async def open(self, source: Source) -> Opened:
        """Open a document; raises UnreadableDocument, EncryptedDocument, NoPages, TooManyPages, or as any call."""
        return await self._parse(source, "open", lambda opened, _: Opened.model_validate(opened))

    async def authored(self, source: Source, number: int) -> Page | None:
        """Page `number` as its author wrote it, where its file says its text itself; None of one that is drawn.

        Raises PageFailed, or as any call.
        """

        def read(facts: Any, content: bytes) -> Page | None:
            return None if facts["is_printed"] else Page.model_validate_json(content)

        return await self._parse(source, "authored", read, max_reply=MAX_FINISHED_PAGE_BYTES, number=number)

    async def attachment(self, source: Source, name: str) -> bytes:
        """The bytes of an attachment that `open` listed, of a source whose attachments are documents.

        Raises PageFailed, or as any call.
        """
        return await self._parse(
            source,
            "attachment",
            lambda _, content: content,
            max_reply=MAX_ATTACHMENT_BYTES,
            is_raw=True,
            attachment=name,
        )

    async def inspect(
        self, source: Source, number: int, *, pose: Pose | None = None, text_source: Wanted = "text_layer"
    ) -> InspectedPage:
        """What page `number` (from 1) says of itself, straightened as `pose` says, for its text to be of `text_source`.

        Raises PageFailed, or as any call.
        """

        def read(facts: Any, content: bytes) -> InspectedPage:
            end = facts.pop("num_feature_bytes")
            if not 0 <= end <= len(content):
                raise ValueError("features of another length")
            features, inspection = content[:end], content[end:]
            return InspectedPage(
                source=source, number=number, pose=pose, features=features, content=inspection, **facts
            )

        return await self._parse(
            source, "inspect", read, number=number, pose=pose and pose.model_dump(), text_source=text_source
        )

    async def fingerprint(self, source: Source, number: int) -> str | None:
        """A digest of what page `number` draws and says, whatever file it is in; None of one that cannot be compared.

        Raises as `inspect`.
        """
        return await self._parse(source, "fingerprint", lambda digest, _: digest, number=number)

    async def straightened(self, page: PageView) -> InspectedPage:
        """What a page says of itself as its pose shows it. Raises as `inspect`."""
        return await self.inspect(page.source, page.number, pose=page.pose)

    async def pose(self, source: Source, number: int) -> Pose:
        """How the page must be straightened, told from its picture; not which end is up. Raises as `inspect`."""
        return await self._parse(source, "pose", lambda pose, _: Pose.model_validate(pose), number=number)

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
        return await self._parse(
            source,
            "picture",
            _picture,
            max_reply=4 * self.limits.max_pixels,
            is_raw=True,
            number=number,
            long_side=long_side,
            dpi=dpi,
            box=box and box.model_dump(),
            angle=angle,
            pose=pose and pose.model_dump(),
        )

    async def crop(self, page: PageView, crop: Crop) -> np.ndarray:
        """As `picture`, of a page as it is seen."""
        return await self.picture(
            page.source,
            page.number,
            long_side=crop.long_side,
            dpi=crop.dpi,
            box=crop.box,
            angle=crop.angle,
            pose=page.pose,
        )

    async def warm(self) -> None:
        """Start all children, one after the other, so that the first document need not wait for them."""
        for child in self._children:
            await child.warm()

    async def close(self) -> None:
        """End all children; calls that still run fail."""
        self._queue.close()
        await asyncio.gather(*(child.close() for child in self._children))

    async def ask(self, call: ChildCall[T]) -> T:
        """The result of a call, once its turn has come and a child has served it; raises as any call, or RuleEnded."""
        if call.work == "composing":
            async with self._queue.child_for(call.source, call.work) as child:
                return await child.ask(call, None)
        # the file is fetched before a child is taken, which would wait for it
        async with self.local_path(call.source.path) as path, self._queue.child_for(call.source, call.work) as child:
            return await child.ask(call, path)

    async def _parse(
        self,
        source: Source,
        name: str,
        read: Callable[[Any, bytes], T],
        *,
        max_reply: int = MAX_HEADER_BYTES,
        is_raw: bool = False,
        **options: Any,
    ) -> T:
        header = {"call": name, "source": source.model_dump(), **options}
        call = ChildCall(source=source, work="parsing", header=header, read=read, max_reply=max_reply, is_raw=is_raw)
        return await self.ask(call)


def _picture(header: Any, payload: bytes) -> np.ndarray:
    height, width, depth = header["shape"]
    if depth != 3 or min(height, width) < 1:
        raise ValueError("a picture has pixels of three colours")
    return np.frombuffer(payload, np.uint8).reshape(height, width, depth)
