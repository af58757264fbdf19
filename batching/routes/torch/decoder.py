"""Reads the weights of Llama-shaped decoders for our own forward pass: fused matrices, norms, rope."""

# torch and transformers tell only part of their types, so unknowns that come from them are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 # the field's name for it
from torch import Tensor

from batching.inputs.context_length import ropes
from batching.native.quantised import KINDS, Quantisation, QuantisedLinear
from batching.routes.torch.linear import Linear

SHAPES = frozenset(
    {
        "llama",
        "mistral",
        "qwen2",
        "qwen3",
        "qwen2_vl_text",
        "qwen2_5_vl_text",
        "qwen3_vl_text",
        "paddleocr_vl_text",
    }
)
"""Model types of which every layer is norm, attention with rope, norm, gated MLP."""

ROPES = frozenset({"default", "linear", "llama3", "yarn"})
"""Kinds of rope whose angles depend on the position alone, not on the length of the sequence."""


MATRICES = ("qkv", "out", "gate_up", "down")
"""Of a layer: all that a step spends its time on."""


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """The weights of one layer."""

    norm: Tensor
    qkv: Linear | QuantisedLinear  # queries, keys and values, one above the other
    q_norm: Tensor | None  # of each head's queries, (head dim)
    k_norm: Tensor | None
    out: Linear | QuantisedLinear
    mlp_norm: Tensor
    gate_up: Linear | QuantisedLinear
    down: Linear | QuantisedLinear


