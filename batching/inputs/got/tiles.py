"""Splits large images into the tiles that GOT-OCR2 reads."""

# torch and transformers tell only part of their types, so unknowns that come from them are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from batching.requests.pictures import as_array


class TileProcessor:
    """The tiles are those of the checkpoint's own image processor, to the bit."""

    def __init__(self, config: Any, image_processor: Any) -> None:
        """`config`: of a GotOcr2 model's vision encoder; `image_processor`: its checkpoint's."""
        self._patch_size = int(config.patch_size)
        self._size = int(config.image_size)
        self._processor = image_processor
        scale = image_processor.rescale_factor if image_processor.do_rescale else 1.0
        mean, std = (
            (image_processor.image_mean, image_processor.image_std) if image_processor.do_normalize else (0.0, 1.0)
        )
        # as transformers' fused rescale and normalise, to the bit: times the reciprocal, one subtraction, one division
        self._mean, self._std = ((torch.tensor(channels) * (1.0 / scale)).reshape(-1, 1, 1) for channels in (mean, std))

    @property
    def num_tokens(self) -> int:
        """Image tokens of one tile: patches a side, quartered by two strided convolutions, squared."""
        return (self._size // self._patch_size // 4) ** 2

    @property
    def num_patches(self) -> int:
        """Of one tile, before the convolutions."""
        return (self._size // self._patch_size) ** 2

    def num_tiles(self, height: int, width: int, max_tiles: int) -> int:
        """Tiles that an image is read as: the crops and, where they are several, the whole of it."""
        if max_tiles == 1:
            return 1
        settings = {"crop_to_patches": True, "max_patches": max_tiles}
        return int(self._processor.get_number_of_image_patches(height, width, settings))

    def pixels(self, picture: Any, max_tiles: int = 1) -> Tensor:
        """(tiles, 3, size, size), scaled and normalised as the checkpoint's processor does; any thread may call it.

        `max_tiles`: that an image may be cut into; 1: it is read as a whole.
        """
        array = as_array(picture)
        if max_tiles == 1 and array.shape[:2] == (self._size, self._size):
            return ((torch.from_numpy(array).permute(2, 0, 1).float() - self._mean) / self._std)[None]
        crops = {"crop_to_patches": max_tiles > 1, "max_patches": max_tiles}
        return self._processor(images=array, input_data_format="channels_last", return_tensors="pt", **crops)[
            "pixel_values"
        ]
