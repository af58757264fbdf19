"""The call that cuts a picture into lines in a child process: request, reply, and the child's part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from documents.boxes import BoundingBox, Value
from documents.errors import IngestError, PageFailed, PageTooCostly
from documents.ocr_input.line_strips import MAX_SQUARES, Strip, cut
from documents.ocr_input.strip_folding import SQUARE_SIDE
from documents.sandbox import framing
from documents.sandbox.child_call import ChildCall
from documents.values import Source

NAME = "cut"
PICTURE = Source(path="a picture to be cut", media_type="image/x-raw")  # for all tenants: they share a child


class CutRequest(Value):
    """Goes before the pixels of a picture, uint8 (height, width); `within` is as `cut` takes it."""

    call: str = NAME
    shape: tuple[int, int]
    within: tuple[BoundingBox, ...] | None = None


class StripFacts(Value):
    """A strip without its squares, of which it has one per size."""

    box: BoundingBox
    sizes: tuple[tuple[int, int], ...]
    gaps: tuple[tuple[float, float], ...]


class CutReply(Value):
    """Goes before the squares of all strips in order, uint8 (squares, side, side): one of three equal channels."""

    strips: tuple[StripFacts, ...]

    def with_squares(self, payload: bytes) -> list[Strip]:
        """What `cut` returned; raises ValueError if there are more or fewer squares than the strips have."""
        sizes = [strip.sizes for strip in self.strips]
        grey = np.frombuffer(payload, np.uint8).reshape(sum(map(len, sizes)), SQUARE_SIDE, SQUARE_SIDE, 1)
        squares = iter(np.broadcast_to(grey, (*grey.shape[:3], 3)))  # each is copied when the model prepares it
        return [
            Strip(box=strip.box, squares=tuple(next(squares) for _ in strip.sizes), sizes=strip.sizes, gaps=strip.gaps)
            for strip in self.strips
        ]


def cut_call(grey: np.ndarray, within: Sequence[BoundingBox] | None) -> ChildCall[list[Strip]]:
    """The call for a picture, uint8 (height, width).

    It raises what `cut` does; PageTooCostly, PageTimeout or PageFailed by what the picture costs; RendererUnavailable.
    """
    height, width = grey.shape
    request = CutRequest(shape=(height, width), within=None if within is None else tuple(within))

    def read(reply: Any, payload: bytes) -> list[Strip]:
        return CutReply.model_validate(reply).with_squares(payload)

    return ChildCall(
        source=PICTURE,
        work="composing",
        header=request.model_dump(mode="json"),
        payload=np.ascontiguousarray(grey).tobytes(),
        read=read,
        max_reply=MAX_SQUARES * SQUARE_SIDE * SQUARE_SIDE,
    )


def answer(
    header: framing.Header, pixels: bytes, _say: Callable[[framing.Header], None]
) -> tuple[framing.Header, bytes]:
    """The child's reply; raises RegionTooDense, PageTooCostly if memory does not suffice, PageFailed."""
    try:
        request = CutRequest.model_validate(header)
        strips = cut(np.frombuffer(pixels, np.uint8).reshape(request.shape), request.within)
        facts = tuple(StripFacts(box=strip.box, sizes=strip.sizes, gaps=strip.gaps) for strip in strips)
        squares = b"".join(square[..., 0].tobytes() for strip in strips for square in strip.squares)
        return {"ok": CutReply(strips=facts).model_dump(mode="json")}, squares
    except MemoryError:
        raise PageTooCostly("it takes more memory than allowed") from None
    except (IngestError, ImportError):  # nothing can be loaded behind the walls: our own error, which ends this child
        raise
    except Exception as error:  # whatever a picture that nobody foresaw raises
        raise PageFailed("its lines are of no form that is known") from error
