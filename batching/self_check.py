"""self_check: whether a route computes what the model's own plain forward computes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from batching.plan import PlanRow
from batching.route import Route
from batching.sampling import SamplingParams

NUM_PROMPT = 21  # tokens: more than two blocks, less than three
NUM_DECODES = 4
BLOCK_SIZE = 8
NUM_BLOCKS = 4
TOLERANCES = {torch.float32: 1e-3, torch.float64: 1e-6}
"""Largest difference of a logit, in parts of the largest logit; other dtypes: `LOOSE`."""
LOOSE = 0.06


def self_check(route: Route, model: Any) -> str | None:
    """What is wrong with `route` for one prompt and four decode steps; None when it agrees.

    The reference is one forward pass over all tokens, without a cache. The route has to be allocated anew afterwards.
    """
    vocabulary = int(model.config.get_text_config(decoder=True).vocab_size)
    tokens = [(at * 7919 + 11) % min(vocabulary, 1000) for at in range(NUM_PROMPT + NUM_DECODES)]
    with torch.inference_mode():
        ids = torch.tensor([tokens], device=model.device)
        wanted: Tensor = model(input_ids=ids, attention_mask=torch.ones_like(ids), use_cache=False).logits[0]
        route.allocate(NUM_BLOCKS, BLOCK_SIZE, 1)
        scale = float(wanted.abs().max())
        allowed = TOLERANCES.get(wanted.dtype, LOOSE) * scale
        for row in _rows(tokens):
            apart = float((route.logits([row], {})[0] - wanted[row.end - 1]).abs().max())
            if not apart <= allowed:
                return f"a logit is {apart:.3g} off at position {row.end - 1}, where {allowed:.3g} is allowed"
    return None


def _rows(tokens: list[int]) -> Iterator[PlanRow]:
    """The prompt in two chunks, then one token at a time."""
    starts = [0, NUM_PROMPT - 5, *range(NUM_PROMPT, len(tokens))]
    blocks = list(range(NUM_BLOCKS, 0, -1))
    for start, end in zip(starts, [*starts[1:], len(tokens)], strict=True):
        yield PlanRow(
            seq_id=0,
            tokens=tokens[:end],
            start=start,
            count=end - start,
            blocks=blocks,
            params=SamplingParams(),
            decodes=end - start == 1,
        )
