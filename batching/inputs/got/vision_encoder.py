"""Batches images through GOT-OCR2's vision tower within a memory budget."""

# torch and transformers tell only part of their types, so unknowns that come from them are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

import functools
from collections.abc import Sequence as Items
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import torch
from torch import Tensor

from batching.errors import RequestFailed
from batching.inputs.got.draft_head import DraftHead
from batching.inputs.got.vision_tower import Tower
from batching.requests.ctc_columns import CtcColumns
from batching.requests.pictures import ImageFeatures, PreparedPictures

CPU_BUDGET_MB = 384  # one tile of 1024 x 1024 in float32: more in one step are no faster
GPU_BUDGET_MB = 2048  # 18 such tiles in bfloat16


class VisionEncoder:
    """A picture's features do not depend on its batch mates."""

    def __init__(self, model: Any, draft_head: DraftHead | None = None, num_threads: int = 1) -> None:
        """`model`: a GotOcr2ForConditionalGeneration; a CPU encodes so many pictures at once, within the budget.

        Meant for a process in which torch has one thread: each has its own.
        """
        self._model = model
        self._tower = Tower(model)
        self._config = model.config.vision_config
        self._draft_head = draft_head
        self._num_threads = num_threads
        self._blank = model.config.get_text_config(decoder=True).pad_token_id or 0

    @property
    def last_pass(self) -> float:
        """When the tower last ended a pass, by `time.perf_counter`; 0.0 before the first."""
        return self._tower.last_pass

    @property
    def patches_per_tile(self) -> int:
        """Before the convolutions."""
        return (int(self._config.image_size) // int(self._config.patch_size)) ** 2

    def max_patches(self, budget_mb: int | None) -> int:
        """See `Inputs.max_patches`: whole tiles, at least one."""
        default = CPU_BUDGET_MB if self._model.device.type == "cpu" else GPU_BUDGET_MB
        return self._tower.max_tiles((budget_mb or default) << 20) * self.patches_per_tile

    def encode(self, pictures: Items[PreparedPictures], max_patches: int) -> list[ImageFeatures | RequestFailed]:
        """See `Encoder.encode`; the inputs of a picture are (tiles, 3, size, size)."""
        tiles = [picture.inputs["pixel_values"] for picture in pictures]
        wrong = [self._wrong(picture) for picture in pictures]
        if any(wrong):
            good = [picture for picture, failure in zip(pictures, wrong, strict=True) if failure is None]
            encoded = iter(self.encode(good, max_patches) if good else ())
            return [failure or next(encoded) for failure in wrong]
        counts = [len(picture.places) for picture in pictures]
        features = self._features(tiles, counts, max(1, max_patches // self.patches_per_tile))
        return [
            self._picture(picture, of_tiles.flatten(0, 1)[:count])
            for picture, of_tiles, count in zip(pictures, features, counts, strict=True)
        ]

    def _picture(self, picture: PreparedPictures, tokens: Tensor) -> ImageFeatures:
        columns = None if self._draft_head is None else CtcColumns(self._draft_head(tokens), self._blank)
        return ImageFeatures(picture.places, tokens, columns=columns)

    def _wrong(self, pictures: PreparedPictures) -> RequestFailed | None:
        """Why these are no tiles for the places of their prompt; only inputs that somebody else made are."""
        size = int(self._config.image_size)
        tiles, num_places = pictures.inputs["pixel_values"], len(pictures.places)
        num_tokens = len(tiles) * self.patches_per_tile // 16
        fits = num_places == num_tokens or (pictures.rope is not None and num_places < num_tokens)  # some left out
        if tuple(tiles.shape[1:]) == (3, size, size) and fits:
            return None
        return RequestFailed(f"pixel_values {tuple(tiles.shape)} do not match the prompt's {num_places} image tokens")

    def _uploaded(self, tiles: Tensor) -> Tensor:
        """On the model's device; to a GPU from pinned memory, so that the host goes on meanwhile."""
        if self._model.device.type == "cuda":
            tiles = tiles.pin_memory()
        return tiles.to(self._model.device, non_blocking=True).to(self._model.dtype)

    def _features(self, tiles: Items[Tensor], counts: Items[int], max_tiles: int) -> Items[Tensor]:
        """(tiles, tokens, hidden) of each picture, of which the first tokens are needed, as many as `counts` says."""
        if self._model.device.type == "cpu":
            num_threads = min(self._num_threads, max_tiles, len(tiles))
            encoded = functools.partial(self._encoded_picture, max_tiles=max_tiles // num_threads)
            if num_threads == 1:
                return list(map(encoded, tiles, counts))
            with ThreadPoolExecutor(num_threads, "vision") as threads:  # nothing runs on where one fails
                return list(threads.map(encoded, tiles, counts))
        encoded = torch.cat([self._encoded(part) for part in torch.cat(list(tiles)).split(max_tiles)])
        return encoded.split([len(own) for own in tiles])

    @torch.inference_mode()  # in a thread of its own, too
    def _encoded_picture(self, tiles: Tensor, count: int, max_tiles: int) -> Tensor:
        return torch.cat([self._encoded(part, count) for part in tiles.split(max_tiles)])

    def _encoded(self, tiles: Tensor, num_tokens: int | None = None) -> Tensor:
        """(tiles, tokens, hidden)."""
        return self._tower.features(self._uploaded(tiles), num_tokens)
