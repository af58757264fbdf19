"""NativeRoute: the forward pass of Llama-shaped decoders in C++, for CPUs."""

# torch tells only part of its types, so unknowns that come from it are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

import ctypes
from collections.abc import Mapping
from collections.abc import Sequence as Items
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from batching.blocks import ceil_div
from batching.decoder import axes_of_channels, rope_of_axes, rope_table
from batching.kv_pool import KvPool
from batching.native.matrix import Kind, PackedMatrix, kind_of
from batching.native.structures import LayerStruct, ModelStruct, PassStruct
from batching.plan import PlanRow
from batching.rope import Integers, positions_of
from batching.route import Overlay, Sampled
from batching.sampler import GreedyPicks

LANES = 16  # floats of the widest register: sizes are multiples of it
MAX_HEAD_DIM = 512
DEEPSTACK = frozenset({"qwen3_vl_text"})
"""Model types whose decoder takes more of a picture than embeddings."""


@dataclass(frozen=True, slots=True, eq=False)
class NativeLayer:
    """The weights of one layer; norms are float32."""

    norm: Tensor
    q_norm: Tensor | None
    k_norm: Tensor | None
    mlp_norm: Tensor
    qkv: PackedMatrix
    out: PackedMatrix
    gate_up: PackedMatrix
    down: PackedMatrix


class NativeRoute:
    """A row's logits depend on its own tokens alone, to the bit: not on its batch, nor on how its prompt was cut."""

    name = "native"
    max_in_flight = 1

    def __init__(self, library: ctypes.CDLL, model: Any, *, quantised: bool = False) -> None:
        """`model`: a causal LM for which `native_reason` finds none; it is only read. `quantised`: to int8."""
        kind: Kind = "int8" if quantised else kind_of(model.dtype)
        self._library = library
        config = model.config.get_text_config(decoder=True)
        base = model.get_decoder()
        self._base = base
        self._layers = [_layer(library, layer, kind) for layer in base.layers[: int(config.num_hidden_layers)]]
        output = model.get_output_embeddings()
        self._head = PackedMatrix(library, [(output.weight, output.bias)], kind)
        tied = output.weight is base.embed_tokens.weight
        self._embedding = None if tied and kind != "int8" else base.embed_tokens.weight.detach()
        self._dtype: torch.dtype = base.embed_tokens.weight.dtype
        self._norm = base.norm.weight.detach().float()
        self._max_length = int(config.max_position_embeddings)
        attention = base.layers[0].self_attn
        self._model = ModelStruct(
            norm=self._norm.data_ptr(),
            head=self._head.struct,
            num_layers=len(self._layers),
            hidden=int(config.hidden_size),
            intermediate=int(config.intermediate_size),
            num_heads=int(config.num_attention_heads),
            num_kv_heads=int(config.num_key_value_heads),
            head_dim=int(attention.head_dim),
            bf16_kv=self._dtype == torch.bfloat16,
            scale=float(attention.scaling),
            eps=float(config.rms_norm_eps),
        )
        self._rope = self._axes = torch.empty(0)
        self._pool: KvPool | None = None
        self.times: Tensor | None = None
        """(threads, `PARTS`), int64: nanoseconds that each pass adds to, if it is set; for benchmarks."""

    @property
    def num_bytes(self) -> int:
        """See `Route.num_bytes`."""
        return sum(m.num_bytes for layer in self._layers for m in (layer.qkv, layer.out, layer.gate_up, layer.down))

    def allocate(self, pool: KvPool, max_rows: int) -> None:  # noqa: ARG002 # rows of a pass take no room of their own
        """See `Route.allocate`."""
        width = self._model.num_kv_heads * self._model.head_dim
        for _ in self._layers:
            pool.add_layer(width, width, self._dtype, torch.device("cpu"))
        self._pool = pool
        length = min(pool.num_slots, self._max_length)
        self._rope = rope_table(self._base.rotary_emb, length, torch.empty(0))
        self._axes = axes_of_channels(self._base.rotary_emb, torch.empty(0))
        self._model.block_size = pool.block_size
        layers = zip(self._layers, pool.layers, strict=True)
        structs = [_struct(layer, keys, values) for layer, (keys, values) in layers]
        self._model.layers = (LayerStruct * len(structs))(*structs)

    def logits(self, rows: Items[PlanRow], overlays: Mapping[int, Overlay], sampled: Sampled | None = None) -> Tensor:
        """See `Route.logits`; float32."""
        assert sampled is None
        assert self._pool is not None, "the route was not allocated"
        counts = np.array([row.count for row in rows])
        ends = counts.cumsum()
        tokens = np.fromiter(
            (token for row in rows for token in row.tokens[row.start : row.end]), np.int64, int(ends[-1])
        )
        firsts = ends - counts
        starts = np.array([row.start for row in rows])
        of_tokens = np.repeat(np.arange(len(rows)), counts)
        positions = np.arange(len(tokens)) - (firsts - starts)[of_tokens]
        blocks = _tables(rows, self._pool.block_size)
        hidden = self._embed(torch.from_numpy(tokens))
        for at, overlay in overlays.items():
            hidden[torch.from_numpy(overlay.places + firsts[at])] = overlay.embeds.float()
        logits = torch.empty(len(rows), self._head.num_outputs)
        angles, table = self._angles(rows, positions)
        arrays = [indices.astype(np.int32) for indices in (of_tokens, positions, angles, ends - 1, blocks)]
        self._model.rope, self._model.rope_length = table.data_ptr(), table.shape[1]
        addresses = [array.ctypes.data for array in arrays]
        step = PassStruct(
            *addresses,
            hidden=hidden.data_ptr(),
            logits=logits.data_ptr(),
            num_tokens=len(tokens),
            num_rows=len(rows),
            num_blocks=blocks.shape[1],
            num_threads=torch.get_num_threads(),
            times=None if self.times is None else self.times.data_ptr(),
        )
        self._library.pagemill_forward(ctypes.byref(self._model), ctypes.byref(step))
        return logits

    def pick(self, logits: Tensor, wants_logprobs: bool) -> GreedyPicks:
        """See `Route.pick`."""
        tokens, logprobs = torch.empty(len(logits), dtype=torch.int64), torch.empty(len(logits))
        self._library.pagemill_pick(
            ctypes.c_void_p(logits.data_ptr()),
            *(ctypes.c_int64(count) for count in (*logits.shape, wants_logprobs)),
            ctypes.c_void_p(tokens.data_ptr()),
            ctypes.c_void_p(logprobs.data_ptr()),
            ctypes.c_int64(torch.get_num_threads()),
        )
        return GreedyPicks(tokens, torch.isfinite(logprobs), logprobs if wants_logprobs else None)

    def close(self) -> None:
        """See `Route.close`."""
        self._pool = None
        self._rope = torch.empty(0)

    def _angles(self, rows: Items[PlanRow], places: Integers) -> tuple[Integers, Tensor]:
        """The row of each token in a table of angles, and that table: made for the pass where the axes differ."""
        if all(row.rope is None for row in rows):
            return places, self._rope
        positions = positions_of((row.rope, row.start, row.end) for row in rows)
        if positions.ndim == 1:
            return positions, self._rope
        table = rope_of_axes(self._rope, self._axes, torch.from_numpy(positions)).contiguous()
        return np.arange(len(places)), table

    def _embed(self, tokens: Tensor) -> Tensor:
        """(T, hidden), float32."""
        if self._embedding is None:
            return self._head.rows(tokens)
        return self._embedding.index_select(0, tokens).float()


