"""Parts what a processor gives for all pictures of a prompt by picture, and joins such parts for one pass."""

# torch tells only part of its types, so unknowns that come from it are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

from typing import Any

import torch

Fields = dict[str, Any]

SIZE_FIELDS = ("image_grid_thw", "image_sizes", "spatial_shapes", "target_sizes")
"""Processor fields with a row per picture that says how large it is."""
PICTURE_FIELDS = frozenset({"pixel_values", "pixel_attention_mask", *SIZE_FIELDS})
"""Processor fields that can be split by picture. With any other field, a prompt's pictures are encoded together."""


def split_pictures(inputs: Fields) -> list[Fields]:
    """The fields of each picture or tile, as a processor gives them for it alone; or all, where none can be parted.

    Known are rows of patches with their grids (Qwen2-VL and its kin), patches side by side with their numbers
    (MiniCPM), pictures of one padded size with their own sizes (Pixtral) or masks (Idefics3) or both (NaFlex, of
    LFM2-VL), and tiles (InternVL, GOT-OCR2).
    """
    if not inputs.keys() <= PICTURE_FIELDS:
        return [inputs]
    if "image_grid_thw" in inputs:
        return _split_packed(inputs, "image_grid_thw", axis=0, unit=1)
    if "target_sizes" in inputs:
        return _split_packed(inputs, "target_sizes", axis=-1, unit=inputs["pixel_values"].shape[-2])
    pixels = inputs["pixel_values"]
    if "pixel_attention_mask" in inputs and "spatial_shapes" not in inputs:
        if pixels.ndim != 5 or len(pixels) != 1:
            return [inputs]
        return [
            {name: values[:, index : index + 1] for name, values in inputs.items()} for index in range(pixels.shape[1])
        ]
    num_axes = 3 if "spatial_shapes" in inputs else 4
    if pixels.ndim != num_axes or any(len(values) != len(pixels) for values in inputs.values()):
        return [inputs]
    return [{name: values[index : index + 1] for name, values in inputs.items()} for index in range(len(pixels))]


def join_pictures(pictures: list[Fields]) -> Fields:
    """The fields of several pictures of one shape, as one batch."""
    if len(pictures) == 1:
        return pictures[0]
    packed_axis = -1 if "target_sizes" in pictures[0] else 0
    return {
        name: torch.cat([fields[name] for fields in pictures], packed_axis if name == "pixel_values" else 0)
        for name in pictures[0]
    }


def shape_of(fields: Fields) -> tuple[Any, ...]:
    """Pictures of equal shapes may share a pass."""
    sizes = (fields.get(name) for name in SIZE_FIELDS)
    return (
        tuple(fields["pixel_values"].shape),
        *(None if size is None else tuple(torch.as_tensor(size).flatten().tolist()) for size in sizes),
    )


def _split_packed(inputs: Fields, sizes_name: str, *, axis: int, unit: int) -> list[Fields]:
    """Of pictures that lie one after the other on `axis`, each with as many times `unit` as its sizes multiply to."""
    pixels, sizes = inputs["pixel_values"], inputs[sizes_name]
    counts = (sizes.prod(-1) * unit).tolist()
    if inputs.keys() != {"pixel_values", sizes_name} or sum(counts) != pixels.shape[axis]:
        return [inputs]
    parts = pixels.split(counts, axis)
    return [{"pixel_values": part, sizes_name: sizes[index : index + 1]} for index, part in enumerate(parts)]
