"""self_check: whether a route computes what the model's own plain forward computes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from batching.device import on_device
from batching.plan import PlanRow
from batching.route import Route
from batching.sampling import SamplingParams

PROMPTS = (21, 9, 5)
"""Tokens of three sequences: more than two blocks and less than three, more than one, less than one."""
NUM_DECODES = 4
BLOCK_SIZE = 8
BLOCKS = ((7, 3, 5, 1), (6, 2), (4, 8))  # of each sequence, in no order
MAX_ROWS = 4  # more than there are: a route that pads has to
TOLERANCES = {torch.float32: 1e-3, torch.float64: 1e-6}
"""Largest difference of a logit, in parts of the largest logit; other dtypes: `LOOSE`."""
LOOSE = 0.06


def self_check(route: Route, model: Any, tolerance: float | None = None) -> str | None:
    """What is wrong with `route` for three prompts and four decode steps of all of them; None when it agrees.

    `tolerance`, in parts of the largest logit, is that of the model's dtype where none is given.

    The reference is one forward pass a sequence over all its tokens, without a cache. The route has to be allocated
    anew afterwards.
    """
    vocabulary = int(model.config.get_text_config(decoder=True).vocab_size)
    all_tokens = [
        [(at * 7919 + number * 31 + 11) % min(vocabulary, 1000) for at in range(num_prompt + NUM_DECODES)]
        for number, num_prompt in enumerate(PROMPTS)
    ]
    with torch.inference_mode(), on_device(model.device):
        wanted = [_plainly(model, tokens) for tokens in all_tokens]
        route.allocate(sum(map(len, BLOCKS)), BLOCK_SIZE, MAX_ROWS)
        tolerance = tolerance or TOLERANCES.get(wanted[0].dtype, LOOSE)
        allowed = tolerance * max(float(each.abs().max()) for each in wanted)
        for rows in _steps(all_tokens):
            for row, given in zip(rows, route.logits(rows, {}), strict=True):
                apart = float((given - wanted[row.seq_id][row.end - 1]).abs().max())
                if not apart <= allowed:
                    return f"a logit is {apart:.3g} off at position {row.end - 1}, where {allowed:.3g} is allowed"
    return None


def _plainly(model: Any, tokens: list[int]) -> Tensor:
    """(tokens, vocabulary)."""
    ids = torch.tensor([tokens], device=model.device)
    return model(input_ids=ids, attention_mask=torch.ones_like(ids), use_cache=False).logits[0]


def _steps(all_tokens: list[list[int]]) -> Iterator[list[PlanRow]]:
    """The first prompt in two chunks, the second of them beside the other prompts; then a token of each at a time."""
    cut = PROMPTS[0] - 5
    yield [_row(0, all_tokens[0], 0, cut)]
    yield [_row(0, all_tokens[0], cut, PROMPTS[0]), *(_row(at, all_tokens[at], 0, PROMPTS[at]) for at in (1, 2))]
    for step in range(NUM_DECODES):
        yield [_row(at, all_tokens[at], num + step, num + step + 1) for at, num in enumerate(PROMPTS)]


def _row(number: int, tokens: list[int], start: int, end: int) -> PlanRow:
    return PlanRow(
        seq_id=number,
        tokens=tokens[:end],
        start=start,
        count=end - start,
        blocks=BLOCKS[number],
        params=SamplingParams(),
        decodes=end - start == 1,
    )
