"""Decoder: the layers of a Llama-shaped model in torch, with fused matrices."""

# torch and transformers tell only part of their types, so unknowns that come from them are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 # the field's name for it
from torch import Tensor

from batching.kv.kv_pool import KvPool
from batching.requests.rope_positions import MAX_DELTA
from batching.routes.llama_weights import Layer, Parts, RopeTable, layers_of
from batching.routes.torch.linear import LINEAR_TYPES, Linear, Quantisation


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
        output = model.get_output_embeddings()
        self.head_dim = int(attention.head_dim)
        self.num_heads = int(config.num_attention_heads)
        self.num_kv_heads = int(config.num_key_value_heads)
        self.scale = float(attention.scaling)
        self.max_length = int(config.max_position_embeddings)
        self._eps = float(config.rms_norm_eps)
        self._activation: Callable[[Tensor], Tensor] = base.layers[0].mlp.act_fn
        self._embedding: Tensor = base.embed_tokens.weight
        self.dtype = self._embedding.dtype
        self.device = self._embedding.device
        self._rotary = base.rotary_emb
        self._norm: Tensor = base.norm.weight
        self._head = Linear(output.weight, output.bias)
        make = LINEAR_TYPES[quantisation]

        def stacked(parts: Parts) -> Linear:
            """The matrices one above the other, and their biases."""
            weight = parts[0][0] if len(parts) == 1 else torch.cat([weight for weight, _ in parts])
            biases = [bias for _, bias in parts if bias is not None]
            return make(weight, torch.cat(biases) if biases else None)

        with torch.no_grad():
            self.layers: list[Layer[Linear]] = list(layers_of(model, self.dtype, stacked, stacked))

    def allocate(self, pool: KvPool) -> RopeTable:
        """Give `pool` the model's layers; the angles of all positions that it has room for."""
        heads = (self.num_kv_heads, self.head_dim)
        for _ in self.layers:
            pool.add_layer(heads, heads, self.dtype, self.device)
        like = torch.empty(0, dtype=self.dtype, device=self.device)
        return RopeTable(self._rotary, min(pool.num_slots + MAX_DELTA, self.max_length), like)

    def embed(self, token_ids: Tensor) -> Tensor:
        """(T, hidden)."""
        return F.embedding(token_ids, self._embedding)

    def queries_keys_values(self, layer: Layer[Linear], hidden: Tensor, rope: Tensor) -> tuple[Tensor, Tensor, Tensor]:
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

    def after_attention(self, layer: Layer[Linear], hidden: Tensor, attended: Tensor) -> Tensor:
        """What follows attention in a layer; both are (T, ...)."""
        hidden = hidden + layer.out(attended)
        normed = F.rms_norm(hidden, (hidden.shape[-1],), layer.mlp_norm, self._eps)
        gate, up = layer.gate_up(normed).chunk(2, dim=-1)
        gated = self._activation(gate).mul_(up)
        return hidden + layer.down(gated)

    def logits(self, hidden: Tensor) -> Tensor:
        """(B, vocabulary), of the last layer's output."""
        return self._head(F.rms_norm(hidden, (hidden.shape[-1],), self._norm, self._eps))


def apply_rope(heads: Tensor, rope: Tensor) -> Tensor:
    """Rotary embedding of (T, heads, head dim), halves paired as in Llama: x cos + rotate_half(x) sin."""
    return torch.addcmul(heads * rope[0], heads.roll(heads.shape[-1] // 2, -1), rope[1])
