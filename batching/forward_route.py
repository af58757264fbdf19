"""The interface of a route: a way to compute logits over paged KV."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Items
from dataclasses import dataclass
from typing import Literal, Protocol

from torch import Tensor

from batching.kv.kv_pool import KvPool
from batching.requests.rope_positions import Integers
from batching.sampling.sampler import GreedyPicks
from batching.step_plan import PlanRow

RouteName = Literal["auto", "transformers", "torch", "native"]


@dataclass(frozen=True, slots=True, eq=False)
class Overlay:
    """What stands in place of the embeddings of some of a row's new tokens: the features of pictures."""

    places: Integers  # (n), among the new tokens, ascending
    embeds: Tensor  # (n, hidden)
    deepstack: tuple[Tensor, ...] = ()  # each (n, hidden): added to these tokens' hidden states after the first layers


@dataclass(frozen=True, slots=True, eq=False)
class Sampled:
    """Tokens that the host has not seen yet: the input of a row is the token at its place."""

    tokens: Tensor  # (rows of the step before)
    places: Items[int]  # (rows of this step)


class Route(Protocol):
    """Called under inference mode, after `allocate`."""

    name: str
    max_in_flight: int  # see `Runner.max_in_flight`; above 1 it takes `sampled`
    keeps_state: bool  # see `Runner.keeps_state`

    @property
    def num_bytes(self) -> int | None:
        """Of the matrices of the decoder's layers; None where these are the model's own."""
        ...

    def allocate(self, pool: KvPool, max_rows: int) -> None:
        """Give `pool` the model's layers, and make room for `max_rows` rows per step."""
        ...

    def logits(self, rows: Items[PlanRow], overlays: Mapping[int, Overlay], sampled: Sampled | None = None) -> Tensor:
        """(B, vocabulary), of each row's last token, in the order of the rows; `overlays` by place of the row."""
        ...

    def pick(self, logits: Tensor, wants_logprobs: bool) -> GreedyPicks:
        """The likeliest token of each row of what `logits` gave; nothing waits for the device."""
        ...

    def close(self) -> None:
        """Let the pool go."""
        ...
