"""Request: what a client asks; Prompt: what a runner makes of it."""

from __future__ import annotations

from collections.abc import Sequence as Items
from dataclasses import dataclass
from typing import Any

from batching.sampling import SamplingParams


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Request:
    """Asks for the continuation of exactly one of a token prompt and an image.

    Raises:
        ValueError: both or neither are given, or the prompt is empty.
    """

    prompt_token_ids: Items[int] | None = None
    image: Any = None  # np.uint8 height x width x 3 (RGB), or a PIL image
    mode: str = "plain"  # how to read the image: "plain" or "format"
    sampling: SamplingParams | None = None  # None: greedy, to the checkpoint's own limit
    label: str = ""  # whose request it is: shown in StepStats.labels

    def __post_init__(self) -> None:
        if (self.prompt_token_ids is None) == (self.image is None):
            raise ValueError("prompt_token_ids: give exactly one of prompt_token_ids and image")
        if self.prompt_token_ids is not None and not len(self.prompt_token_ids):
            raise ValueError("prompt_token_ids must hold at least one token")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Prompt:
    """A request in the model's own terms, its sampling settled."""

    token_ids: list[int]
    max_tokens: int | None
    stop_token_ids: frozenset[int]
    image: Any = None
    generator: Any = None  # the request's own source of chance (torch.Generator); None when greedy
