"""Route: a way to compute the logits of rows over paged KV."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Items
from dataclasses import dataclass
from typing import Literal, Protocol

from torch import Tensor

from batching.plan import PlanRow

RouteName = Literal["auto", "safe", "fast", "graphs"]


@dataclass(frozen=True, slots=True, eq=False)
class Overlay:
    """Embeddings that stand in place of a row's new tokens `first` to `first + len(embeds)`, as image features do."""

    first: int
    embeds: Tensor  # (n, hidden)


class Route(Protocol):
    """Owns the KV pool of one model; what no sequence wrote is zero. Called under inference mode."""

    name: str

    def allocate(self, num_blocks: int, block_size: int, max_rows: int) -> None:
        """Room for `num_blocks` usable blocks and the padding block, and for `max_rows` rows a step."""
        ...

    def logits(self, rows: Items[PlanRow], overlays: Mapping[int, Overlay]) -> Tensor:
        """(B, vocabulary), of each row's last token, in the order of the rows; `overlays` by place of the row."""
        ...

    def copy(self, pairs: Items[tuple[int, int]]) -> None:
        """Copy blocks, each (from, to); no block is both."""
        ...

    def zero(self, blocks: Items[int]) -> None:
        """Wipe blocks: a NaN in a masked slot would poison the next owner's attention."""
        ...

    def close(self) -> None:
        """Drop the KV."""
        ...
