"""A transformers Cache over KV blocks, so that unmodified models run with paged KV."""

# torch and transformers tell only part of their types, so unknowns that come from them are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torch import Tensor
from transformers.cache_utils import Cache, CacheLayerMixin

from batching.kv.kv_pool import KvPool
from batching.kv.kv_rows import KvRows


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CacheView:
    """What one forward pass of B rows and Q new tokens sees: L positions, padded as its attention mask says."""

    batch: int
    num_new: int  # Q
    length: int  # L
    write: Tensor  # slots of the new tokens, padding left out
    real: Tensor | None  # where those are among the B * Q; None when all are
    read: Tensor | None  # slots, B rows of L, flat, padding in the padding block; None when the new tokens are all


class PagedLayer(CacheLayerMixin):
    """Keys and values of one layer, by block."""

    is_sliding = False  # the model builds its own mask of the window over the whole length

    def __init__(self, pool: KvPool) -> None:
        super().__init__()
        self._pool = pool
        self._rows: tuple[KvRows, KvRows] | None = None
        self.view: CacheView | None = None

    def lazy_initialization(self, key_states: Tensor, value_states: Tensor) -> None:
        """Storage in the shape of the first keys and values, each (B, heads, Q, head dim)."""
        keys, values = ((states.shape[1], states.shape[3]) for states in (key_states, value_states))
        self._rows = self._pool.add_layer(keys, values, key_states.dtype, key_states.device)
        self.keys, self.values = (rows.numbers for rows in self._rows)
        self.is_initialized = True

    def update(self, key_states: Tensor, value_states: Tensor, *args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:  # noqa: ARG002 # the signature is transformers'
        """Store the new, and give all (B, heads, L, head dim)."""
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
        assert self._rows is not None
        return self._pass(self._rows[0], key_states), self._pass(self._rows[1], value_states)

    def _pass(self, rows: KvRows, new: Tensor) -> Tensor:
        view = self.view
        assert view is not None
        _, heads, _, dim = new.shape
        flat = new.transpose(1, 2).reshape(-1, heads * dim)
        if view.real is not None:
            flat = flat.index_select(0, view.real)
        rows.write(view.write, flat)
        if view.read is None:
            return rows.rounded(new)
        return rows.read_slots(view.read).view(view.batch, view.length, heads, dim).transpose(1, 2)

    def get_mask_sizes(self, query_length: Any) -> tuple[int, int]:  # noqa: ARG002 # the signature is transformers'
        """Length and offset of the keys that the mask covers."""
        assert self.view is not None
        return self.view.length, 0

    def get_seq_length(self, *args: Any) -> int:  # noqa: ARG002 # the signature is transformers'
        """The position of the first new token in the padded view."""
        return 0 if self.view is None else self.view.length - self.view.num_new

    def get_max_length(self) -> int:
        """No limit of its own."""
        return -1

    def get_max_cache_shape(self) -> int:
        """The name of `get_max_length` in older releases."""
        return -1


class PagedCache(Cache):
    """One layer per decoder layer, all looking at the same view."""

    def __init__(self, num_layers: int, pool: KvPool) -> None:
        """`pool` gets a layer at the first pass, when its shape is known."""
        self.pool = pool
        self.paged = [PagedLayer(pool) for _ in range(num_layers)]
        super().__init__(layers=list(self.paged))

    def look(self, view: CacheView) -> None:
        """Show `view` to the next forward pass."""
        for layer in self.paged:
            layer.view = view