def native_reason(model: Any) -> str | None:
    """Why the C++ cannot run a model that is Llama-shaped; None if it can."""
    config = model.config.get_text_config(decoder=True)
    layer = model.get_decoder().layers[0]
    head_dim = int(layer.self_attn.head_dim)
    widths = (int(config.hidden_size), int(config.intermediate_size), head_dim)
    if model.dtype not in (torch.float32, torch.bfloat16):
        return f"its numbers are {model.dtype}"
    if config.model_type in DEEPSTACK:
        return "features of its pictures are added between its layers"
    if config.hidden_act != "silu":
        return f"its activation is {config.hidden_act}"
    if any(width % LANES for width in widths) or head_dim > MAX_HEAD_DIM:
        return f"a width of {widths} is no multiple of {LANES}"
    return None


def _layer(library: ctypes.CDLL, layer: Any, kind: Kind) -> NativeLayer:
    attention, mlp = layer.self_attn, layer.mlp

    def packed(*linears: Any, in_turn: bool = False) -> PackedMatrix:
        return PackedMatrix(library, [(linear.weight, linear.bias) for linear in linears], kind, in_turn=in_turn)

    def norm(module: Any) -> Tensor | None:
        return None if module is None else module.weight.detach().float()

    return NativeLayer(
        norm=layer.input_layernorm.weight.detach().float(),
        q_norm=norm(getattr(attention, "q_norm", None)),
        k_norm=norm(getattr(attention, "k_norm", None)),
        mlp_norm=layer.post_attention_layernorm.weight.detach().float(),
        qkv=packed(attention.q_proj, attention.k_proj, attention.v_proj),
        out=packed(attention.o_proj),
        gate_up=packed(mlp.gate_proj, mlp.up_proj, in_turn=True),
        down=packed(mlp.down_proj),
    )


def _struct(layer: NativeLayer, keys: Tensor, values: Tensor) -> LayerStruct:
    return LayerStruct(
        norm=layer.norm.data_ptr(),
        q_norm=None if layer.q_norm is None else layer.q_norm.data_ptr(),
        k_norm=None if layer.k_norm is None else layer.k_norm.data_ptr(),
        mlp_norm=layer.mlp_norm.data_ptr(),
        qkv=layer.qkv.struct,
        out=layer.out.struct,
        gate_up=layer.gate_up.struct,
        down=layer.down.struct,
        keys=keys.data_ptr(),
        values=values.data_ptr(),
    )


def _tables(rows: Items[PlanRow], block_size: int) -> np.ndarray[Any, np.dtype[np.int32]]:
    """(B, most) blocks of each row's context."""
    counts = [ceil_div(row.end, block_size) for row in rows]
    tables = np.zeros((len(rows), max(counts)), np.int32)
    for table, row, count in zip(tables, rows, counts, strict=True):
        table[:count] = row.blocks[:count]
    return tables
