"""Prepares prompts with images for image-text models: places the image features among the token embeddings."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Items
from typing import Any, Protocol

import numpy as np

from batching.errors import RequestFailed
from batching.forward_route import Overlay
from batching.inputs.reading_config import ReadingConfig
from batching.requests.detokenize import Tokenizer
from batching.requests.pictures import ImageFeatures, PreparedPictures
from batching.requests.request import Prompt, Request
from batching.step_plan import PlanRow, StepPlan


class PictureReader(Protocol):
    """What a family makes of requests; see `ProcessorReader` and `GotReader`."""

    reading: ReadingConfig
    tokenizer: Tokenizer | None

    def prepare(self, request: Request) -> Prompt:
        """See `Inputs.prepare`."""
        ...

    def prepare_image(self, image: Any) -> PreparedPictures:
        """See `Inputs.prepare_image`."""
        ...


class Encoder(Protocol):
    """The vision encoder; only the model thread calls it, but for `max_patches`."""

    @property
    def last_pass(self) -> float:
        """See `Inputs.last_pass`."""
        ...

    def max_patches(self, budget_mb: int | None) -> int:
        """See `Inputs.max_patches`."""
        ...

    def encode(self, pictures: Items[PreparedPictures], max_patches: int) -> list[ImageFeatures | RequestFailed]:
        """The features of each prompt's pictures, or why there are none; a pass has at most `max_patches`.

        They do not depend on the other prompts.
        """
        ...


class ImageInputs:
    """Image features live from their encoding to the end of the prefill; a preempted image is encoded again."""

    def __init__(self, reader: PictureReader, encoder: Encoder) -> None:
        self.reader = reader
        self.encoder = encoder

    @property
    def reading(self) -> ReadingConfig:
        """How the checkpoint reads an image."""
        return self.reader.reading

    @property
    def tokenizer(self) -> Tokenizer | None:
        """See `Inputs.tokenizer`."""
        return self.reader.tokenizer

    @property
    def last_pass(self) -> float:
        """See `Inputs.last_pass`."""
        return self.encoder.last_pass

    def max_patches(self, budget_mb: int | None) -> int:
        """See `Inputs.max_patches`."""
        return self.encoder.max_patches(budget_mb)

    def prepare(self, request: Request) -> Prompt:
        """See `Inputs.prepare`."""
        return self.reader.prepare(request)

    def prepare_image(self, image: Any) -> PreparedPictures:
        """See `Inputs.prepare_image`."""
        return self.reader.prepare_image(image)

    def encode(self, plan: StepPlan) -> tuple[dict[int, Any], dict[int, RequestFailed]]:
        """See `ModelInputs.encode`."""
        features = {row.owner.seq_id: row.features for row in plan.rows if row.features is not None}
        new: dict[int, PreparedPictures] = {
            row.owner.seq_id: row.pixels
            for row in plan.rows
            if not row.decodes
            and row.pixels is not None
            and row.features is None
            and row.start <= row.pixels.places[-1]
        }
        failures: dict[int, RequestFailed] = {}
        if not new:
            return features, failures
        for seq_id, encoded in zip(new, self.encoder.encode(list(new.values()), plan.max_patches), strict=True):
            if isinstance(encoded, RequestFailed):
                failures[seq_id] = encoded
            else:
                features[seq_id] = encoded
        return features, failures

    def overlay(self, row: PlanRow, features: Mapping[int, Any]) -> Overlay | None:
        """See `ModelInputs.overlay`: the k-th place of the prompt takes the k-th row; later tokens are the model's."""
        return overlay_of(row, features[row.owner.seq_id]) if row.owner.seq_id in features else None


def overlay_of(row: PlanRow, features: ImageFeatures) -> Overlay | None:
    """Those of a row's new tokens; None where they are text."""
    first, last = np.searchsorted(features.places, (row.start, row.end))
    if first == last:
        return None
    return Overlay(
        features.places[first:last] - row.start,
        features.embeds[first:last],
        tuple(layer[first:last] for layer in features.deepstack),
    )
