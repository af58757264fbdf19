"""VisionEncoder: pictures to image features, many in one pass."""

# torch and transformers tell only part of their types, so unknowns that come from them are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

from collections.abc import Sequence as Items
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from batching.errors import InvalidImage, RequestFailed
from batching.tower import Tower

CPU_BUDGET_MB = 384  # one tile of 1024 x 1024 in float32: more in one step are no faster
GPU_BUDGET_MB = 2048  # 18 such tiles in bfloat16


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """An image, and how many tiles it may be cut into; 1: it is read as a whole."""

    image: Any  # np.uint8 height x width x 3, or a PIL image
    max_tiles: int = 1


class VisionEncoder:
    """A picture's features do not depend on its batch mates, and a picture that fails fails alone."""

    def __init__(self, model: Any, image_processor: Any) -> None:
        """`model`: a GotOcr2ForConditionalGeneration; `image_processor`: its checkpoint's."""
        self._model = model
        self._tower = Tower(model)
        self._processor = image_processor
        self._size = int(model.config.vision_config.image_size)
        scale = image_processor.rescale_factor if image_processor.do_rescale else 1.0
        mean, std = (
            (image_processor.image_mean, image_processor.image_std) if image_processor.do_normalize else (0.0, 1.0)
        )
        # as transformers' fused rescale and normalise, to the bit: times the reciprocal, one subtraction, one division
        self._mean, self._std = ((torch.tensor(each) * (1.0 / scale)).reshape(-1, 1, 1) for each in (mean, std))

    @property
    def last_pass(self) -> float:
        """When the tower last ended a pass, by `time.perf_counter`; 0.0 before the first."""
        return self._tower.last_pass

    @property
    def num_tokens(self) -> int:
        """Image tokens of one picture: patches a side, quartered by two strided convolutions, squared."""
        return (self._size // int(self._model.config.vision_config.patch_size) // 4) ** 2

    def max_tiles(self, budget_mb: int | None) -> int:
        """Tiles of one pass whose scratch stays within the budget (by default that of the device); at least one."""
        default = CPU_BUDGET_MB if self._model.device.type == "cpu" else GPU_BUDGET_MB
        return self._tower.max_tiles((budget_mb or default) << 20)

    def num_tiles(self, height: int, width: int, max_tiles: int) -> int:
        """Tiles that an image is read as: the crops and, where they are several, the whole of it."""
        if max_tiles == 1:
            return 1
        settings = {"crop_to_patches": True, "max_patches": max_tiles}
        return int(self._processor.get_number_of_image_patches(height, width, settings))

    def encode(self, pixels: Items[Tensor | RequestFailed], max_tiles: int) -> list[Tensor | RequestFailed]:
        """One (tiles * num_tokens, hidden) tensor per picture, or why there is none; a pass has at most `max_tiles`.

        `pixels`: what `pixels` gave of each.
        """
        good = [each for each in pixels if isinstance(each, Tensor)]
        if not good:
            return [each for each in pixels if isinstance(each, RequestFailed)]
        parts = torch.cat(good).split(max_tiles)
        encoded = torch.cat([self._encoded(self._uploaded(part)) for part in parts])
        features = iter(encoded.split([len(each) for each in good]))
        return [next(features).flatten(0, 1) if isinstance(each, Tensor) else each for each in pixels]

    def _uploaded(self, tiles: Tensor) -> Tensor:
        """On the model's device; to a GPU from pinned memory, so that the host goes on meanwhile."""
        if self._model.device.type == "cuda":
            tiles = tiles.pin_memory()
        return tiles.to(self._model.device, non_blocking=True).to(self._model.dtype)

    def _encoded(self, tiles: Tensor) -> Tensor:
        """(tiles, num_tokens, hidden)."""
        return self._tower.features(tiles)

    def pixels(self, picture: Picture) -> Tensor | RequestFailed:
        """(tiles, 3, size, size), scaled and normalised as the checkpoint's processor does; any thread may call it."""
        try:
            array = as_array(picture.image)
            if picture.max_tiles == 1 and array.shape[:2] == (self._size, self._size):
                return ((torch.from_numpy(array).permute(2, 0, 1).float() - self._mean) / self._std)[None]
            crops = {"crop_to_patches": picture.max_tiles > 1, "max_patches": picture.max_tiles}
            return self._processor(images=array, input_data_format="channels_last", return_tensors="pt", **crops)[
                "pixel_values"
            ]
        except (ValueError, TypeError, OSError, RuntimeError) as error:  # OSError: a lazy PIL file that does not decode
            failure = RequestFailed(f"the image cannot be prepared: {error}")
            failure.__cause__ = error
            return failure


def check_picture(picture: Any) -> tuple[int, int]:
    """Width and height in pixels; refuses at once what can never be a picture. Cheap, decodes nothing.

    Raises:
        InvalidImage: neither a PIL image nor np.uint8 of height x width x 3, or one without pixels.
    """
    if not isinstance(picture, np.ndarray):
        if not callable(getattr(picture, "convert", None)):
            raise InvalidImage(f"image must be a numpy array or a PIL image, not {type(picture).__name__}")
        if 0 in picture.size:
            raise InvalidImage(f"image has no pixels: {picture.size}")
        return int(picture.size[0]), int(picture.size[1])
    if picture.dtype != np.uint8 or picture.ndim != 3 or picture.shape[2] != 3 or 0 in picture.shape:
        raise InvalidImage(f"image must be uint8 of height x width x 3, not {picture.dtype} of {picture.shape}")
    return int(picture.shape[1]), int(picture.shape[0])


def as_array(picture: Any) -> npt.NDArray[np.uint8]:
    """uint8, height x width x 3; a writable copy where the picture's own memory cannot be shared."""
    array = picture if isinstance(picture, np.ndarray) else np.asarray(picture.convert("RGB"))
    return np.require(array, np.uint8, ["C_CONTIGUOUS", "WRITEABLE"])
