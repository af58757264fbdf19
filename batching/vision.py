"""VisionEncoder: pictures to image features, many in one pass."""

# torch and transformers tell only part of their types, so unknowns that come from them are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

from collections.abc import Sequence as Items
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from batching.errors import InvalidImage, RequestFailed


class VisionEncoder:
    """A picture's features do not depend on its batch mates, and a picture that fails fails alone."""

    def __init__(self, model: Any, image_processor: Any) -> None:
        """`model`: a GotOcr2ForConditionalGeneration; `image_processor`: its checkpoint's."""
        self._model = model
        self._processor = image_processor
        self._size = int(model.config.vision_config.image_size)
        scale = image_processor.rescale_factor if image_processor.do_rescale else 1.0
        mean, std = (
            (image_processor.image_mean, image_processor.image_std) if image_processor.do_normalize else (0.0, 1.0)
        )
        # as transformers' fused rescale and normalise: one subtraction, one division
        self._mean, self._std = ((torch.tensor(each) / scale).reshape(-1, 1, 1) for each in (mean, std))

    @property
    def num_tokens(self) -> int:
        """Image tokens of one picture: patches a side, quartered by two strided convolutions, squared."""
        return (self._size // int(self._model.config.vision_config.patch_size) // 4) ** 2

    def encode(self, pictures: Items[Any]) -> list[Tensor | RequestFailed]:
        """One (num_tokens, hidden) tensor a picture, or why there is none."""
        pixels = [self._pixels(each) for each in pictures]
        good = [each for each in pixels if isinstance(each, Tensor)]
        if not good:
            return [each for each in pixels if isinstance(each, RequestFailed)]
        stacked = torch.stack(good).to(self._model.device, self._model.dtype)
        output = self._model.model.get_image_features(pixel_values=stacked, return_dict=True)
        features = iter(output.pooler_output)
        return [next(features) if isinstance(each, Tensor) else each for each in pixels]

    def _pixels(self, picture: Any) -> Tensor | RequestFailed:
        """(3, size, size), scaled and normalised as the checkpoint's processor does."""
        try:
            array = as_array(picture)
            if array.shape[:2] == (self._size, self._size):
                return (torch.from_numpy(array).permute(2, 0, 1).float() - self._mean) / self._std
            made = self._processor(images=array, input_data_format="channels_last", return_tensors="pt")
            return made["pixel_values"][0]
        except (ValueError, TypeError, OSError, RuntimeError) as error:  # OSError: a lazy PIL file that does not decode
            failure = RequestFailed(f"the image cannot be prepared: {error}")
            failure.__cause__ = error
            return failure


def check_picture(picture: Any) -> None:
    """Refuse at once what can never be a picture; cheap, decodes nothing.

    Raises:
        InvalidImage: neither a PIL image nor np.uint8 of height x width x 3, or one without pixels.
    """
    if not isinstance(picture, np.ndarray):
        if not callable(getattr(picture, "convert", None)):
            raise InvalidImage(f"image must be a numpy array or a PIL image, not {type(picture).__name__}")
        if 0 in picture.size:
            raise InvalidImage(f"image has no pixels: {picture.size}")
    elif picture.dtype != np.uint8 or picture.ndim != 3 or picture.shape[2] != 3 or 0 in picture.shape:
        raise InvalidImage(f"image must be uint8 of height x width x 3, not {picture.dtype} of {picture.shape}")


def as_array(picture: Any) -> npt.NDArray[np.uint8]:
    """uint8, height x width x 3; a writable copy where the picture's own memory cannot be shared."""
    array = picture if isinstance(picture, np.ndarray) else np.asarray(picture.convert("RGB"))
    return np.require(array, np.uint8, ["C_CONTIGUOUS", "WRITEABLE"])
