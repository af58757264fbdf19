"""Computes image features with the model's own vision encoder, for any image-text model."""

# torch and transformers tell only part of their types, so unknowns that come from them are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

import time
from collections.abc import Sequence as Items
from typing import Any

import torch
from torch import Tensor

from batching.errors import RequestFailed
from batching.inputs.any_model.picture_fields import (
    PICTURE_FIELDS,
    Fields,
    join_pictures,
    shape_of,
    split_pictures,
)
from batching.inputs.got.vision_encoder import CPU_BUDGET_MB, GPU_BUDGET_MB
from batching.inputs.got.vision_tower import NUM_ACTIVATIONS
from batching.requests.pictures import ImageFeatures, PreparedPictures, patch_size_of


class FeatureEncoder:
    """A picture's features do not depend on its batch mates, and a prompt whose pictures fail fails alone.

    On a CPU one picture after the other: more at once are no faster, and a product's last bits depend on its rows.
    Elsewhere pictures of one shape are encoded together, within the budget.
    """

    def __init__(self, model: Any) -> None:
        """`model`: an image-text model with `get_image_features`."""
        self._model = model
        self.last_pass = 0.0

    def max_patches(self, budget_mb: int | None) -> int:
        """See `Inputs.max_patches`; estimated of the widths of the vision encoder's layers."""
        on_cpu = self._model.device.type == "cpu"
        config = self._model.config.vision_config
        hidden = _size(config, "hidden_size", "embed_dim", 1024)
        wide = NUM_ACTIVATIONS * hidden + 2 * _size(config, "intermediate_size", "mlp_dim", 4 * hidden)
        budget = (budget_mb or (CPU_BUDGET_MB if on_cpu else GPU_BUDGET_MB)) << 20
        return max(1, budget // (wide * self._model.dtype.itemsize))

    def encode(self, pictures: Items[PreparedPictures], max_patches: int) -> list[ImageFeatures | RequestFailed]:
        """See `Encoder.encode`."""
        parts = [self._parts(prompt_pictures) for prompt_pictures in pictures]
        singles = [part for prompt_parts in parts for part in prompt_parts]
        features = {
            index: encoded
            for group in self._groups(singles, max_patches)
            for index, encoded in zip(group, self._encode_or_fail([singles[index] for index in group]), strict=True)
        }
        results: list[ImageFeatures | RequestFailed] = []
        first = 0
        for prompt_pictures, of_prompt in zip(pictures, parts, strict=True):
            results.append(_whole(prompt_pictures, [features[first + index] for index in range(len(of_prompt))]))
            first += len(of_prompt)
        return results

    def _parts(self, pictures: PreparedPictures) -> list[Fields]:
        """Of one prompt; what cannot be parted fails when it is encoded."""
        try:
            return split_pictures(pictures.inputs)
        except Exception:  # as in `_encode_or_fail`
            return [pictures.inputs]

    def _groups(self, singles: list[Fields], max_patches: int) -> list[list[int]]:
        """Which of them share a pass."""
        if self._model.device.type == "cpu":
            return [[index] for index in range(len(singles))]
        groups: list[list[int]] = []
        by_shape: dict[tuple[Any, ...], list[int]] = {}
        for index, fields in enumerate(singles):
            if not fields.keys() <= PICTURE_FIELDS:
                groups.append([index])
                continue
            group = by_shape.setdefault(shape_of(fields), [])
            if group and (len(group) + 1) * _num_values(fields) > max_patches * self._values_per_patch():
                groups.append(group)
                group = by_shape[shape_of(fields)] = []
            group.append(index)
        return [*groups, *by_shape.values()]

    def _values_per_patch(self) -> int:
        return 3 * patch_size_of(self._model.config.vision_config) ** 2

    def _encode_or_fail(self, group: list[Fields]) -> list[_Features | RequestFailed]:
        """Of each picture of a pass; where several fail together, of each by itself."""
        try:
            return self._encoded(group)
        except Exception as error:  # whatever a model makes of inputs, also out of memory; the others go on
            if len(group) > 1:
                return [encoded for fields in group for encoded in self._encode_or_fail([fields])]
            failure = RequestFailed(f"the pictures cannot be encoded: {type(error).__name__}: {error}")
            failure.__cause__ = error
            return [failure]

    def _encoded(self, group: list[Fields]) -> list[_Features | RequestFailed]:
        batch = {name: self._uploaded(values) for name, values in join_pictures(group).items()}
        output = self._model.get_image_features(**batch, return_dict=True)
        self.last_pass = time.perf_counter()
        embeds = _by_picture(output.pooler_output, len(group))
        layers = [_by_picture(layer, len(group)) for layer in getattr(output, "deepstack_features", None) or ()]
        return [(embeds[index], [layer[index] for layer in layers]) for index in range(len(group))]

    def _uploaded(self, values: Any) -> Any:
        if not isinstance(values, Tensor):
            return values
        if self._model.device.type == "cuda":
            values = values.pin_memory()
        values = values.to(self._model.device, non_blocking=True)
        return values.to(self._model.dtype) if values.is_floating_point() else values


_Features = tuple[Tensor, list[Tensor]]  # of one picture: embeddings, and those of each layer of deepstack


def _by_picture(features: Any, count: int) -> list[Tensor]:
    """(rows, hidden) of each of `count` pictures, of what a model calls its pooled output."""
    if isinstance(features, Tensor):
        return [picture.reshape(-1, features.shape[-1]) for picture in features.chunk(count)]
    pictures = [part.reshape(-1, part.shape[-1]) for part in features]
    return [torch.cat(pictures)] if count == 1 and len(pictures) > 1 else pictures


def _whole(pictures: PreparedPictures, parts: list[_Features | RequestFailed]) -> ImageFeatures | RequestFailed:
    """The features of all pictures of a prompt."""
    good: list[_Features] = []
    for part in parts:
        if isinstance(part, RequestFailed):
            return part
        good.append(part)
    embeds = torch.cat([embeds_of_one for embeds_of_one, _ in good])
    if len(embeds) != len(pictures.places):
        return RequestFailed(f"the pictures have {len(embeds)} features, the prompt {len(pictures.places)} places")
    layers = zip(*(layers for _, layers in good), strict=True)
    return ImageFeatures(pictures.places, embeds, tuple(torch.cat(layer) for layer in layers))


def _num_values(fields: Fields) -> int:
    return int(fields["pixel_values"].numel())


def _size(config: Any, name: str, other: str, default: int) -> int:
    return int(getattr(config, name, None) or getattr(config, other, None) or default)
