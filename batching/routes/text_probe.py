"""Test prompts of text, by which a route is compared with the model's own forward."""

# torch and transformers tell only part of their types, so unknowns that come from them are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any, Protocol

import torch
from torch import Tensor

from batching.forward_route import Overlay
from batching.inputs.context_length import UNLIMITED, context_length, rope_switch
from batching.step_plan import PlanRow, RowOwner

PROMPTS = (34, 17, 9)
"""Tokens of three sequences: more than two blocks and less than three, more than one, less than one."""
LONG = (True, False, True)
"""Which of them are computed as if more tokens followed than the model's `RopeSwitch` has, if it has one."""
NUM_DECODES = 4
BLOCK_SIZE = 16  # as the engine's own default: a block is a register of the native route
BLOCKS = ((7, 3, 5, 1), (6, 2), (4, 8))  # of each sequence, in no order


class Probe(Protocol):
    """Prompts whose last tokens are decoded one by one."""

    name: str  # where its logits are, in a message
    num_blocks: int  # of `BLOCK_SIZE`, in which its rows lie
    references: list[Tensor]  # what `forward` gave

    def forward(self) -> list[Tensor]:
        """The model's own logits of each sequence, (tokens, vocabulary), in one pass without a cache."""
        ...

    def steps(self) -> Iterator[tuple[list[PlanRow], dict[int, Overlay]]]:
        """What a route gets, one pass after the other."""
        ...


class TextProbe:
    """Three prompts and four decode steps of all of them."""

    name = "in text"
    num_blocks = sum(map(len, BLOCKS))

    def __init__(self, model: Any) -> None:
        """Runs the model once for each prompt."""
        config = model.config.get_text_config(decoder=True)
        switch = rope_switch(config)
        self._model = model
        self._switch_length = switch.length if switch is not None and switch.recomputes else None
        self._tokens = [_tokens(number, config) for number in range(len(PROMPTS))]
        self.references = self.forward()

    def forward(self) -> list[Tensor]:
        """See `Probe.forward`."""
        return [
            _reference_logits(self._model, tokens, self._switch_length if long else None)
            for tokens, long in zip(self._tokens, LONG, strict=True)
        ]

    def steps(self) -> Iterator[tuple[list[PlanRow], dict[int, Overlay]]]:
        """The first prompt in two chunks, the second of them beside the other prompts; then a token of each."""
        cut = PROMPTS[0] - 5
        yield [self._row(0, 0, cut)], {}
        yield [self._row(0, cut, PROMPTS[0]), self._row(1, 0, PROMPTS[1]), self._row(2, 0, PROMPTS[2])], {}
        for step in range(NUM_DECODES):
            yield [self._row(number, count + step, count + step + 1) for number, count in enumerate(PROMPTS)], {}

    def _row(self, number: int, start: int, end: int) -> PlanRow:
        tokens = self._tokens[number][:end]
        padding = [0] * ((self._switch_length or 0) + 1 - end) if LONG[number] else []
        return PlanRow(
            owner=RowOwner(seq_id=number),
            tokens=tokens + padding,
            start=start,
            count=end - start,
            blocks=BLOCKS[number],
            decodes=end - start == 1,
        )


def change_by_pass(model: Any) -> float:
    """How far a logit changes with the largest position of its pass, up to the end of `context_length`.

    A fraction of the largest logit. A model in which that is no rounding must not see sequences of different lengths
    together, and its config does not say so.
    """
    config = model.config.get_text_config(decoder=True)
    switch = rope_switch(config)
    length = context_length(config) if switch is None else switch.length
    tokens = _tokens(1, config)
    if "position_ids" not in inspect.signature(model.forward).parameters or not len(tokens) < length < UNLIMITED:
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
    return [(place * 7919 + number * 31 + 11) % vocabulary for place in range(PROMPTS[number] + NUM_DECODES)]
