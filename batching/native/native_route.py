"""NativeRoute: the forward pass in C++ on x86 CPUs; which models it can run."""

# torch tells only part of its types, so unknowns that come from it are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

import ctypes
import functools
from array import array
from collections.abc import Mapping
from collections.abc import Sequence as Items
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from batching.forward_route import Overlay, Sampled
from batching.kv.block_pool import scratch_block
from batching.kv.kv_pool import KvPool
from batching.native.matrix import LANES, Kind, PackedMatrix, kind_of
from batching.native.structures import LayerStruct, ModelStruct, PassStruct, address
from batching.requests.rope_positions import MAX_DELTA, positions_of
from batching.routes.llama_weights import Layer, RopeTable, layers_of
from batching.sampling.sampler import GreedyPicks
from batching.step_plan import PlanRow

MAX_HEAD_DIM = 512
PICTURE_TOKEN_ID = -1  # stands for a token whose embedding comes from a picture
DEEPSTACK_MODEL_TYPES = frozenset({"qwen3_vl_text"})
"""Model types whose decoder also takes picture features in its first layers, not only as embeddings."""


class NativeRoute:
    """A row's logits depend on its own tokens alone, to the bit: not on its batch, nor on how its prompt was cut."""

    name = "native"
    keeps_state = False
    max_in_flight = 1

    def __init__(self, library: ctypes.CDLL, model: Any, *, quantised: bool = False) -> None:
        """`model`: a causal LM for which `native_reason` finds none; it is only read. `quantised`: to int8."""
        kind: Kind = "int8" if quantised else kind_of(model.dtype)
        self._library = library
        config = model.config.get_text_config(decoder=True)
        base = model.get_decoder()
        packed = functools.partial(PackedMatrix, library, kind=kind)
        interleaved = functools.partial(PackedMatrix, library, kind=kind, interleaved=True)
        self._layers = list(layers_of(model, torch.float32, packed, interleaved))
        output = model.get_output_embeddings()
        self._head = packed([(output.weight, output.bias)])
        tied = output.weight is base.embed_tokens.weight
        self._num_embeddings = len(base.embed_tokens.weight)
        self._embedding = None if tied and kind != "int8" else base.embed_tokens.weight.detach().contiguous()
        self._dtype: torch.dtype = base.embed_tokens.weight.dtype
        self._norm = base.norm.weight.detach().float()
        self._rotary = base.rotary_emb
        self._max_length = int(config.max_position_embeddings)
        attention = base.layers[0].self_attn
        self._model = ModelStruct(
            embedding=address(self._embedding),
            norm=address(self._norm),
            head=self._head.struct,
            num_layers=len(self._layers),
            hidden=int(config.hidden_size),
            intermediate=int(config.intermediate_size),
            num_heads=int(config.num_attention_heads),
            num_kv_heads=int(config.num_key_value_heads),
            head_dim=int(attention.head_dim),
            bf16=self._dtype == torch.bfloat16,
            scale=float(attention.scaling),
            eps=float(config.rms_norm_eps),
        )
        self._rope: RopeTable | None = None
        self._hidden = _Buffer(self._model.hidden)
        self._logits = _Buffer(self._head.num_outputs)
        self._pool: KvPool | None = None
        self.times: Tensor | None = None
        """(threads, `PARTS`), int64: nanoseconds that each pass adds to, if it is set; for benchmarks."""

    @property
    def num_bytes(self) -> int:
        """See `Route.num_bytes`."""
        return sum(layer.num_bytes for layer in self._layers)

    def allocate(self, pool: KvPool, max_rows: int) -> None:  # noqa: ARG002 # rows of a pass take no room of their own
        """See `Route.allocate`."""
        if pool.kv_dtype != "model":
            raise ValueError(f"the native route reads the model's own numbers, not {pool.kv_dtype}")
        heads = (self._model.num_kv_heads, self._model.head_dim)
        for _ in self._layers:
            pool.add_layer(heads, heads, self._dtype, torch.device("cpu"))
        self._pool = pool
        self._rope = RopeTable(self._rotary, min(pool.num_slots + MAX_DELTA, self._max_length), torch.empty(0))
        self._model.block_size = pool.block_size
        layers = zip(self._layers, pool.layers, strict=True)
        structs = [_struct(layer, keys.numbers, values.numbers) for layer, (keys, values) in layers]
        self._model.layers = (LayerStruct * len(structs))(*structs)

    def logits(self, rows: Items[PlanRow], overlays: Mapping[int, Overlay], sampled: Sampled | None = None) -> Tensor:
        """See `Route.logits`; float32, valid until the next call."""
        assert sampled is None
        if self._pool is None or self._rope is None:
            raise ValueError("the route was not allocated")
        tokens = array("i", chain.from_iterable([row.tokens[row.start : row.end] for row in rows]))
        starts = array("i", [row.start for row in rows])
        counts = array("i", [row.count for row in rows])
        num_blocks = array("i", [len(row.blocks) for row in rows])
        blocks = array("i", chain.from_iterable([row.blocks for row in rows]))
        self._check_rows(self._pool, rows, tokens, blocks)
        hidden, logits = self._hidden.of(len(tokens)), self._logits.of(len(rows))
        for index, overlay in overlays.items():
            places = overlay.places + sum(counts[:index])
            hidden[torch.from_numpy(places)] = overlay.embeds.float()
            np.frombuffer(tokens, np.int32)[places] = PICTURE_TOKEN_ID
        angles, table = _angles(self._rope, rows)
        last = max(row.end for row in rows) - 1 if angles is None else int(angles.max())
        if last >= table.shape[1] or (angles is not None and int(angles.min()) < 0):
            raise ValueError(f"position {last} is outside of the {table.shape[1]} that have angles")
        self._model.rope = address(table)
        self._model.rope_length = table.shape[1]
        step = PassStruct(
            tokens=address(tokens),
            angles=None if angles is None else angles.ctypes.data,
            starts=address(starts),
            counts=address(counts),
            num_blocks=address(num_blocks),
            blocks=address(blocks),
            hidden=address(hidden),
            logits=address(logits),
            num_rows=len(rows),
            num_threads=torch.get_num_threads(),
            times=address(self.times),
        )
        self._library.pagemill_forward(ctypes.byref(self._model), ctypes.byref(step))
        return logits

    def pick(self, logits: Tensor, wants_logprobs: bool) -> GreedyPicks:
        """See `Route.pick`."""
        count, width = logits.shape
        logits = logits.float().contiguous()
        tokens, finite = torch.empty(count, dtype=torch.int64), torch.empty(count, dtype=torch.bool)
        logprobs = torch.empty(count) if wants_logprobs else None
        outputs = (address(tokens), address(finite), address(logprobs))
        self._library.pagemill_pick(address(logits), count, width, *outputs, torch.get_num_threads())
        return GreedyPicks(tokens, finite, logprobs)

    def close(self) -> None:
        """See `Route.close`."""
        self._pool = self._rope = None
        self._hidden = _Buffer(self._model.hidden)
        self._logits = _Buffer(self._head.num_outputs)
        self._library.pagemill_close(ctypes.byref(self._model))

    def _check_rows(self, pool: KvPool, rows: Items[PlanRow], tokens: array[int], blocks: array[int]) -> None:
        """Raises ValueError: the C++, which knows addresses alone, would read or write what is not this pass's."""
        if len(tokens) != sum(row.count for row in rows) or any(row.start < 0 or row.count < 1 for row in rows):
            raise ValueError("a row has fewer tokens than it says")
        if any(len(row.blocks) * pool.block_size < row.end for row in rows):
            raise ValueError("a row has fewer blocks than tokens")
        for integers, last, name in (
            (tokens, self._num_embeddings - 1, "token without an embedding"),
            (blocks, scratch_block(pool.num_blocks), "block outside of the pool"),
        ):
            numbers = np.frombuffer(integers, np.int32)
            if numbers.min() < 0 or numbers.max() > last:
                raise ValueError(f"a row has a {name}")


