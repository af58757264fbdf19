"""A decode loop as the first OCR servers had it: each request keeps its own KV, padded and concatenated for every step.

Written for the comparison, after the form that such servers share: a request's prompt runs alone; in each step the
caches of all that run are padded on the left to the longest, put together, run, and cut apart again.
"""

# torch and transformers tell only part of their types, so unknowns that come from them are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from transformers import DynamicCache

from benchmarks.loads.workloads import Ask


@dataclass(slots=True)
class Live:
    """A request that decodes; `layers` are its keys and values, each (1, heads, length, size)."""

    ask: Ask
    output: list[int]
    layers: list[tuple[Tensor, Tensor]]

    @property
    def length(self) -> int:
        """Tokens with KV."""
        return self.layers[0][0].shape[2]


@torch.inference_mode()
def concatenating(model: Any, asks: Sequence[Ask], running: int) -> tuple[list[list[int]], int]:
    """The tokens of each, greedy, and how many steps decoded."""
    waiting = deque(asks)
    live: list[Live] = []
    outputs: dict[int, list[int]] = {}
    steps = 0
    while waiting or live:
        while waiting and len(live) < running:
            live.append(_prefilled(model, waiting.popleft()))
        for sequence in [sequence for sequence in live if len(sequence.output) >= sequence.ask.num_output]:
            outputs[id(sequence.ask)] = sequence.output
            live.remove(sequence)
        if live:
            _step(model, live)
            steps += 1
    return [outputs[id(ask)] for ask in asks], steps


def _prefilled(model: Any, ask: Ask) -> Live:
    outputs = model(input_ids=torch.tensor([ask.prompt]), use_cache=True, logits_to_keep=1)
    return Live(ask, [int(outputs.logits[0, -1].argmax())], _layers(outputs.past_key_values))


def _step(model: Any, live: list[Live]) -> None:
    """One token more for each."""
    longest = max(sequence.length for sequence in live)
    together = [
        tuple(torch.cat([_padded(sequence.layers[at][part], longest) for sequence in live]) for part in (0, 1))
        for at in range(len(live[0].layers))
    ]
    mask = torch.zeros(len(live), longest + 1, dtype=torch.long)
    for row, sequence in enumerate(live):
        mask[row, longest - sequence.length :] = 1
    outputs = model(
        input_ids=torch.tensor([[sequence.output[-1]] for sequence in live]),
        attention_mask=mask,
        position_ids=torch.tensor([[sequence.length] for sequence in live]),
        past_key_values=DynamicCache(together),
        use_cache=True,
    )
    tokens = outputs.logits[:, -1].argmax(dim=-1).tolist()
    layers = _layers(outputs.past_key_values)
    for row, (sequence, token) in enumerate(zip(live, tokens, strict=True)):
        first = longest - sequence.length
        sequence.layers = [
            (keys[row : row + 1, :, first:], values[row : row + 1, :, first:]) for keys, values in layers
        ]
        sequence.output.append(token)


def _layers(cache: Any) -> list[tuple[Tensor, Tensor]]:
    return [(layer.keys, layer.values) for layer in cache.layers]


def _padded(part: Tensor, length: int) -> Tensor:
    """(1, heads, length, size), zeros before."""
    return torch.nn.functional.pad(part, (0, 0, length - part.shape[2], 0))
