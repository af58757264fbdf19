"""A transformers Cache over KV blocks and state slots, so that unmodified models run with them."""

# torch and transformers tell only part of their types, so unknowns that come from them are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from torch import Tensor
from transformers.cache_utils import (
    Cache,
    CacheLayerMixin,
    DummyLayer,
    DynamicCache,
    LinearAttentionCacheLayerMixin,
    LinearAttentionLayer,
)

from batching.kv.kv_pool import KvPool
from batching.kv.kv_rows import KvRows
from batching.kv.state_pool import StatePool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CacheView:
    """What one forward pass of B rows and Q new tokens sees: L positions, padded as its attention mask says."""

    batch: int
    num_new: int  # Q
    length: int  # L
    write: Tensor  # slots of the new tokens, padding left out
    real: Tensor | None  # where those are among the B * Q; None when all are
    read: Tensor | None  # slots, B rows of L, flat, padding in the padding block; None when the new tokens are all
    states: Tensor  # (B), the slots of the rows' states
    begins: bool  # whether every row begins at its first token; else none does


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


class StateLayer(LinearAttentionLayer):
    """Transformers' own recurrent layer, whose states are those of a pass's rows; between passes they lie in slots."""

    def __init__(self, pool: StatePool, number_of_states: int = 1) -> None:
        super().__init__(number_of_states)
        self._state_pool = pool
        self._kept: dict[str, dict[int, Tensor]] = {"conv_states": {}, "recurrent_states": {}}  # (slots, ...) of each

    @property
    def has_states(self) -> bool:
        """Whether a pass has shown their shapes."""
        return any(self._kept.values())

    def begin(self, view: CacheView) -> None:
        """Show the next pass the states of its rows; none where they begin."""
        for kind, initialized in (
            ("conv_states", self.is_conv_states_initialized),
            ("recurrent_states", self.is_recurrent_states_initialized),
        ):
            kept, shown = self._kept[kind], getattr(self, kind)
            for index in range(self.number_of_states):
                is_there = not view.begins and index in kept
                shown[index] = kept[index].index_select(0, view.states) if is_there else None
                initialized[index] = is_there
        for index in range(self.number_of_states):
            self.has_previous_state[index] = not view.begins

    def end(self, view: CacheView) -> None:
        """Keep what the pass has left."""
        for kind, kept in self._kept.items():
            for index, states in getattr(self, kind).items():
                if states is None:
                    continue
                if index not in kept:
                    kept[index] = self._state_pool.add(states)
                kept[index].index_copy_(0, view.states, states)


class MixedLayer(StateLayer, PagedLayer):
    """A layer that has both, as those of Falcon-H1."""

    def __init__(self, pool: KvPool, number_of_states: int = 1) -> None:
        PagedLayer.__init__(self, pool)
        StateLayer.__init__(self, pool.states, number_of_states)

    def lazy_initialization(self, *args: Any, **kwargs: Any) -> None:
        """Of keys and values, which transformers passes by place, or of states, which it passes by name."""
        (PagedLayer if args else StateLayer).lazy_initialization(self, *args, **kwargs)


class PagedCache(Cache):
    """One layer per decoder layer, of the kind that transformers' own cache has there; all look at the same view."""

    def __init__(self, config: Any, pool: KvPool) -> None:
        """`pool` gets a layer, or states, at the first pass, when their shapes are known."""
        self.pool = pool
        self._view: CacheView | None = None
        super().__init__(layers=[_layer_like(layer, pool) for layer in DynamicCache(config=config).layers])

    @property
    def is_complete(self) -> bool:
        """Whether every layer has shown what it keeps, and keeps it here."""
        paged = [layer.is_initialized for layer in self._of_kind(PagedLayer)]
        return all(paged) and all(layer.has_states for layer in self._of_kind(StateLayer))

    def look(self, view: CacheView) -> None:
        """Show `view` to the next forward pass."""
        self._view = view
        for paged in self._of_kind(PagedLayer):
            paged.view = view
        for recurrent in self._of_kind(StateLayer):
            recurrent.begin(view)

    def keep(self) -> None:
        """Keep the states that the pass has left."""
        assert self._view is not None
        for layer in self._of_kind(StateLayer):
            layer.end(self._view)

    def _of_kind(self, kind: type[Any]) -> Iterator[Any]:
        return (layer for layer in self.layers if isinstance(layer, kind))


def keeps_state(config: Any) -> bool:
    """Whether a decoder of this config has recurrent layers, as transformers' own cache has it."""
    return any(isinstance(layer, LinearAttentionCacheLayerMixin) for layer in DynamicCache(config=config).layers)


def _layer_like(layer: Any, pool: KvPool) -> Any:
    if isinstance(layer, DummyLayer):
        return layer
    if not isinstance(layer, LinearAttentionCacheLayerMixin):
        return PagedLayer(pool)
    if isinstance(layer, CacheLayerMixin):
        return MixedLayer(pool, layer.number_of_states)
    return StateLayer(pool.states, layer.number_of_states)
