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
from batching.sampling.guide_matcher import Allowed
from batching.step_plan import PlanRow, RowResult

NEGATIVE_INFINITY = -float("inf")
MAX_ROWS = 32
"""Maximum rows that are sampled in one pass: each takes several times the memory of one row of logits."""


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
    """A token per row; None for a row whose logits, (B, vocabulary) with those of the others, are not finite.

    Meanings and order are those of transformers' `generate`: repetition penalty and n-grams over prompt and output,
    guide (`masks` by index of the row), temperature, top-k, top-p, min-p, then one draw from the row's own generator.
    Log-probabilities are natural, of the model's own distribution, or with `penalised_logprobs` of those after
    penalties. `logits` are read only for rows that do not simply take the likeliest token, many at a time.
    """
    finite: list[bool] = picks.finite.tolist()
    tokens: list[int] = picks.tokens.tolist()
    logprobs: list[float] = [0.0] * len(rows) if picks.logprobs is None else picks.logprobs.tolist()
    results: list[RowResult | None] = []
    choosing: dict[int, Allowed | None] = {}
    for index, row in enumerate(rows):
        params = row.owner.params
        likeliest = RowResult(token_id=tokens[index], logprob=logprobs[index])
        if not finite[index]:
            results.append(None)
        elif params.takes_likeliest or not row.samples:
            results.append(likeliest)
        elif isinstance(allowed := masks.get(index), RequestFailed):
            results.append(RowResult(error=allowed))
        elif allowed is not None and params.takes_likeliest_allowed and allowed[tokens[index]]:
            results.append(likeliest)
        else:
            results.append(None)
            choosing[index] = allowed
    for first in range(0, len(choosing), MAX_ROWS):
        indices = list(choosing)[first : first + MAX_ROWS]
        chosen = _chosen([rows[index] for index in indices], logits[indices].float(), [choosing[i] for i in indices])
        for index, result in zip(indices, chosen, strict=True):
            results[index] = result
    return results


def _chosen(rows: Items[PlanRow], logits: Tensor, allowed_each: Items[Allowed | None]) -> list[RowResult]:
    """Of (B, vocabulary), which is overwritten, in one pass: the device is read as often for many rows as for one."""
    needs_logprobs = any(row.owner.params.mean_logprob or row.owner.params.logprobs is not None for row in rows)
    logprobs = logits.log_softmax(dim=-1) if needs_logprobs else None
    scores = logits
    for index, (row, allowed) in enumerate(zip(rows, allowed_each, strict=True)):
        if row.owner.params.is_penalised:
            scores[index] = _penalised(row, scores[index])
            if logprobs is not None and row.owner.params.penalised_logprobs:
                logprobs[index] = _penalised(row, logprobs[index])
        if allowed is not None:
            _ = scores[index].masked_fill_(torch.from_numpy(~allowed).to(scores.device), NEGATIVE_INFINITY)
    tokens = scores.argmax(dim=-1)
    drawing = [index for index, row in enumerate(rows) if not row.owner.params.greedy]
    if drawing:
        tokens[drawing] = _drawn([rows[index] for index in drawing], scores[drawing])
    possible: list[bool] = (scores.amax(dim=-1) > NEGATIVE_INFINITY).tolist()
    token_ids: list[int] = tokens.tolist()
    chosen, tops = _logprobs(rows, logprobs, tokens)
    return [
        RowResult(token_id=token_id, logprob=logprob, top=top)
        if is_possible
        else RowResult(error=RequestFailed("no token is allowed"))
        for is_possible, token_id, logprob, top in zip(possible, token_ids, chosen, tops, strict=True)
    ]


def _drawn(rows: Items[PlanRow], scores: Tensor) -> Tensor:
    """(B), drawn as torch.multinomial does, with a generator per row: no row's output depends on its batch mates."""
    temperatures = _column([row.owner.params.temperature for row in rows], scores)
    weights = _narrowed(scores / temperatures, rows).softmax(dim=-1)
    chances = torch.empty_like(weights)
    for chance, row in zip(chances, rows, strict=True):
        _ = chance.exponential_(generator=row.owner.generator)
    return (weights / chances).argmax(dim=-1)


