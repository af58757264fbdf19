"""Skips empty windows of an image in the vision tower, so that blank paper costs nothing."""

# torch and transformers tell only part of their types, so unknowns that come from them are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Any, Self

import torch
from torch import Tensor
from torch.nn import functional

PATCHES_PER_TOKEN = 4  # per edge: the projector's two convolutions each halve the grid
MAX_BLANK_COLOURS = 8  # maximum colours of blank pictures whose encoding is cached


@dataclass(frozen=True, slots=True)
class Blank:
    """What the tower makes of a picture of one colour."""

    hidden: Tensor  # (windows, window, window, channels), after the layers
    tokens: Tensor  # (1, tokens, hidden of the decoder)


class BlankWindows:
    """Windows of one colour come out the same in every picture: they are computed once.

    A picture's features depend on that picture alone; they are those of the whole tower but for rounding.
    """

    def __init__(self, tower: Any, projector: Any, run_layer: Callable[[Any, Tensor], Tensor]) -> None:
        """`tower`: one that `of` takes."""
        self._tower = tower
        self._projector = projector
        self._run_layer = run_layer
        self._patch = int(tower.config.patch_size)
        self._side = int(tower.config.image_size) // self._patch  # patches
        self._window = int(tower.layers[0].window_size)
        self._per_row = self._side // self._window  # windows
        self._convolutions = [
            _matrix(convolution.weight)
            for convolution in (tower.neck.conv2, projector.conv_upsampler1, projector.conv_upsampler2)
        ]
        self._blanks: dict[tuple[float, ...], Blank] = {}
        self._lock = Lock()  # pictures may be encoded in several threads

    @classmethod
    def of(cls, tower: Any, projector: Any, run_layer: Callable[[Any, Tensor], Tensor]) -> Self | None:
        """None of a tower in which windows see each other, or do not fill the picture."""
        windows = {int(layer.window_size) for layer in tower.layers}
        side = int(tower.config.image_size) // int(tower.config.patch_size)
        window = min(windows, default=0)
        fits = len(windows) == 1 and window > 0 and side % window == 0 and window % PATCHES_PER_TOKEN == 0
        return cls(tower, projector, run_layer) if fits else None

    def features(self, tile: Tensor, num_tokens: int | None = None) -> Tensor:
        """(1, tokens, hidden of the decoder) of (1, 3, size, size): all tokens, or at least the first `num_tokens`.

        The colour of its last pixel is taken for the paper.
        """
        paper = tile[0, :, -1, -1]
        per_row = self._side // PATCHES_PER_TOKEN  # tokens
        max_rows = per_row if num_tokens is None else -(-num_tokens // per_row)
        with_ink = self._with_ink(tile[0], paper, max_rows * PATCHES_PER_TOKEN + 1)  # one more patch also tells
        blank = self._blank(paper, tile)
        rows, columns = with_ink.nonzero(as_tuple=True)
        if not len(rows):
            return blank.tokens
        hidden = blank.hidden.clone()
        hidden[with_ink.flatten()] = self._layers(tile[0], rows, columns)
        num_rows = (int(rows.max()) + 1) * self._window // PATCHES_PER_TOKEN + 1  # one more also sees ink
        tokens = self._tokens(hidden, min(num_rows, max_rows, per_row))
        return torch.cat([tokens, blank.tokens[:, tokens.shape[1] : max_rows * per_row]], dim=1)

    def _with_ink(self, pixels: Tensor, paper: Tensor, num_patches: int) -> Tensor:
        """bool (rows of windows, windows of a row): whether any pixel is of another colour, to that row of patches."""
        num_rows, side = min(self._per_row, -(-num_patches // self._window)), self._window * self._patch
        other = (pixels[:, : num_rows * side] != paper.view(3, 1, 1)).any(0)
        with_ink = other.view(num_rows, side, self._per_row, side).any(3).any(1)
        return functional.pad(with_ink, (0, 0, 0, self._per_row - num_rows))

    def _blank(self, paper: Tensor, tile: Tensor) -> Blank:
        colour = tuple(paper.tolist())
        with self._lock:
            return self._blanks.get(colour) or self._made_blank(colour, paper, tile)

    def _made_blank(self, colour: tuple[float, ...], paper: Tensor, tile: Tensor) -> Blank:
        empty = paper.view(3, 1, 1).expand_as(tile[0]).contiguous()
        rows, columns = torch.ones(self._per_row, self._per_row).nonzero(as_tuple=True)
        hidden = self._layers(empty, rows, columns)
        blank = Blank(hidden, self._tokens(hidden, self._side // PATCHES_PER_TOKEN))
        if len(self._blanks) < MAX_BLANK_COLOURS:
            self._blanks[colour] = blank
        return blank

    def _layers(self, pixels: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
        """(windows, window, window, channels), after the layers, of the windows at these rows and columns."""
        side = self._window * self._patch
        windows = pixels.view(3, self._per_row, side, self._per_row, side).permute(1, 3, 0, 2, 4)[rows, columns]
        patches = windows.view(-1, 3, self._window, self._patch, self._window, self._patch).permute(0, 2, 4, 1, 3, 5)
        kernel = self._tower.patch_embed.projection
        hidden = functional.linear(patches.flatten(3), kernel.weight.flatten(1), kernel.bias)
        if self._tower.pos_embed is not None:
            places = self._tower.pos_embed[0].unflatten(1, (self._per_row, self._window))
            hidden = hidden + places.unflatten(0, (self._per_row, self._window)).transpose(1, 2)[rows, columns]
        for layer in self._tower.layers:
            hidden = self._run_layer(layer, hidden)
        return hidden

    def _tokens(self, hidden: Tensor, num_rows: int) -> Tensor:
        """(1, tokens, hidden of the decoder): neck and projector over the windows, for so many rows of tokens."""
        neck, projector = self._tower.neck, self._projector
        grid = hidden.view(self._per_row, self._per_row, self._window, self._window, -1).transpose(1, 2)
        grid = grid.reshape(self._side, self._side, -1)[: num_rows * PATCHES_PER_TOKEN + 1]
        grid = _normed(neck.layer_norm1, functional.linear(grid, neck.conv1.weight.flatten(1)))
        of_neck, first, second = self._convolutions
        grid = _normed(neck.layer_norm2, _convolved(grid, of_neck, num_rows * PATCHES_PER_TOKEN))
        grid = _convolved(_convolved(grid, first, 2 * num_rows, stride=2), second, num_rows, stride=2)
        return projector.multimodal_projector(grid.flatten(0, 1))[None]


def _normed(norm: Any, grid: Tensor) -> Tensor:
    return functional.layer_norm(grid, norm.normalized_shape, norm.weight, norm.bias, norm.eps)


def _matrix(weight: Tensor) -> Tensor:
    """(3 * 3 * channels, outputs) of a convolution's weight (outputs, channels, 3, 3)."""
    return weight.detach().permute(2, 3, 1, 0).flatten(0, 2).contiguous()


def _convolved(grid: Tensor, matrix: Tensor, num_rows: int, stride: int = 1) -> Tensor:
    """The first rows of a 3 x 3 convolution with a margin of 1 over (height, width, channels), as one product."""
    height, width, channels = grid.shape
    padded = grid.new_zeros(max(height, stride * num_rows) + 2, width + 2, channels)
    padded[1 : height + 1, 1:-1] = grid
    line = padded.stride(0)
    views = padded.as_strided((num_rows, width // stride, 3, 3 * channels), (stride * line, stride * channels, line, 1))
    return (views.reshape(-1, 9 * channels) @ matrix).view(num_rows, width // stride, -1)
