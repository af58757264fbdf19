"""Request: what a client asks; Prompt: what a runner makes of it."""

from __future__ import annotations

from collections.abc import Sequence as Items
from dataclasses import dataclass
from typing import Any

from batching.sampling import GREEDY, SamplingParams

COLORS = ("red", "green", "blue")
"""The frames that GOT-OCR2 was trained to read in."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Request:
    """Asks for the continuation of exactly one of a token prompt and an image.

    Raises:
        ValueError: names the field that is wrong: both or neither are given, or the prompt is empty, or what to read
            is given without an image.
    """

    prompt_token_ids: Items[int] | None = None
    image: Any = None  # np.uint8 height x width x 3 (RGB), or a PIL image
    mode: str = "plain"  # how to read the image: "plain" or "format"
    box: tuple[float, float, float, float] | None = None  # read this region: x0, y0, x1, y1 in pixels of the image
    color: str | None = None  # read what is framed in this colour: "red", "green" or "blue"
    crop_to_patches: bool = False  # read tiles of the image and the whole of it, for dense pages
    max_crops: int = 12  # tiles at most, the whole not counted
    sampling: SamplingParams = GREEDY
    label: str = ""  # whose request it is: shown in StepStats.labels

    def __post_init__(self) -> None:
        if (self.prompt_token_ids is None) == (self.image is None):
            raise ValueError("prompt_token_ids: give exactly one of prompt_token_ids and image")
        if self.prompt_token_ids is not None and not len(self.prompt_token_ids):
            raise ValueError("prompt_token_ids must hold at least one token")
        if self.image is None:
            for field in ("box", "color", "crop_to_patches"):
                if getattr(self, field):
                    raise ValueError(f"{field} goes with an image, none is given")
        if self.box is not None and not (len(self.box) == 4 and _is_box(*self.box)):
            raise ValueError(f"box must be x0 < x1, y0 < y1, none below 0, not {self.box!r}")
        if self.color is not None and self.color not in COLORS:
            raise ValueError(f"color must be one of {', '.join(COLORS)}, not {self.color!r}")
        if self.max_crops < 1:
            raise ValueError(f"max_crops must be at least 1, not {self.max_crops!r}")


def _is_box(x0: float, y0: float, x1: float, y1: float) -> bool:
    return 0 <= x0 < x1 < float("inf") and 0 <= y0 < y1 < float("inf")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Prompt:
    """A request in the model's own terms, its sampling settled."""

    token_ids: list[int]
    max_tokens: int | None
    stop_token_ids: frozenset[int]
    image: Any = None
    num_tiles: int = 0  # pictures that the vision encoder sees of it
    generator: Any = None  # the request's own source of chance (torch.Generator); None when greedy
    recompute_beyond: int | None = None  # tokens; with one more, all KV is computed anew
