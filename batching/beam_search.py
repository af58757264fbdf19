"""Beam search over an engine: each step is one request for one token per beam, over prefixes that the engine reuses.

The rules are those of transformers' `generate`.
"""

from __future__ import annotations

import time
from collections.abc import Sequence as Items
from dataclasses import dataclass, replace

from batching.engine import Engine
from batching.errors import RequestRefused
from batching.requests.completion import Completion, FinishReason, Timings
from batching.requests.detokenize import Detokenizer
from batching.requests.request import Prompt, Request
from batching.requests.sampling_params import BeamSearchParams, SamplingParams
from batching.token_stream import TokenStream

Candidates = Items[tuple[int, float]]
"""Tokens and their log-probabilities, the best first."""


@dataclass(frozen=True, slots=True)
class Beam:
    """An output so far, or one that has ended; `score` is the sum of its log-probabilities."""

    output: tuple[int, ...] = ()
    score: float = 0.0


class BeamSearch:
    """Keeps the best `num_beams` complete outputs."""

    def __init__(self, params: BeamSearchParams, stop_token_ids: frozenset[int]) -> None:
        self.num_candidates = params.num_beams * max(2, 1 + len(stop_token_ids))
        self._num_beams = params.num_beams
        self._length_penalty = params.length_penalty
        self._early_stopping = params.early_stopping
        self._stop_token_ids = stop_token_ids
        self._complete: list[tuple[float, Beam]] = []  # the best first, each with its score by length

    @property
    def best(self) -> Beam:
        """The best output so far; there is one when `extend` has given no beam."""
        return self._complete[0][1]

    def extend(self, beams: Items[Beam], candidates: Items[Candidates], max_tokens: int) -> list[Beam]:
        """The beams of the next step, the best first; none when the search is over.

        `candidates` are those of each beam; an ending one counts only among the first `num_beams` of all. Outputs of
        `max_tokens` tokens end.
        """
        length = len(beams[0].output) + 1
        extended = [
            Beam((*beam.output, token), beam.score + logprob)
            for beam, of_beam in zip(beams, candidates, strict=True)
            for token, logprob in of_beam
        ]
        extended.sort(key=lambda beam: -beam.score)
        extended = extended[: self.num_candidates]
        ended = [length >= max_tokens or beam.output[-1] in self._stop_token_ids for beam in extended]
        if not (self._early_stopping is True and self._full):
            for beam, ends in zip(extended[: self._num_beams], ended, strict=False):
                if ends:
                    self._add(beam)
        living = [beam for beam, ends in zip(extended, ended, strict=True) if not ends][: self._num_beams]
        if not living:
            return []
        if self._full and (self._early_stopping is True or not self._may_improve(living[0].score, length, max_tokens)):
            return []
        return living

    @property
    def _full(self) -> bool:
        return len(self._complete) >= self._num_beams

    def _add(self, beam: Beam) -> None:
        self._complete.append((beam.score / len(beam.output) ** self._length_penalty, beam))
        self._complete.sort(key=lambda scored: -scored[0])  # stable: the earlier of two equals stays before
        del self._complete[self._num_beams :]

    def _may_improve(self, score: float, length: int, max_tokens: int) -> bool:
        """Whether the best living beam could still beat the worst complete output."""
        if self._early_stopping == "never" and self._length_penalty > 0:
            length = max_tokens
        return score / length**self._length_penalty > self._complete[-1][0]


async def beam_search(engine: Engine, request: Request) -> Completion:
    """The best output of a request that has `beams`.

    With `EngineConfig.reuse_prefixes` a step computes only what follows the last full block of each beam. Each beam and
    token is a request of its own to the engine's limits and statistics; pictures are prepared for each.

    Raises:
        RequestFailed: a step of a beam broke.
        EngineFull: also in the middle of a search, or where there are more beams than `max_waiting`.
        EngineClosed, EngineDead, RequestRefused: as for `Engine.submit`.
    """
    params = request.beams
    if params is None:
        raise RequestRefused("beams: a beam search needs them, and the request has none")
    if params.num_beams == 1:
        return await engine.submit(replace(request, beams=None)).result()
    began = time.perf_counter()
    queued_s: float | None = None
    prompt = engine.prepare(request)
    search = BeamSearch(params, prompt.stop_token_ids)
    one_token = _one_token(request.sampling, prompt, search.num_candidates)
    beams = [Beam()]
    num_prompt = 0
    while beams:
        requests = [
            replace(request, beams=None, sampling=one_token, continuation=(*request.continuation, *beam.output))
            for beam in beams
        ]
        completions = await _completions(engine, requests)
        if not completions[0].logprobs:  # `max_tokens` is 0
            return completions[0]
        queued_s = completions[0].timings.queued_s if queued_s is None else queued_s
        num_prompt = completions[0].num_prompt - len(beams[0].output)
        room = engine.max_length - num_prompt + 1  # the last token's own KV is never needed
        max_tokens = room if prompt.max_tokens is None else min(prompt.max_tokens, room)
        candidates = [completion.logprobs[0].top for completion in completions if completion.logprobs]
        beams = search.extend(beams, candidates, max_tokens)
    output = list(search.best.output)
    total_s = time.perf_counter() - began
    return Completion(
        token_ids=output,
        text=Detokenizer(engine.tokenizer).whole(output),
        finish_reason=FinishReason.STOP if output[-1] in prompt.stop_token_ids else FinishReason.LENGTH,
        timings=Timings(queued_s=queued_s, first_token_s=total_s, total_s=total_s),
        mean_logprob=search.best.score / len(output) if request.sampling.mean_logprob else None,
        num_prompt=num_prompt,
    )


def _one_token(sampling: SamplingParams, prompt: Prompt, num_candidates: int) -> SamplingParams:
    """The next token, whatever it is, with the candidates to choose from; none if the request is for none."""
    return replace(
        sampling,
        max_tokens=0 if prompt.max_tokens == 0 else 1,
        stop_token_ids=(),
        ignore_eos=True,
        logprobs=num_candidates,
        penalised_logprobs=True,
    )


async def _completions(engine: Engine, requests: Items[Request]) -> list[Completion]:
    """Of all requests, which share steps; when one fails, or nobody waits any more, the others are aborted."""
    streams: list[TokenStream] = []
    try:
        for request in requests:
            streams.append(engine.submit(request))  # noqa: PERF401 # those before one that is refused are aborted
        return [await stream.result() for stream in streams]
    finally:
        for stream in streams:
            stream.abort()
