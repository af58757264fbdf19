"""Chooses the next token of each row from its logits: greedy, temperature, top-k, top-p."""

# torch and transformers tell only part of their types, so unknowns that come from them are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Items
from dataclasses import dataclass

import torch
from torch import Tensor

from batching.errors import RequestFailed
from batching.guide_matcher import Allowed
from batching.sampling_params import SamplingParams
from batching.step_plan import PlanRow, RowResult

NEVER = -float("inf")


@dataclass(frozen=True, slots=True, eq=False)
class GreedyPicks:
    """Of each of B rows, computed on the device for all requests alike."""

    tokens: Tensor  # (B), the likeliest
    finite: Tensor  # (B), whether the logits are
    logprobs: Tensor | None  # (B), of those tokens, natural; None where no row wants them


def pick(logits: Tensor, wants_logprobs: bool) -> GreedyPicks:
    """The likeliest token per row; `logits` is (B, vocabulary). Nothing waits for the device."""
    logits = logits.float()
    highest, tokens = logits.max(dim=-1)
    logprobs = highest - logits.logsumexp(dim=-1) if wants_logprobs else None
    return GreedyPicks(tokens, torch.isfinite(highest), logprobs)


def sample(
    rows: Items[PlanRow],
    logits: Tensor,
    picks: GreedyPicks,
    masks: Mapping[int, Allowed | RequestFailed],
) -> list[RowResult | None]:
    """A token, or candidates for beam search, a row; None for a row that is not finite. `logits` is (B, vocabulary).

    Meanings and order are those of transformers' `generate`: repetition penalty and n-grams over prompt and output,
    guide (`masks` by place of the row), temperature, top-k, top-p, min-p, then one draw from the row's own generator.
    Log-probabilities are natural, of the model's own distribution; those of candidates are of the distribution that
    beam search sees. `logits` are looked at only for rows that do not simply take the likeliest token.
    """
    finite: list[bool] = picks.finite.tolist()
    tokens: list[int] = picks.tokens.tolist()
    logprobs: list[float] = [0.0] * len(rows) if picks.logprobs is None else picks.logprobs.tolist()
    results: list[RowResult | None] = []
    for at, row in enumerate(rows):
        if not finite[at]:
            results.append(None)
        elif row.params.takes_likeliest or not row.samples:
            results.append(RowResult(token_id=tokens[at], logprob=logprobs[at]))
        elif isinstance(allowed := masks.get(at), RequestFailed):
            results.append(RowResult(error=allowed))
        elif allowed is not None and row.params.takes_likeliest_allowed and allowed[tokens[at]]:
            results.append(RowResult(token_id=tokens[at], logprob=logprobs[at]))
        else:
            results.append(_sampled(row, logits[at : at + 1].float(), allowed))
    return results


def _sampled(row: PlanRow, logits: Tensor, allowed: Allowed | None) -> RowResult:
    """Of (1, vocabulary)."""
    if row.num_candidates:
        candidates = _adjusted(row, logits.log_softmax(dim=-1))[0]
        return RowResult(candidates=_best(candidates, row.num_candidates))
    token_id = _choose(row, logits, allowed)
    if not row.params.mean_logprob and row.params.logprobs is None:
        return RowResult(token_id=token_id)
    logprobs = logits[0].log_softmax(dim=-1)
    top = _best(logprobs, row.params.logprobs) if row.params.logprobs else ()
    return RowResult(token_id=token_id, logprob=float(logprobs[token_id]), top=top)


def _best(scores: Tensor, count: int) -> tuple[tuple[int, float], ...]:
    values, tokens = scores.topk(min(count, len(scores)))
    return tuple(zip(tokens.tolist(), values.tolist(), strict=True))


def _choose(row: PlanRow, logits: Tensor, allowed: Allowed | None) -> int:
    """A token id, of (1, vocabulary)."""
    params = row.params
    scores = _adjusted(row, logits)
    if allowed is not None:
        scores = scores.masked_fill(torch.from_numpy(~allowed).to(scores.device), NEVER)
    if params.greedy:
        return int(scores.argmax(dim=-1)[0])
    scores = _narrowed(scores / params.temperature, params)
    # the generator lives on the CPU, so that a seed means the same on every device
    weights = scores.softmax(dim=-1).cpu()
    return int(torch.multinomial(weights, 1, generator=row.generator)[0, 0])


def _adjusted(row: PlanRow, scores: Tensor) -> Tensor:
    """(1, vocabulary) of scores, as the tokens before allow."""
    params = row.params
    if params.repetition_penalty != 1.0:
        scores = _penalised(scores, row, params.repetition_penalty)
    if params.no_repeat_ngram_size:
        window = params.no_repeat_ngram_window_size
        tokens = row.tokens[-window:] if window else row.tokens
        completing = _completing(tokens, params.no_repeat_ngram_size)
        banned = [token for token in completing if token not in params.repeatable_token_ids]
        if banned:
            scores = scores.clone()
            scores[:, banned] = NEVER
    return scores


def _penalised(scores: Tensor, row: PlanRow, penalty: float) -> Tensor:
    """Scores of all tokens that occurred, divided by `penalty` where positive, else multiplied."""
    token_ids = torch.tensor([list(row.tokens)], device=scores.device)
    there = scores.gather(1, token_ids)
    return scores.scatter(1, token_ids, torch.where(there < 0, there * penalty, there / penalty))


def _completing(tokens: Items[int], size: int) -> list[int]:
    """Tokens that would repeat an n-gram of `size` that occurred."""
    if len(tokens) < size:
        return []
    last = list(tokens[len(tokens) - size + 1 :])
    return [
        tokens[at + size - 1]
        for at in range(len(tokens) - size + 1)
        if all(tokens[at + offset] == token for offset, token in enumerate(last))
    ]


def _narrowed(scores: Tensor, params: SamplingParams) -> Tensor:
    """The `top_k` highest, then the highest that have `top_p` of the probability, then those not below `min_p`."""
    if params.top_k:
        least = scores.topk(min(params.top_k, scores.shape[-1])).values[..., -1:]
        scores = scores.masked_fill(scores < least, NEVER)
    if params.top_p < 1.0:
        ascending, order = scores.sort(dim=-1)
        below = ascending.softmax(dim=-1).cumsum(dim=-1) <= 1 - params.top_p
        below[..., -1] = False
        scores = scores.masked_fill(below.scatter(1, order, below), NEVER)
    if params.min_p:
        shares = scores.softmax(dim=-1)
        scores = scores.masked_fill(shares < params.min_p * shares.amax(dim=-1, keepdim=True), NEVER)
    return scores
