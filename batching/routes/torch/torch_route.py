"""FastRoute: our own torch forward pass for Llama-shaped decoders, without padding."""

# torch and transformers tell only part of their types, so unknowns that come from them are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Items
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 # the field's name for it
from torch import Tensor

from batching.forward_route import Overlay, Sampled
from batching.kv.kv_pool import KvPool
from batching.kv.kv_rows import KvRows
from batching.routes.torch.decoder import Decoder, rope_of_axes
from batching.routes.torch.packed_batch import DecodeGroup, Pack
from batching.sampling.sampler import pick
from batching.step_plan import PlanRow


class FastRoute:
    """Linear layers see the new tokens of all rows and no padding; attention is by block table."""

    name = "fast"
    max_in_flight = 1
    pick = staticmethod(pick)

    def __init__(self, decoder: Decoder, max_length: int) -> None:
        """`max_length`: the model's context."""
        self._decoder = decoder
        self._max_length = max_length
        self._pool = KvPool(0, 1)
        self._rope = self._axes = torch.empty(0)
        self._gathered: list[Tensor] = []  # keys and values of the layer at hand, reused by the next

    @property
    def num_bytes(self) -> int:
        """See `Route.num_bytes`."""
        return self._decoder.num_bytes

    def allocate(self, pool: KvPool, max_rows: int) -> None:  # noqa: ARG002 # rows of a pass take no room of their own
        """See `Route.allocate`."""
        model = self._decoder
        heads = (model.num_kv_heads, model.head_dim)
        for _ in model.layers:
            pool.add_layer(heads, heads, model.dtype, model.device)
        self._pool = pool
        self._gathered = [torch.empty(0, dtype=model.dtype, device=model.device) for _ in range(2)]
        self._rope = model.rope(min(pool.num_slots, self._max_length))
        self._axes = model.axes()

    def logits(self, rows: Items[PlanRow], overlays: Mapping[int, Overlay], sampled: Sampled | None = None) -> Tensor:
        """See `Route.logits`."""
        assert sampled is None
        model = self._decoder
        pack = Pack.of(rows, self._pool.block_size, model.device)
        rope = self._angles(pack.position_ids)[:, :, None]
        hidden = model.embed(pack.token_ids)
        pictures = _packed(overlays, pack)
        if pictures is not None:
            hidden[pictures.tokens] = pictures.embeds.to(hidden.dtype)
        for number, (layer, pools) in enumerate(zip(model.layers, self._pool.layers, strict=True)):
            added = None if pictures is None or number >= len(pictures.deepstack) else pictures.deepstack[number]
            queries, keys, values = model.queries_keys_values(layer, hidden, rope)
            for pool, new in zip(pools, (keys, values), strict=True):
                pool.write(pack.write, new)
            if layer is model.layers[-1] and pack.prompts and added is None:  # only what logits are made of is wanted
                hidden = hidden.index_select(0, pack.lasts)
                attended = self._decodes(queries.index_select(0, pack.lasts), pack.finals, pools)
            else:
                attended = self._attend(pack, queries, keys, values, pools)
            hidden = model.after_attention(layer, hidden, attended)
            if pictures is not None and added is not None:
                hidden.index_add_(0, pictures.tokens, added.to(hidden.dtype))
        return model.logits(hidden if len(hidden) == len(rows) else hidden.index_select(0, pack.lasts))

    def close(self) -> None:
        """See `Route.close`."""
        self._pool = KvPool(0, 1)
        self._gathered = []

    def _angles(self, positions: Tensor) -> Tensor:
        """(2, T, head dim), of positions (T), or (axes, T)."""
        if positions.ndim == 1:
            return self._rope.index_select(1, positions)
        return rope_of_axes(self._rope, self._axes, positions)

    def _attend(
        self, pack: Pack, queries: Tensor, keys: Tensor, values: Tensor, pools: tuple[KvRows, KvRows]
    ) -> Tensor:
        """(T, heads * head dim)."""
        attended = self._decodes(queries, pack.decodes, pools)
        for prompt in pack.prompts:
            part = slice(prompt.first, prompt.first + prompt.count)
            if prompt.read is None:
                new = [pool.rounded(self._by_head(own[part])) for pool, own in zip(pools, (keys, values), strict=True)]
                attended[part] = self._prefill(queries[part], new[0], new[1], None)
            else:
                old = [self._by_head(self._gather(pool, prompt.read, at)) for at, pool in enumerate(pools)]
                attended[part] = self._prefill(queries[part], old[0], old[1], prompt.mask)
        return attended

    def _decodes(self, queries: Tensor, groups: list[DecodeGroup], pools: tuple[KvRows, KvRows]) -> Tensor:
        """(T, heads * head dim), of which only the groups' queries are set."""
        if len(groups) == 1 and len(groups[0].tokens) == len(queries):
            return self._decode(queries, groups[0].read, groups[0].mask, pools)
        attended = torch.empty(
            len(queries), queries.shape[1] * queries.shape[2], dtype=queries.dtype, device=queries.device
        )
        for group in groups:
            of_group = self._decode(queries.index_select(0, group.tokens), group.read, group.mask, pools)
            attended.index_copy_(0, group.tokens, of_group)
        return attended

    def _decode(self, queries: Tensor, read: Tensor, mask: Tensor, pools: tuple[KvRows, KvRows]) -> Tensor:
        """One query a row; `read` is (B * N) blocks, `mask` (B, 1, 1, N * block size)."""
        model = self._decoder
        batch = len(queries)
        shape = (batch, mask.shape[-1], model.num_kv_heads, model.head_dim)
        keys, values = (self._gather(pool, read, at).view(shape).transpose(1, 2) for at, pool in enumerate(pools))
        by_kv_head = queries.reshape(batch, model.num_kv_heads, -1, model.head_dim)
        out = F.scaled_dot_product_attention(by_kv_head, keys, values, attn_mask=mask, scale=model.scale)
        return out.reshape(batch, -1)

    def _prefill(self, queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None) -> Tensor:
        """One row of Q queries over L keys, each (L, KV heads, head dim), causal; without `mask`, Q = L."""
        model = self._decoder
        shape = (len(queries), model.num_kv_heads, -1, model.head_dim)
        by_kv_head = queries.view(shape).permute(2, 1, 0, 3)  # (G, KV heads, Q, head dim): a KV head serves G heads
        keys, values = (
            vectors.contiguous().transpose(0, 1).expand(by_kv_head.shape[0], -1, -1, -1) for vectors in (keys, values)
        )
        out = F.scaled_dot_product_attention(
            by_kv_head, keys, values, attn_mask=mask, is_causal=mask is None, scale=model.scale
        )
        return out.permute(2, 1, 0, 3).reshape(len(queries), -1)

    def _by_head(self, vectors: Tensor) -> Tensor:
        """(L, KV heads, head dim)."""
        return vectors.reshape(-1, self._decoder.num_kv_heads, self._decoder.head_dim)

    def _gather(self, pool: KvRows, read: Tensor, at: int) -> Tensor:
        """(blocks read, block size * KV width); valid until the next call for the same `at`."""
        num_numbers = len(read) * self._pool.block_size * pool.width
        if pool.exponents is None and self._gathered[at].numel() < num_numbers:
            self._gathered[at] = torch.empty(num_numbers, dtype=pool.numbers.dtype, device=pool.numbers.device)
        return pool.read_blocks(read, out=self._gathered[at])


@dataclass(frozen=True, slots=True, eq=False)
class _PackedPictures:
    """The overlays of all rows of a pack."""

    tokens: Tensor  # (n), places among the T
    embeds: Tensor  # (n, hidden)
    deepstack: list[Tensor]  # each (n, hidden)


def _packed(overlays: Mapping[int, Overlay], pack: Pack) -> _PackedPictures | None:
    """None where no row has any."""
    if not overlays:
        return None
    places = np.concatenate([overlay.places + pack.firsts[at] for at, overlay in overlays.items()])
    all_overlays = list(overlays.values())
    layers = zip(*(overlay.deepstack for overlay in all_overlays), strict=True)
    return _PackedPictures(
        torch.as_tensor(places, device=pack.token_ids.device),
        torch.cat([overlay.embeds for overlay in all_overlays]),
        [torch.cat(layer) for layer in layers],
    )
