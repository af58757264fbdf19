"""Skips empty windows of an image in the vision tower, so that blank paper costs nothing."""

# torch and transformers tell only part of their types, so unknowns that come from them are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import torch
from torch import Tensor

PATCHES_PER_TOKEN = 4  # per edge: the projector's two convolutions each halve the grid
NEIGHBOUR_PATCHES = 4  # width of the ring around a token's patches that the neck and the projector also see
MARGIN_PATCHES = 2 * NEIGHBOUR_PATCHES  # patches below the last window with ink that the neck and the projector receive
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
        self._blanks: dict[tuple[float, ...], Blank] = {}

    @classmethod
    def of(cls, tower: Any, projector: Any, run_layer: Callable[[Any, Tensor], Tensor]) -> Self | None:
        """None of a tower in which windows see each other, or do not fill the picture."""
        windows = {int(layer.window_size) for layer in tower.layers}
        side = int(tower.config.image_size) // int(tower.config.patch_size)
        window = min(windows, default=0)
        fits = len(windows) == 1 and window > 0 and side % window == 0 and window % PATCHES_PER_TOKEN == 0
        return cls(tower, projector, run_layer) if fits else None

    def features(self, tile: Tensor) -> Tensor | None:
        """(1, tokens, hidden of the decoder) of (1, 3, size, size); None if it has no blank window.

        The colour of its last pixel is taken for the paper.
        """
        paper = tile[0, :, -1, -1]
        pixels = self._windows_of(tile[0].permute(1, 2, 0), self._window * self._patch)
        with_ink = (pixels != paper).flatten(1).any(1)
        if bool(with_ink.all()):
            return None
        blank = self._blank(paper, tile)
        if not bool(with_ink.any()):
            return blank.tokens
        hidden = blank.hidden.clone()
        hidden[with_ink] = self._layers(pixels[with_ink].permute(0, 3, 1, 2), with_ink)
        per_row = self._side // self._window
        num_rows = (int(with_ink.nonzero().max()) // per_row + 1) * self._window
        high = min(self._side, num_rows + MARGIN_PATCHES)
        tokens = self._projector(self._tower.neck(self._joined(hidden)[:, :high]))
        if high == self._side:
            return tokens
        count = (num_rows // PATCHES_PER_TOKEN + 1) * (self._side // PATCHES_PER_TOKEN)
        return torch.cat([tokens[:, :count], blank.tokens[:, count:]], dim=1)

    def _blank(self, paper: Tensor, tile: Tensor) -> Blank:
        colour = tuple(paper.tolist())
        blank = self._blanks.get(colour)
        if blank is None:
            empty = paper.view(1, 3, 1, 1).expand_as(tile)
            windows = self._windows_of(empty[0].permute(1, 2, 0), self._window * self._patch)
            every = torch.ones(len(windows), dtype=torch.bool)
            hidden = self._layers(windows.permute(0, 3, 1, 2), every)
            blank = Blank(hidden, self._projector(self._tower.neck(self._joined(hidden))))
            if len(self._blanks) < MAX_BLANK_COLOURS:
                self._blanks[colour] = blank
        return blank

    def _layers(self, pixels: Tensor, selection: Tensor) -> Tensor:
        """(windows, window, window, channels), after the layers, of the pixels of the chosen windows."""
        hidden = self._tower.patch_embed.projection(pixels).permute(0, 2, 3, 1)
        if self._tower.pos_embed is not None:
            hidden = hidden + self._windows_of(self._tower.pos_embed[0], self._window)[selection]
        for layer in self._tower.layers:
            hidden = self._run_layer(layer, hidden)
        return hidden

    def _windows_of(self, grid: Tensor, side: int) -> Tensor:
        """(windows, side, side, channels) of (height, width, channels), row by row."""
        height, width, channels = grid.shape
        parted = grid.reshape(height // side, side, width // side, side, channels)
        return parted.transpose(1, 2).flatten(0, 1)

    def _joined(self, windows: Tensor) -> Tensor:
        """(1, height, width, channels): the windows side by side again."""
        per_row = self._side // self._window
        grid = windows.view(per_row, per_row, self._window, self._window, -1).transpose(1, 2)
        return grid.reshape(1, self._side, self._side, -1)