class Decoder:
    """Computes what the model it was made of computes; attention is the caller's."""

    def __init__(self, model: Any, quantisation: Quantisation = "none") -> None:
        """`model`: a causal LM for which `unsupported_reason` finds none; it is only read.

        Quantised are the matrices of the layers; embedding and head stay as they are.

        Raises:
            UnsupportedModel: a matrix has a shape that cannot be packed.
        """
        config = model.config.get_text_config(decoder=True)
        base = model.get_decoder()
        attention = base.layers[0].self_attn
        self.head_dim = int(attention.head_dim)
        self.num_heads = int(config.num_attention_heads)
        self.num_kv_heads = int(config.num_key_value_heads)
        self.scale = float(attention.scaling)
        self._eps = float(config.rms_norm_eps)
        self._activation: Callable[[Tensor], Tensor] = base.layers[0].mlp.act_fn
        self._embedding: Tensor = base.embed_tokens.weight
        self._rotary = base.rotary_emb
        self._norm: Tensor = base.norm.weight
        output = model.get_output_embeddings()
        self._head = Linear(output.weight, output.bias)
        make = Linear if quantisation == "none" else KINDS[quantisation]
        self.layers = [_layer(layer, make) for layer in base.layers[: int(config.num_hidden_layers)]]
        self.dtype, self.device = self._embedding.dtype, self._embedding.device

    @property
    def num_bytes(self) -> int:
        """Of the layers' matrices."""
        return sum(getattr(layer, name).num_bytes for layer in self.layers for name in MATRICES)

    def rope(self, length: int) -> Tensor:
        """See `rope_table`."""
        return rope_table(self._rotary, length, torch.empty(0, dtype=self.dtype, device=self.device))

    @property
    def num_axes(self) -> int:
        """Of the rope: positions that a token has at once."""
        return num_axes(self._rotary)

    def axes(self) -> Tensor:
        """See `axes_of_channels`."""
        return axes_of_channels(self._rotary, torch.empty(0, dtype=self.dtype, device=self.device))

    def embed(self, token_ids: Tensor) -> Tensor:
        """(T, hidden)."""
        return F.embedding(token_ids, self._embedding)

    def queries_keys_values(self, layer: Layer, hidden: Tensor, rope: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """(T, heads, head dim), and (T, KV heads * head dim) twice; not yet normed `hidden` is (T, hidden).

        `rope` is (2, T, 1, head dim), the rows of these positions.
        """
        normed = F.rms_norm(hidden, (hidden.shape[-1],), layer.norm, self._eps)
        fused = layer.qkv(normed)
        width = self.num_kv_heads * self.head_dim
        queries_keys = fused[:, :-width].view(len(fused), -1, self.head_dim)
        if layer.q_norm is not None and layer.k_norm is not None:
            queries, keys = queries_keys.split([self.num_heads, self.num_kv_heads], dim=1)
            queries = F.rms_norm(queries, (self.head_dim,), layer.q_norm, self._eps)
            keys = F.rms_norm(keys, (self.head_dim,), layer.k_norm, self._eps)
            queries_keys = torch.cat([queries, keys], dim=1)
        queries_keys = apply_rope(queries_keys, rope)
        keys = queries_keys[:, self.num_heads :].reshape(-1, width)
        return queries_keys[:, : self.num_heads], keys, fused[:, -width:]

    def after_attention(self, layer: Layer, hidden: Tensor, attended: Tensor) -> Tensor:
        """What follows attention in a layer; both are (T, ...)."""
        hidden = hidden + layer.out(attended)
        normed = F.rms_norm(hidden, (hidden.shape[-1],), layer.mlp_norm, self._eps)
        gate, up = layer.gate_up(normed).chunk(2, dim=-1)
        gated = self._activation(gate).mul_(up)
        return hidden + layer.down(gated)

    def logits(self, hidden: Tensor) -> Tensor:
        """(B, vocabulary), of the last layer's output."""
        return self._head(F.rms_norm(hidden, (hidden.shape[-1],), self._norm, self._eps))


def rope_table(rotary: Any, length: int, like: Tensor) -> Tensor:
    """(2, length, head dim): cosines, and sines signed for `apply_rope`, of positions 0 to `length`."""
    positions = torch.arange(length, device=like.device)[None]
    if num_axes(rotary) > 1:
        positions = positions.expand(num_axes(rotary), 1, length)  # transformers before 5.18 takes no other shape
    cos, sin = rotary(like, positions)
    half = cos.shape[-1] // 2
    return torch.stack([cos[0], torch.cat([-sin[0, :, :half], sin[0, :, half:]], dim=-1)])


def num_axes(rotary: Any) -> int:
    """Positions that a token has at once: one, unless the rope is parted among axes (M-RoPE)."""
    return len(getattr(rotary, "mrope_section", ())) or 1


def axes_of_channels(rotary: Any, like: Tensor) -> Tensor:
    """(head dim): the axis whose position turns each channel, as the model's own rope shows when one axis moves."""
    count = num_axes(rotary)
    axes = torch.zeros(rotary(like, torch.zeros(count, 1, 1, dtype=torch.int64, device=like.device))[0].shape[-1])
    for axis in range(count if count > 1 else 0):
        positions = torch.zeros(count, 1, 1, dtype=torch.int64, device=like.device)
        positions[axis] = 1
        _, sines = rotary(like, positions)
        axes[(sines[0, 0] != 0).cpu()] = axis
    return axes.long().to(like.device)


def rope_of_axes(table: Tensor, axes: Tensor, positions: Tensor) -> Tensor:
    """(2, T, head dim): the rows of `table` at `positions` (axes, T), each channel by that of its own axis."""
    places = positions.index_select(0, axes).T
    return table.gather(1, places.expand(2, -1, -1))


def apply_rope(heads: Tensor, rope: Tensor) -> Tensor:
    """Rotary embedding of (T, heads, head dim), halves paired as in Llama: x cos + rotate_half(x) sin."""
    return torch.addcmul(heads * rope[0], heads.roll(heads.shape[-1] // 2, -1), rope[1])


def unsupported_reason(model: Any) -> str | None:
    """Why this model is not Llama-shaped as far as its config tells; None if it is."""
    config = model.config.get_text_config(decoder=True)
    if config.model_type not in SHAPES:
        return f"model type {config.model_type} has no fast route"
    if config.model_type == "mistral" and config.sliding_window is not None:
        return "its attention slides over a window"
    if any(kind != "full_attention" for kind in getattr(config, "layer_types", None) or ()):
        return "not all of its layers attend to the whole context"
    for rope in ropes(config):
        kind = rope.get("rope_type", "default")
        if kind not in ROPES:
            return f"rope of type {kind} depends on the length"
    return None


def _layer(layer: Any, make: Callable[[Tensor, Tensor | None], Linear | QuantisedLinear]) -> Layer:
    attention, mlp = layer.self_attn, layer.mlp
    q_norm, k_norm = (getattr(attention, name, None) for name in ("q_norm", "k_norm"))

    def stacked(*linears: Any) -> Linear | QuantisedLinear:
        """The matrices one above the other, and their biases."""
        with torch.no_grad():
            weight = linears[0].weight if len(linears) == 1 else torch.cat([linear.weight for linear in linears])
            bias = None if linears[0].bias is None else torch.cat([linear.bias for linear in linears])
        return make(weight.detach(), bias)

    return Layer(
        norm=layer.input_layernorm.weight,
        qkv=stacked(attention.q_proj, attention.k_proj, attention.v_proj),
        q_norm=None if q_norm is None else q_norm.weight,
        k_norm=None if k_norm is None else k_norm.weight,
        out=stacked(attention.o_proj),
        mlp_norm=layer.post_attention_layernorm.weight,
        gate_up=stacked(mlp.gate_proj, mlp.up_proj),
        down=stacked(mlp.down_proj),
    )
