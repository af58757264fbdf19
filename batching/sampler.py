"""sample: the next token of each row of logits."""

# torch and transformers tell only part of their types, so unknowns that come from them are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from batching.plan import PlanRow
from batching.sampling import SamplingParams

NEVER = -float("inf")


@dataclass(frozen=True, slots=True)
class Sampled:
    """One entry a row; the token and log-probability of a row that is not finite mean nothing."""

    token_ids: list[int]
    logprobs: list[float]  # natural log, of the model's own distribution
    finite: list[bool]


def sample(rows: tuple[PlanRow, ...], logits: Tensor) -> Sampled:
    """Choose a token for each row; `logits` is (B, vocabulary).

    Meanings and order are those of transformers' `generate`: repetition penalty over prompt and output, temperature,
    top-k, top-p, then one draw from the row's own generator.
    """
    logits = logits.float()
    highest, chosen = logits.max(dim=-1)
    finite = torch.isfinite(highest)
    for at, row in enumerate(rows):
        plain = row.params.greedy and row.params.repetition_penalty == 1.0
        if row.samples and not plain and bool(finite[at]):
            chosen[at] = _choose(row, logits[at : at + 1])
    logprobs = logits.gather(1, chosen[:, None])[:, 0] - logits.logsumexp(dim=-1)
    return Sampled(chosen.tolist(), logprobs.tolist(), finite.tolist())


def _choose(row: PlanRow, logits: Tensor) -> Tensor:
    """A token id, of (1, vocabulary)."""
    params = row.params
    scores = logits
    if params.repetition_penalty != 1.0:
        scores = _penalised(scores, row, params.repetition_penalty)
    if params.greedy:
        return scores.argmax(dim=-1)[0]
    scores = _narrowed(scores / params.temperature, params)
    # the generator lives on the CPU, so that a seed means the same on every device
    weights = scores.softmax(dim=-1).cpu()
    return torch.multinomial(weights, 1, generator=row.generator)[0, 0].to(logits.device)


def _penalised(scores: Tensor, row: PlanRow, penalty: float) -> Tensor:
    """Scores of all tokens that occurred, divided by `penalty` where positive, else multiplied."""
    seen = torch.tensor([row.tokens], device=scores.device)
    there = scores.gather(1, seen)
    return scores.scatter(1, seen, torch.where(there < 0, there * penalty, there / penalty))


def _narrowed(scores: Tensor, params: SamplingParams) -> Tensor:
    """Only the `top_k` highest, then only the highest that together have `top_p` of the probability; one at least."""
    if params.top_k:
        least = scores.topk(min(params.top_k, scores.shape[-1])).values[..., -1:]
        scores = scores.masked_fill(scores < least, NEVER)
    if params.top_p < 1.0:
        ascending, order = scores.sort(dim=-1)
        below = ascending.softmax(dim=-1).cumsum(dim=-1) <= 1 - params.top_p
        below[..., -1] = False
        scores = scores.masked_fill(below.scatter(1, order, below), NEVER)
    return scores
