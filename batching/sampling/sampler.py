"""Chooses the next token of each row from its logits: greedy, temperature, top-k, top-p."""

# torch and transformers tell only part of their types, so unknowns that come from them are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Sequence as Items
from dataclasses import dataclass

import torch
from torch import Tensor

from batching.errors import RequestFailed
from batching.requests.sampling_params import SamplingParams
from batching.sampling.guide_matcher import Allowed
from batching.step_plan import PlanRow, RowResult

NEVER = -float("inf")
MAX_DRAWN = 32
"""Rows that draw their token in one pass: each takes the memory of a vocabulary several times over."""


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
    beam search sees. `logits` are looked at only for rows that do not simply take the likeliest token. Rows that draw
    by the same settings are computed together on the device.
    """
    finite: list[bool] = picks.finite.tolist()
    tokens: list[int] = picks.tokens.tolist()
    logprobs: list[float] = [0.0] * len(rows) if picks.logprobs is None else picks.logprobs.tolist()
    results: list[RowResult | None] = []
    drawing: dict[int, Allowed | None] = {}
    for at, row in enumerate(rows):
        if not finite[at]:
            results.append(None)
        elif row.params.takes_likeliest or not row.samples:
            results.append(RowResult(token_id=tokens[at], logprob=logprobs[at]))
        elif isinstance(allowed := masks.get(at), RequestFailed):
            results.append(RowResult(error=allowed))
        elif allowed is not None and row.params.takes_likeliest_allowed and allowed[tokens[at]]:
            results.append(RowResult(token_id=tokens[at], logprob=logprobs[at]))
        elif row.params.greedy:
            results.append(_sampled(row, logits[at : at + 1].float(), allowed))
        else:
            results.append(None)
            drawing[at] = allowed
    for places in _drawn_together(rows, drawing):
        drawn = _drawn([rows[at] for at in places], logits[places].float(), [drawing[at] for at in places])
        for at, result in zip(places, drawn, strict=True):
            results[at] = result
    return results


def _drawn_together(rows: Items[PlanRow], drawing: Iterable[int]) -> Iterator[list[int]]:
    """The places of `drawing` whose rows have one temperature and are narrowed alike, in order, few at a time."""
    groups: defaultdict[tuple[float, int, float, float], list[int]] = defaultdict(list)
    for at in drawing:
        params = rows[at].params
        groups[params.temperature, params.top_k, params.top_p, params.min_p].append(at)
    for places in groups.values():
        for first in range(0, len(places), MAX_DRAWN):
            yield places[first : first + MAX_DRAWN]


def _drawn(rows: Items[PlanRow], logits: Tensor, allowed_each: Items[Allowed | None]) -> list[RowResult]:
    """Of (B, vocabulary), for rows that are narrowed alike."""
    params = rows[0].params
    scores = torch.cat(
        [
            _permitted(_adjusted(row, logits[at : at + 1]), allowed)
            for at, (row, allowed) in enumerate(zip(rows, allowed_each, strict=True))
        ]
    )
    weights = _narrowed(scores / params.temperature, params).softmax(dim=-1)
    # a draw as torch.multinomial makes it, with a generator per row, so that no row's output depends on its mates
    chances = torch.empty_like(weights)
    for chance, row in zip(chances, rows, strict=True):
        _ = chance.exponential_(generator=row.generator)
    tokens: list[int] = (weights / chances).argmax(dim=-1).tolist()
    possible: list[bool] = torch.isfinite(weights[:, 0]).tolist()  # the softmax of nothing but NEVER is no number
    logprobs = logits.log_softmax(dim=-1) if any(_wants_logprobs(row) for row in rows) else None
    return [
        _result(row, token_id, None if logprobs is None else logprobs[at])
        if possible[at]
        else RowResult(error=RequestFailed("no token is allowed"))
        for at, (row, token_id) in enumerate(zip(rows, tokens, strict=True))
    ]


def _sampled(row: PlanRow, logits: Tensor, allowed: Allowed | None) -> RowResult:
    """Without chance, of (1, vocabulary)."""
    if row.num_candidates:
        candidates = _adjusted(row, logits.log_softmax(dim=-1))[0]
        return RowResult(candidates=_best(candidates, row.num_candidates))
    token_id = int(_permitted(_adjusted(row, logits), allowed).argmax(dim=-1)[0])
    return _result(row, token_id, logits[0].log_softmax(dim=-1) if _wants_logprobs(row) else None)


def _wants_logprobs(row: PlanRow) -> bool:
    return row.params.mean_logprob or row.params.logprobs is not None


def _result(row: PlanRow, token_id: int, logprobs: Tensor | None) -> RowResult:
    """`logprobs` is (vocabulary), of the model's own distribution."""
    if logprobs is None or not _wants_logprobs(row):
        return RowResult(token_id=token_id)
    top = _best(logprobs, row.params.logprobs) if row.params.logprobs else ()
    return RowResult(token_id=token_id, logprob=float(logprobs[token_id]), top=top)


def _best(scores: Tensor, count: int) -> tuple[tuple[int, float], ...]:
    values, tokens = scores.topk(min(count, len(scores)))
    return tuple(zip(tokens.tolist(), values.tolist(), strict=True))


def _permitted(scores: Tensor, allowed: Allowed | None) -> Tensor:
    """(1, vocabulary) of scores, as a guide allows."""
    if allowed is None:
        return scores
    return scores.masked_fill(torch.from_numpy(~allowed).to(scores.device), NEVER)


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