def _logprobs(
    rows: Items[PlanRow], logprobs: Tensor | None, tokens: Tensor
) -> tuple[list[float], list[tuple[tuple[int, float], ...]]]:
    """Of the chosen tokens, and as many of the likeliest as each row asks for; 0 and none where nobody asks."""
    nothing: list[tuple[tuple[int, float], ...]] = [()] * len(rows)
    if logprobs is None:
        return [0.0] * len(rows), nothing
    chosen: list[float] = logprobs.gather(1, tokens[:, None])[:, 0].tolist()
    counts = [row.owner.params.logprobs or 0 for row in rows]
    if not any(counts):
        return chosen, nothing
    best = logprobs.topk(min(max(counts), logprobs.shape[-1]))
    tops = zip(best.indices.tolist(), best.values.tolist(), counts, strict=True)
    return chosen, [tuple(zip(indices[:count], values[:count], strict=True)) for indices, values, count in tops]


def _column(values: Items[float], like: Tensor) -> Tensor:
    """(B, 1) of a number per row, on the device of `like`."""
    return torch.tensor(values, dtype=like.dtype, device=like.device)[:, None]


def _penalised(row: PlanRow, scores: Tensor) -> Tensor:
    """(vocabulary) of scores, by the tokens before: those that occurred divided by the penalty where positive, else
    multiplied; those that would repeat an n-gram never.
    """
    params = row.owner.params
    penalty = params.repetition_penalty
    if penalty != 1.0:
        token_ids = torch.tensor(list(row.tokens), device=scores.device)
        occurred = scores.gather(0, token_ids)
        scores = scores.scatter(0, token_ids, torch.where(occurred < 0, occurred * penalty, occurred / penalty))
    if params.no_repeat_ngram_size:
        window = params.no_repeat_ngram_window_size
        tokens = row.tokens[-window:] if window else row.tokens
        completing = _completing(tokens, params.no_repeat_ngram_size)
        banned = [token for token in completing if token not in params.repeatable_token_ids]
        if banned:
            scores = scores.clone()
            scores[banned] = NEGATIVE_INFINITY
    return scores


def _completing(tokens: Items[int], size: int) -> list[int]:
    """Tokens that would repeat an n-gram of `size` that occurred."""
    if len(tokens) < size:
        return []
    last = list(tokens[len(tokens) - size + 1 :])
    return [
        tokens[first + size - 1]
        for first in range(len(tokens) - size + 1)
        if all(tokens[first + offset] == token for offset, token in enumerate(last))
    ]


def _narrowed(scores: Tensor, rows: Items[PlanRow]) -> Tensor:
    """The `top_k` highest of each row, then the highest that have `top_p` of the probability, then by `min_p`."""
    params = [row.owner.params for row in rows]
    if largest := max(one.top_k for one in params):
        highest = scores.topk(min(largest, scores.shape[-1])).values
        last = torch.tensor([min(one.top_k, highest.shape[1]) - 1 for one in params], device=scores.device)[:, None]
        lowest = highest.gather(1, last.clamp(min=0)).masked_fill(last < 0, NEGATIVE_INFINITY)
        scores = scores.masked_fill(scores < lowest, NEGATIVE_INFINITY)
    narrowing = [index for index, one in enumerate(params) if one.top_p < 1.0]
    if narrowing:
        ascending, order = scores[narrowing].sort(dim=-1)
        outside = _column([1 - params[index].top_p for index in narrowing], scores)
        below = ascending.softmax(dim=-1).cumsum(dim=-1) <= outside
        below[..., -1] = False
        scores = scores.clone()
        scores[narrowing] = scores[narrowing].masked_fill(below.scatter(1, order, below), NEGATIVE_INFINITY)
    if any(one.min_p for one in params):
        shares = scores.softmax(dim=-1)
        least = _column([one.min_p for one in params], scores) * shares.amax(dim=-1, keepdim=True)
        scores = scores.masked_fill(shares < least, NEGATIVE_INFINITY)
    return scores
