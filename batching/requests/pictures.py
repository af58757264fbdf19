"""Values of images in requests: raw, prepared for the vision encoder, and encoded."""

# NumPy tells only part of its types, so unknowns that come from it are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from batching.errors import InvalidImage
from batching.requests.ctc_columns import CtcColumns
from batching.requests.rope_positions import Integers, Rope

if TYPE_CHECKING:  # importing `batching` imports no torch
    from torch import Tensor


DEFAULT_PATCH_SIZE = 14  # side in pixels, if a vision encoder's config has none


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PreparedPictures:
    """All pictures of one prompt, ready for the vision encoder."""

    inputs: dict[str, Any]  # what `get_image_features` takes
    places: Integers  # (features), ascending: where in the prompt the k-th row of the features lies
    num_patches: int
    token_ids: list[int] | None = None  # of the prompt, where its length depends on the pictures
    rope: Rope | None = None
    digest: bytes = b""  # of all that its keys and values depend on beside tokens; empty: not to be compared

    def with_digest(self) -> PreparedPictures:
        """The same with `digest`, or without one where the inputs are no numbers."""
        values = dict(self.inputs)
        if self.rope is not None:
            values |= {"positions": self.rope.positions, "delta": self.rope.delta}
        digest = sha256()
        try:
            for name in sorted(values):
                array = _numbers(values[name])
                digest.update(f"{name} {array.dtype} {array.shape}".encode())
                digest.update(array.data)
        except (TypeError, ValueError):  # a processor may make anything
            return self
        return replace(self, digest=digest.digest())


def _numbers(value: Any) -> npt.NDArray[Any]:
    """An array of equal numbers; NumPy has no bfloat16.

    Raises:
        TypeError, ValueError: it is none.
    """
    if hasattr(value, "detach"):  # a tensor
        value = value.detach().cpu()
        value = value.float() if value.is_floating_point() else value
    array = np.ascontiguousarray(value)
    if array.dtype.hasobject:
        raise TypeError("not an array of numbers")
    return array


@dataclass(frozen=True, slots=True, eq=False)
class ImageFeatures:
    """Of all pictures of one prompt; they live from their encoding to the end of its prefill."""

    places: Integers  # (features), ascending: where in the prompt they lie
    embeds: Tensor  # (features, hidden)
    deepstack: tuple[Tensor, ...] = ()  # each the same shape: added to the hidden states after the first layers
    columns: CtcColumns | None = None  # what the checkpoint's draft head reads, if it has one


def patch_size_of(config: Any) -> int:
    """Pixels a side of a vision encoder's patches, of its config."""
    size = getattr(config, "patch_size", DEFAULT_PATCH_SIZE)
    return int(size[0] if isinstance(size, list | tuple) else size)


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