class _Buffer:
    """Rows of floats that are written again in each pass: memory that is new costs a fault per page."""

    def __init__(self, width: int) -> None:
        self._rows = torch.empty(0, width)

    def of(self, count: int) -> Tensor:
        """(count, width), of any numbers."""
        if len(self._rows) < count:
            self._rows = torch.empty(count, self._rows.shape[1])
        return self._rows[:count]


def _angles(rope: RopeTable, rows: Items[PlanRow]) -> tuple[npt.NDArray[np.int32] | None, Tensor]:
    """The row of each token in a table of angles, None for its place, and that table."""
    if all(row.owner.rope is None for row in rows):
        return None, rope.rows
    positions = positions_of((row.owner.rope, row.start, row.end) for row in rows)
    if positions.ndim == 1:
        return positions.astype(np.int32), rope.rows
    return np.arange(positions.shape[1], dtype=np.int32), rope.at(torch.from_numpy(positions)).contiguous()


def native_reason(model: Any) -> str | None:
    """Why the C++ cannot run a model that is Llama-shaped; None if it can."""
    config = model.config.get_text_config(decoder=True)
    layer = model.get_decoder().layers[0]
    head_dim = int(layer.self_attn.head_dim)
    widths = (int(config.hidden_size), int(config.intermediate_size), head_dim)
    if model.dtype not in (torch.float32, torch.bfloat16):
        return f"its numbers are {model.dtype}"
    if config.model_type in DEEPSTACK_MODEL_TYPES:
        return "features of its pictures are added between its layers"
    if config.hidden_act != "silu":
        return f"its activation is {config.hidden_act}"
    if any(width % LANES for width in widths) or head_dim > MAX_HEAD_DIM:
        return f"a width of {widths} is no multiple of {LANES}"
    return None


def _struct(layer: Layer[PackedMatrix], keys: Tensor, values: Tensor) -> LayerStruct:
    return LayerStruct(
        norm=address(layer.norm),
        q_norm=address(layer.q_norm),
        k_norm=address(layer.k_norm),
        mlp_norm=address(layer.mlp_norm),
        qkv=layer.qkv.struct,
        out=layer.out.struct,
        gate_up=layer.gate_up.struct,
        down=layer.down.struct,
        keys=address(keys),
        values=address(values),
    )
