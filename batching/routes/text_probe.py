"""Test prompts of text, by which a route is compared with the model's own forward."""

# torch and transformers tell only part of their types, so unknowns that come from them are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from batching.inputs.context_length import UNLIMITED_CONTEXT_TOKENS, context_length, rope_switch
from batching.step_plan import PlanRow, RowOwner

PROMPT_LENGTHS = (34, 17, 9)
"""Tokens of three sequences: more than two blocks and less than three, more than one, less than one."""
LONG_PROMPTS = (True, False, True)
"""Which of the three are computed as if more tokens followed than the model's `RopeSwitch` allows, if it has one."""
NUM_DECODES = 4
BLOCK_SIZE = 16  # equals the engine's default; the native route holds a block in a register
STATE_SLOTS = (2, 0, 1)
BLOCK_TABLES = ((7, 3, 5, 1), (6, 2), (4, 8))  # one per sequence, in mixed order


class Probe:
    """Prompts whose last tokens are decoded one by one, and the model's own logits of all their tokens."""

    def __init__(
        self, name: str, num_blocks: int, steps: list[list[PlanRow]], forward: Callable[[], list[Tensor]]
    ) -> None:
        """`steps`: what a route gets, one pass after the other; the rows lie in `num_blocks` blocks of `BLOCK_SIZE`.

        `forward` gives (tokens, vocabulary) for each sequence, in one pass without a cache; it is run once.
        """
        self.name = name  # where its logits are, in a message
        self.num_blocks = num_blocks
        self.steps = steps
        self.forward = forward
        self.references = forward()


def text_probe(model: Any) -> Probe:
    """Three prompts, the first in two chunks, the second of them beside the others; then a token of each at a time.

    Every other time in the opposite order; at last the second is computed again, as after a preemption.
    """
    config = model.config.get_text_config(decoder=True)
    switch = rope_switch(config)
    length = switch.length if switch is not None and switch.recomputes else None
    all_tokens = [_tokens(number, config) for number in range(len(PROMPT_LENGTHS))]

    def row(number: int, start: int, end: int, slot: int | None = None) -> PlanRow:
        tokens = all_tokens[number][:end]
        following = [0] * ((length or 0) + 1 - end) if LONG_PROMPTS[number] else []
        return PlanRow(
            owner=RowOwner(seq_id=number),
            tokens=tokens + following,
            start=start,
            count=end - start,
            blocks=BLOCK_TABLES[number],
            slot=STATE_SLOTS[number] if slot is None else slot,
            decodes=end - start == 1,
        )

    def forward() -> list[Tensor]:
        sequences = zip(all_tokens, LONG_PROMPTS, strict=True)
        return [_reference_logits(model, tokens, length if long else None) for tokens, long in sequences]

    cut = PROMPT_LENGTHS[0] - 5
    prompts = [
        [row(0, 0, cut)],
        [row(0, cut, PROMPT_LENGTHS[0]), row(1, 0, PROMPT_LENGTHS[1]), row(2, 0, PROMPT_LENGTHS[2])],
    ]
    decodes = [
        [row(number, count + step, count + step + 1) for number, count in enumerate(PROMPT_LENGTHS)][:: (-1) ** step]
        for step in range(NUM_DECODES)
    ]
    again = [row(1, 0, PROMPT_LENGTHS[1] + NUM_DECODES, slot=STATE_SLOTS[0])]
    return Probe("in text", sum(map(len, BLOCK_TABLES)), [*prompts, *decodes, again], forward)


def change_by_pass(model: Any) -> float:
    """How far a logit changes with the largest position of its pass, up to the end of `context_length`.

    A fraction of the largest logit. A model in which that is no rounding must not see sequences of different lengths
    together, and its config does not say so.
    """
    config = model.config.get_text_config(decoder=True)
    switch = rope_switch(config)
    length = context_length(config) if switch is None else switch.length
    tokens = _tokens(1, config)
    if (
        "position_ids" not in inspect.signature(model.forward).parameters
        or not len(tokens) < length < UNLIMITED_CONTEXT_TOKENS
    ):
        return 0.0
    near, far = (_reference_logits(model, tokens, farthest) for farthest in (len(tokens), length - 1))
    return float((near - far).abs().max() / near.abs().max())


def _reference_logits(model: Any, tokens: list[int], farthest: int | None) -> Tensor:
    """(tokens, vocabulary); with `farthest`, one more token follows, at that position."""
    ids = torch.tensor([tokens], device=model.device)
    if farthest is None:
        return model(input_ids=ids, attention_mask=torch.ones_like(ids), use_cache=False).logits[0]
    ids = torch.cat([ids, ids[:, :1]], dim=1)
    positions = torch.tensor([[*range(len(tokens)), farthest]], device=model.device)
    mask = torch.ones_like(ids)
    return model(input_ids=ids, attention_mask=mask, position_ids=positions, use_cache=False).logits[0, :-1]


def _tokens(number: int, config: Any) -> list[int]:
    vocabulary = min(int(config.vocab_size), 1000)
    return [(place * 7919 + number * 31 + 11) % vocabulary for place in range(PROMPT_LENGTHS[number] + NUM_DECODES)]
