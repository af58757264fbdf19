"""Request: what a client submits (prompt, images, sampling, guide); Prompt: the tokenized form."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Items
from dataclasses import dataclass
from typing import Any

from batching.requests.sampling_params import GREEDY_PARAMS, BeamSearchParams, SamplingParams

COLORS = ("red", "green", "blue")
"""The frames that GOT-OCR2 was trained to read in."""

PROMPT_FIELDS = ("prompt_token_ids", "image", "prompt", "messages", "inputs")
"""A request has exactly one of these fields."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Request:
    """Asks for the continuation of one of: a token prompt, an image, a prompt or messages, a processor's inputs.

    A picture is np.uint8 of height x width x 3 (RGB), or a PIL image.

    Raises:
        ValueError: names the field that is wrong: none or several are given, or the prompt is empty, or what to read
            is given without an image, or `sampling` does not go with `beams` or `continuation`.
    """

    prompt_token_ids: Items[int] | None = None
    image: Any = None  # a picture to be read, as the checkpoint's reading profile says
    prompt: str | None = None  # text of one user turn, which follows `images`; the processor's chat template is used
    messages: Items[Mapping[str, Any]] | None = None  # a whole chat with `images`, as the template takes it
    images: Items[Any] = ()  # pictures of `prompt` or `messages`, in order
    inputs: Mapping[str, Any] | None = None  # what the processor made of one chat: input_ids, pixel_values and so on
    mode: str = "plain"  # how to read the image: a mode of the reading profile
    box: tuple[float, float, float, float] | None = None  # read this region: x0, y0, x1, y1 in pixels of the image
    color: str | None = None  # read what is framed in this colour: "red", "green" or "blue"
    crop_to_patches: bool = False  # read tiles of the image and the whole of it, for dense pages
    max_crops: int = 12  # tiles at most, the whole not counted
    sampling: SamplingParams = GREEDY_PARAMS
    beams: BeamSearchParams | None = None  # for `beam_search`; nothing is streamed before its end
    continuation: Items[int] = ()  # output tokens that the model is to go on with, after the prompt
    label: str = ""  # whose request it is: shown in StepStats.labels

    def __post_init__(self) -> None:
        self._check_source()
        if self.beams is not None:
            self.beams.check(self.sampling)
        if len(self.continuation) and self.sampling.guide is not None:
            raise ValueError("continuation must be empty with a guide, which follows the output from its start")
        if self.image is None:
            for field in ("box", "color", "crop_to_patches"):
                if getattr(self, field):
                    raise ValueError(f"{field} needs an image, and the request has none")
        if self.box is not None and not (len(self.box) == 4 and _is_box(*self.box)):
            raise ValueError(f"box must be x0 < x1, y0 < y1, none below 0, not {self.box!r}")
        if self.color is not None and self.color not in COLORS:
            raise ValueError(f"color must be one of {', '.join(COLORS)}, not {self.color!r}")
        if self.max_crops < 1:
            raise ValueError(f"max_crops must be at least 1, not {self.max_crops!r}")

    def _check_source(self) -> None:
        present = [field for field in PROMPT_FIELDS if getattr(self, field) is not None]
        if len(present) != 1:
            names = " and ".join(present) or "none"
            raise ValueError(f"{PROMPT_FIELDS[0]}: give exactly one of {', '.join(PROMPT_FIELDS)}, not {names}")
        if self.prompt_token_ids is not None and not len(self.prompt_token_ids):
            raise ValueError("prompt_token_ids must hold at least one token")
        if len(self.images) and self.prompt is None and self.messages is None:
            raise ValueError("images need a prompt or messages, and the request has neither")


def _is_box(x0: float, y0: float, x1: float, y1: float) -> bool:
    return 0 <= x0 < x1 < float("inf") and 0 <= y0 < y1 < float("inf")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Prompt:
    """A request in the model's own terms, its sampling settled."""

    token_ids: list[int]  # empty where only the prepared pictures tell them
    max_tokens: int | None
    stop_token_ids: frozenset[int]
    continuation: tuple[int, ...] = ()  # follows the tokens
    image: Any = None  # the pictures, as `Inputs.prepare_image` takes them
    num_patches: int = 0  # of these pictures in the vision encoder; an estimate until they are prepared
    generator: Any = None  # torch.Generator of the request alone; None when greedy
    recompute_beyond: int | None = None  # tokens; with one more, all KV is computed again
