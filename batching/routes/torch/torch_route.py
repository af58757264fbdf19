"""TorchRoute: our own torch forward pass for Llama-shaped decoders, without padding."""

# torch and transformers tell only part of their types, so unknowns that come from them are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Items

import torch
import torch.nn.functional as F  # noqa: N812 # the field's name for it
from torch import Tensor

from batching.forward_route import Overlay, Sampled
from batching.kv.kv_pool import KvPool
from batching.kv.kv_rows import KvRows
from batching.routes.llama_weights import RopeTable
from batching.routes.row_groups import as_tensor, logits_by_group
from batching.routes.torch.cuda_graphs import MAX_IN_FLIGHT_STEPS, DecodeGraphs, is_decode
from batching.routes.torch.decoder import Decoder
from batching.routes.torch.packed_batch import DecodeGroup, Pack
from batching.sampling.sampler import pick
from batching.step_plan import PlanRow


class TorchRoute:
    """Linear layers see the new tokens of all rows and no padding; attention is by block table.

    With `graphs`, these compute the rows that decode.
    """

    name = "torch"
    keeps_state = False
    pick = staticmethod(pick)

    def __init__(self, decoder: Decoder, graphs: DecodeGraphs | None = None) -> None:
        self._decoder = decoder
        self._graphs = graphs
        self.max_in_flight = 1 if graphs is None else MAX_IN_FLIGHT_STEPS
        self._pool = KvPool(0, 1)
        self._rope: RopeTable | None = None
        self._gathered: list[Tensor] = []  # keys and values of the layer at hand, reused by the next

    @property
    def num_bytes(self) -> int:
        """See `Route.num_bytes`."""
        return sum(layer.num_bytes for layer in self._decoder.layers)

    def allocate(self, pool: KvPool, max_rows: int) -> None:
        """See `Route.allocate`."""
        self._pool = pool
        self._rope = self._decoder.allocate(pool)
        dtype, device = self._decoder.dtype, self._decoder.device
        self._gathered = [torch.empty(0, dtype=dtype, device=device) for _ in range(2)]
        if self._graphs is not None:
            self._graphs.allocate(pool, self._rope, max_rows)

    def logits(self, rows: Items[PlanRow], overlays: Mapping[int, Overlay], sampled: Sampled | None = None) -> Tensor:
        """See `Route.logits`; with `sampled`, every row decodes."""
        if self._graphs is None:
            assert sampled is None
            return self._packed(rows, overlays)
        graphs = self._graphs
        if sampled is not None:
            return graphs.replay(rows, sampled)
        decodes = {index for index, row in enumerate(rows) if is_decode(row) and index not in overlays}
        others = [index for index in range(len(rows)) if index not in decodes]
        if not others:
            return graphs.replay(rows)
        if not decodes:
            return self._packed(rows, overlays)

        # first what makes the host wait for the device, then what is only queued
        def replayed(rows: Items[PlanRow], _: Mapping[int, Overlay]) -> Tensor:
            return graphs.replay(rows)

        groups = [(others, self._packed), (sorted(decodes), replayed)]
        return logits_by_group(rows, overlays, groups, self._decoder.device)

    def close(self) -> None:
        """See `Route.close`."""
        self._pool = KvPool(0, 1)
        self._gathered = []
        if self._graphs is not None:
            self._graphs.close()

    def _packed(self, rows: Items[PlanRow], overlays: Mapping[int, Overlay]) -> Tensor:
        """(B, vocabulary)."""
        model = self._decoder
        assert self._rope is not None, "the route was not allocated"
        pack = Pack.of(rows, self._pool.block_size, model.device)
        rope = self._rope.at(pack.position_ids)[:, :, None]
        hidden = model.embed(pack.token_ids)
        covered = [as_tensor(overlay.places + pack.firsts[index], model.device) for index, overlay in overlays.items()]
        for tokens, overlay in zip(covered, overlays.values(), strict=True):
            hidden[tokens] = overlay.embeds.to(hidden.dtype)
        depth = max((len(overlay.deepstack) for overlay in overlays.values()), default=0)
        for number, (layer, pools) in enumerate(zip(model.layers, self._pool.layers, strict=True)):
            queries, keys, values = model.queries_keys_values(layer, hidden, rope)
            for pool, new in zip(pools, (keys, values), strict=True):
                pool.write(pack.write, new)
            attended = self._attend(pack, queries, keys, values, pools)
            if layer is model.layers[-1] and number >= depth:  # only what logits are made of is wanted
                hidden, attended = hidden.index_select(0, pack.lasts), attended.index_select(0, pack.lasts)
            hidden = model.after_attention(layer, hidden, attended)
            for tokens, overlay in zip(covered, overlays.values(), strict=True):
                if number < len(overlay.deepstack):
                    hidden.index_add_(0, tokens, overlay.deepstack[number].to(hidden.dtype))
        return model.logits(hidden if len(hidden) == len(rows) else hidden.index_select(0, pack.lasts))

    def _attend(
        self, pack: Pack, queries: Tensor, keys: Tensor, values: Tensor, pools: tuple[KvRows, KvRows]
    ) -> Tensor:
        """(T, heads * head dim)."""
        if len(pack.decodes) == 1 and not pack.prompts:  # all tokens, in their order
            return self._decode(queries, pack.decodes[0], pools)
        attended = torch.empty_like(queries, memory_format=torch.contiguous_format).flatten(1)
        for group in pack.decodes:
            of_group = self._decode(queries.index_select(0, group.tokens), group, pools)
            attended.index_copy_(0, group.tokens, of_group)
        for prompt in pack.prompts:
            if prompt.read is None:
                new_keys, new_values = (
                    pool.rounded(self._by_head(new[prompt.tokens]))
                    for pool, new in zip(pools, (keys, values), strict=True)
                )
                attended[prompt.tokens] = self._prefill(queries[prompt.tokens], new_keys, new_values, None)
            else:
                all_keys, all_values = (
                    self._by_head(self._gather(pool, prompt.read, part)) for part, pool in enumerate(pools)
                )
                attended[prompt.tokens] = self._prefill(queries[prompt.tokens], all_keys, all_values, prompt.mask)
        return attended

    def _decode(self, queries: Tensor, group: DecodeGroup, pools: tuple[KvRows, KvRows]) -> Tensor:
        """One query per row of the group."""
        model = self._decoder
        batch = len(queries)
        shape = (batch, group.mask.shape[-1], model.num_kv_heads, model.head_dim)
        keys, values = (
            self._gather(pool, group.read, part).view(shape).transpose(1, 2) for part, pool in enumerate(pools)
        )
        by_kv_head = queries.reshape(batch, model.num_kv_heads, -1, model.head_dim)
        out = F.scaled_dot_product_attention(by_kv_head, keys, values, attn_mask=group.mask, scale=model.scale)
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

    def _gather(self, pool: KvRows, read: Tensor, part: int) -> Tensor:
        """(blocks read, block size * KV width), of keys (part 0) or values (1); valid until the next call for these."""
        num_numbers = len(read) * self._pool.block_size * pool.width
        if pool.exponents is None and self._gathered[part].numel() < num_numbers:
            self._gathered[part] = torch.empty(num_numbers, dtype=pool.numbers.dtype, device=pool.numbers.device)
        return pool.read_blocks(read, out=self._gathered[part])
