"""GOT-OCR2's vision tower with less memory: attention in pieces."""

# torch and transformers tell only part of their types, so unknowns that come from them are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from batching.inputs.got.blank_windows import BlankWindows
from batching.machine.probe import NotHere, probed

MAX_BIAS_BYTES = 64 << 20
"""The position bias is computed in pieces of this size: one head of 4096 tokens in float32. Larger were no faster."""
NUM_ACTIVATIONS = 14
"""Tensors (tokens x channels) that a layer holds per tile at its peak: input, normed, queries, keys and values twice,
output, windows; measured as 13 of the published size."""
CHECK_SIDE_PATCHES = 16  # more than one window of 14 patches, and not a multiple of it
LAYER_TOLERANCES = {torch.float32: 1e-4, torch.float64: 1e-6}
"""Maximum difference of a layer's output, as a fraction of its largest number. Others: `LOW_PRECISION_TOLERANCE`."""
LOW_PRECISION_TOLERANCE = 0.03


class Tower:
    """Computes what the model's own tower does: its parts and weights are used, its attention's order is another.

    A tile's features do not depend on the others of the pass. The model is not changed.
    """

    def __init__(self, model: Any) -> None:
        """`model`: a GotOcr2ForConditionalGeneration in evaluation mode."""
        self._tower = model.model.vision_tower
        self._projector = model.model.multi_modal_projector
        self.last_pass = 0.0  # when it ended, by `time.perf_counter`
        self._run_layer = self._layer_runner(model.dtype, model.device)
        on_cpu = model.device.type == "cpu"
        self._blank_windows = BlankWindows.of(self._tower, self._projector, self._run_layer) if on_cpu else None

    def max_tiles(self, num_bytes: int) -> int:
        """Tiles of one pass whose scratch stays within `num_bytes`; at least one."""
        return max(1, (num_bytes - MAX_BIAS_BYTES) // self._tile_bytes())

    def _tile_bytes(self) -> int:
        """Scratch of a tile in a pass, estimated from the tower's sizes."""
        config = self._tower.config
        side = int(config.image_size) // int(config.patch_size)
        windows = {layer.window_size for layer in self._tower.layers} - {0}
        padded = max([side, *(-(-side // window) * window for window in windows)])
        wide = max(NUM_ACTIVATIONS * int(config.hidden_size), 3 * int(config.hidden_size) + 2 * int(config.mlp_dim))
        return padded**2 * wide * self._tower.dtype.itemsize

    def features(self, tiles: Tensor, num_tokens: int | None = None) -> Tensor:
        """(tiles, tokens, hidden of the decoder) of (tiles, 3, size, size); of one at least the first `num_tokens`.

        On a CPU one tile after the other: more at once are no faster, and a product's last bits depend on its rows.
        """
        if tiles.device.type == "cpu" and len(tiles) > 1:
            return torch.cat([self.features(tile) for tile in tiles.split(1)])
        if self._blank_windows is not None:
            features = self._blank_windows.features(tiles, num_tokens)
        else:
            features = self._whole(tiles)
        self.last_pass = time.perf_counter()
        return features

    def _whole(self, tiles: Tensor) -> Tensor:
        """`features`, of a tower whose windows see each other."""
        hidden = self._tower.patch_embed(tiles)
        if self._tower.pos_embed is not None:
            hidden = hidden + self._tower.pos_embed
        for layer in self._tower.layers:
            hidden = self._run_layer(layer, hidden)
        return self._projector(self._tower.neck(hidden))

    def _layer_runner(self, dtype: torch.dtype, device: torch.device) -> Callable[[Any, Tensor], Tensor]:
        """Ours, if each layer by it is the model's own on a small grid, to which both fit their position tables."""
        grid = torch.linspace(-1, 1, CHECK_SIDE_PATCHES**2 * int(self._tower.config.hidden_size), dtype=torch.float64)
        hidden = (grid * 1e4).sin().to(device, dtype).view(1, CHECK_SIDE_PATCHES, CHECK_SIDE_PATCHES, -1)

        def fault_of(run: Callable[[Any, Tensor], Tensor]) -> str | None:
            for number, layer in enumerate(self._tower.layers):
                expected = layer(hidden)
                allowed = LAYER_TOLERANCES.get(dtype, LOW_PRECISION_TOLERANCE) * float(expected.abs().max())
                apart = float((run(layer, hidden) - expected).abs().max())
                if not apart <= allowed:
                    return f"layer {number} of the vision tower is {apart:.3g} off, not {allowed:.3g}"
            return None

        try:
            with torch.inference_mode():
                return probed("attention in pieces", lambda: run_layer, fault_of)
        except NotHere:
            return lambda layer, hidden: layer(hidden)


def run_layer(layer: Any, hidden: Tensor) -> Tensor:
    """A GotOcr2VisionLayer over (tiles, height, width, channels)."""
    height, width = hidden.shape[1:3]
    normed = layer.layer_norm1(hidden)
    if layer.window_size and (height, width) != (layer.window_size, layer.window_size):
        windows, padded = layer.window_partition(normed, layer.window_size)
        attended = layer.window_unpartition(attention(layer.attn, windows), layer.window_size, padded, (height, width))
    else:
        attended = attention(layer.attn, normed)
    hidden = hidden + attended
    return hidden + layer.mlp(layer.layer_norm2(hidden))


def attention(own: Any, hidden: Tensor) -> Tensor:
    """A GotOcr2VisionAttention over (items, height, width, channels), by scaled dot products a few heads at a time."""
    items, height, width, _ = hidden.shape
    tokens = height * width
    packed = own.qkv(hidden).reshape(items, tokens, 3, own.num_attention_heads, -1).permute(2, 0, 3, 1, 4)
    query, key, value = packed.reshape(3, 1, items * own.num_attention_heads, tokens, -1).unbind(0)
    if not own.use_rel_pos:
        output = functional.scaled_dot_product_attention(query, key, value, scale=own.scale)
    else:
        rows = own.get_rel_pos(height, height, own.rel_pos_h).transpose(1, 2)
        columns = own.get_rel_pos(width, width, own.rel_pos_w).transpose(1, 2)
        output = torch.empty_like(query)
        num_heads = max(1, MAX_BIAS_BYTES // (tokens**2 * hidden.element_size()))
        for first in range(0, query.shape[1], num_heads):
            part = slice(first, first + num_heads)
            output[:, part] = functional.scaled_dot_product_attention(
                query[:, part],
                key[:, part],
                value[:, part],
                attn_mask=position_bias(query[0, part].unflatten(1, (height, width)), rows, columns),
                scale=own.scale,
            )
    heads = output.view(items, own.num_attention_heads, height, width, -1)
    return own.proj(heads.permute(0, 2, 3, 1, 4).reshape(items, height, width, -1))


def position_bias(query: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    """(1, heads, tokens, tokens): what a query adds for the row and for the column of each key.

    `query` is (heads, height, width, channels), `rows` (height, channels, height), `columns` (width, channels, width).
    """
    heads, height, width, _ = query.shape
    of_rows = query @ rows
    of_columns = (query.transpose(1, 2) @ columns).transpose(1, 2)
    bias = of_rows[..., :, None] + of_columns[..., None, :]
    return bias.view(1, heads, height * width, height * width)
