"""Pages that are made without a drawing: of no use to learn from, but to see that a training runs."""

from __future__ import annotations

import numpy as np

from documents.segments.page_tokens import RULE, SEGMENT, PageTokens
from documents.segments.roles import ROLES
from training.structure.network.examples import NO_RANK, Example


def plain_page(count: int, num_graphics: int = 2, seed: int = 0) -> Example:
    """Rows of two segments that stand close, each with a truth of its own, and rules."""
    chance = np.random.default_rng(seed)
    rows, columns = np.arange(count) // 2, np.arange(count) % 2
    low = np.stack([60 + 105 * columns, 80 + 14 * rows], 1)
    rules = np.stack([np.full(num_graphics, 60), 500 + 14 * np.arange(num_graphics)], 1)
    low, extent = np.concatenate([low, rules]), np.array([(100, 10)] * count + [(200, 1)] * num_graphics)
    size = np.concatenate([np.full(count, 10.0), np.zeros(num_graphics)])
    return Example(
        tokens=PageTokens(
            width=612.0,
            height=792.0,
            texts=tuple(f"the {k} line of ميناء 港" for k in range(count)),
            kind=np.array([SEGMENT] * count + [RULE] * num_graphics, np.int8),
            box=np.concatenate([low, low + extent.reshape(-1, 2)], 1).astype(np.float32),
            size=size.astype(np.float32),
            style=chance.integers(0, 2, (count + num_graphics, 6)).astype(np.float32) * [1, 1, 1, 1, 1, 0],
            colour=(chance.integers(0, 241, (count + num_graphics, 3)) / 240).astype(np.float32),
        ),
        role=chance.integers(-1, len(ROLES), count).astype(np.int8),
        block=np.arange(count, dtype=np.int32) // 3 + 1000,
        place=np.arange(count, dtype=np.float32),
        rank=np.where(chance.random(count) < 0.3, NO_RANK, chance.uniform(0, 1e6, count)),
        table=chance.integers(-2, 2, count).astype(np.int16),
    )
