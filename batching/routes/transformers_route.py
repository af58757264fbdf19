"""TransformersRoute: runs an unmodified transformers decoder over paged KV and state slots."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from collections.abc import Sequence as Items
from typing import Any

import torch
from torch import Tensor

from batching.errors import UnsupportedModel
from batching.forward_route import Overlay, Sampled
from batching.inputs.context_length import rope_switch
from batching.kv.block_pool import scratch_block
from batching.kv.kv_pool import KvPool
from batching.routes.padded_batch import Batch, grouped, grouped_for_states
from batching.routes.paged_cache import PagedCache, keeps_state
from batching.routes.row_groups import as_tensor, logits_by_group
from batching.sampling.sampler import pick
from batching.step_plan import PlanRow, RowOwner


class TransformersRoute:
    """The model sees what `generate` would show it: left-padded rows, an attention mask and explicit positions.

    With recurrent layers rows are never padded, and a pass is shown the states of its own rows.
    """

    name = "transformers"
    max_in_flight = 1
    pick = staticmethod(pick)
    num_bytes = None

    def __init__(self, model: Any) -> None:
        """`model`: a causal LM in evaluation mode; it is only read."""
        self._model = model
        self._config = model.config.get_text_config(decoder=True)
        self._takes = inspect.signature(model.forward).parameters.keys()
        self._cache_name = "cache_params" if "cache_params" in self._takes else "past_key_values"
        self.keeps_state = keeps_state(self._config)
        self._switch = rope_switch(self._config)
        self._device = torch.device(model.device)
        self._cache: PagedCache | None = None

    def allocate(self, pool: KvPool, max_rows: int) -> None:  # noqa: ARG002 # rows of a pass take no room of their own
        """See `Route.allocate`; a pass of one token shows the shapes of the layers.

        Raises:
            UnsupportedModel: the model keeps its state elsewhere than in the keys and values of each layer.
        """
        self._cache = PagedCache(self._config, pool)
        scratch = [scratch_block(pool.num_blocks)]
        self.logits([PlanRow(owner=RowOwner(seq_id=-1), tokens=[0], start=0, count=1, blocks=scratch)], {})
        if not self._cache.is_complete:
            raise UnsupportedModel("does not keep keys and values, or a state, for every layer")

    def logits(self, rows: Items[PlanRow], overlays: Mapping[int, Overlay], sampled: Sampled | None = None) -> Tensor:
        """See `Route.logits`; rows of similar length share a pass, those on two sides of a `RopeSwitch` never."""
        assert sampled is None
        long = [index for index, row in enumerate(rows) if self._is_long(row)]
        short = [index for index, row in enumerate(rows) if not self._is_long(row)]
        group = grouped_for_states if self.keeps_state else grouped
        groups = [*group(rows, short), *group(rows, long)]
        if len(groups) == 1 and groups[0] == list(range(len(rows))):
            return self._pass(rows, overlays)
        return logits_by_group(rows, overlays, [(group, self._pass) for group in groups], self._device)

    def close(self) -> None:
        """See `Route.close`."""
        self._cache = None

    def _pass(self, rows: Items[PlanRow], overlays: Mapping[int, Overlay]) -> Tensor:
        assert self._cache is not None, "the route was not allocated"
        switch = self._switch.length if self._switch is not None and self._is_long(rows[0]) else 0
        farthest = switch if max(row.end for row in rows) <= switch else 0  # else a token is there by itself
        pool = self._cache.pool
        batch = Batch.of(rows, pool.block_size, self._device, pool.states.scratch_slot, farthest=farthest)
        self._cache.look(batch.view)
        shared = {
            "attention_mask": batch.attention_mask,
            self._cache_name: self._cache,
            "use_cache": True,
            "return_dict": True,
        }
        if any(overlay.deepstack for overlay in overlays.values()):
            logits = self._with_deepstack(batch, overlays, shared)
            self._cache.keep()
            return logits
        optional = {"position_ids": batch.position_ids, "logits_to_keep": 1}
        arguments = {name: value for name, value in optional.items() if name in self._takes}
        logits = self._model(**self._input(batch, overlays), **arguments, **shared).logits[:, -1]
        self._cache.keep()
        return logits

    def _with_deepstack(self, batch: Batch, overlays: Mapping[int, Overlay], shared: dict[str, Any]) -> Tensor:
        """The decoder takes what the whole model makes of pictures and keeps to itself."""
        masks = torch.zeros(batch.input_ids.shape, dtype=torch.bool, device=self._device)
        for index, overlay in overlays.items():
            masks[index, self._tokens_of(batch, index, overlay)] = True
        layers = zip(*(overlays[index].deepstack for index in sorted(overlays)), strict=True)
        hidden = self._model.get_decoder()(
            **self._input(batch, overlays),
            **shared,
            position_ids=batch.position_ids,
            visual_pos_masks=masks,
            deepstack_visual_embeds=[torch.cat(layer) for layer in layers],
        ).last_hidden_state[:, -1]
        return self._model.get_output_embeddings()(hidden)

    def _tokens_of(self, batch: Batch, index: int, overlay: Overlay) -> Tensor:
        """Where the features of row `index` lie among its Q tokens, padding included."""
        return as_tensor(overlay.places + (batch.view.num_new - batch.rows[index].count), self._device)

    def _is_long(self, row: PlanRow) -> bool:
        return self._switch is not None and len(row.tokens) > self._switch.length

    def _input(self, batch: Batch, overlays: Mapping[int, Overlay]) -> dict[str, Tensor]:
        """What the model takes as input: tokens, or their embeddings where something lies over them."""
        if not overlays:
            return {"input_ids": batch.input_ids}
        embeds: Tensor = self._model.get_input_embeddings()(batch.input_ids).clone()
        for index, overlay in overlays.items():
            embeds[index, self._tokens_of(batch, index, overlay)] = overlay.embeds.to(embeds.dtype)
        return {"inputs_embeds": embeds}
