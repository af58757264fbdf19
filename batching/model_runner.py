"""ModelRunner: executes steps with a causal LM."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from batching.context import context_length, rope_switch
from batching.device import on_device
from batching.errors import InvalidPrompt, ModeUnavailable, RequestFailed
from batching.fast_route import FastRoute
from batching.flight import Flight, on_its_way
from batching.graph_route import GraphRoute
from batching.plan import PlanRow, RowResult, StepPlan, StepResult
from batching.request import Prompt, Request
from batching.route import Overlay, Route
from batching.runner import Tokenizer
from batching.sampler import pick, sample
from batching.sampling import SamplingParams


class ModelRunner:
    """The same tokens by every route; a row that fails leaves its blocks zeroed."""

    def __init__(
        self, model: Any, route: Route, *, tokenizer: Tokenizer | None, stop_token_ids: frozenset[int]
    ) -> None:
        """`model`: a causal LM in evaluation mode, which `route` runs."""
        self._model = model
        self._config = model.config.get_text_config(decoder=True)
        self._stop_token_ids = stop_token_ids
        self._route = route
        self._feeding = route if isinstance(route, GraphRoute) else None  # takes tokens that the host has not seen
        self._sampled: tuple[Tensor, dict[int, int]] | None = None  # of the step before, and where each row's is
        self.tokenizer = tokenizer
        self.device = torch.device(model.device)

    @property
    def route(self) -> str:
        """Which route runs the model: "safe", "fast" or "graphs"."""
        return self._route.name

    @property
    def num_bytes(self) -> int | None:
        """Of the matrices of the decoder's layers; None by the safe route, which leaves them to the model."""
        return self._route.num_bytes if isinstance(self._route, FastRoute) else None

    @property
    def max_length(self) -> int:
        """The model's context, in tokens; models without a limit of their own give a very high one."""
        return context_length(self._config)

    @property
    def last_pass(self) -> float:
        """See `Runner.last_pass`."""
        return 0.0

    def max_tiles(self, budget_mb: int | None) -> int:  # noqa: ARG002 # for image models
        """See `Runner.max_tiles`."""
        return 1

    def prepare(self, request: Request) -> Prompt:
        """The request in the model's terms; see `Runner.prepare`."""
        if request.image is not None:
            raise ModeUnavailable(f"{type(self._model).__name__} reads no images")
        assert request.prompt_token_ids is not None
        return self.prompt([int(each) for each in request.prompt_token_ids], request.sampling)

    def prompt(self, token_ids: list[int], params: SamplingParams) -> Prompt:
        """A prompt of tokens.

        Raises:
            InvalidPrompt: a token is out of vocabulary.
        """
        vocabulary = int(self._config.vocab_size)
        for each in (min(token_ids), max(token_ids)):
            if not 0 <= each < vocabulary:
                raise InvalidPrompt(f"token {each} is out of the vocabulary of {vocabulary}")
        generator = None
        if not params.greedy:
            generator = torch.Generator()
            _ = generator.seed() if params.seed is None else generator.manual_seed(params.seed)
        own = frozenset[int]() if params.ignore_eos else self._stop_token_ids
        switch = rope_switch(self._config)
        return Prompt(
            token_ids=token_ids,
            max_tokens=params.max_tokens,
            stop_token_ids=own | set(params.stop_token_ids),
            generator=generator,
            recompute_beyond=None if switch is None else switch.length,
        )

    def allocate(self, num_blocks: int, block_size: int, max_rows: int) -> None:
        """Make the pool; see `Runner.allocate`.

        Raises:
            UnsupportedModel: the model keeps its state elsewhere than in the keys and values of each layer.
        """
        with torch.inference_mode(), on_device(self.device):
            self._route.allocate(num_blocks, block_size, max_rows)

    @property
    def max_in_flight(self) -> int:
        """See `Runner.max_in_flight`."""
        return 1 if self._feeding is None else 2

    def launch(self, plan: StepPlan) -> Flight:
        """See `Runner.launch`."""
        with torch.inference_mode(), on_device(self.device):
            if plan.copies:
                self._route.copy(plan.copies)
            features, failures = self.encode(plan)
            places = [at for at, row in enumerate(plan.rows) if row.seq_id not in failures]
            flight = Flight(plan, [plan.rows[at] for at in places], features, failures)
            logits = self._logits(flight) if places else None
            if logits is None:
                self._sampled = None
                return dataclasses.replace(flight, rows=[])
            picks = pick(logits)
            self._sampled = picks.tokens, {at: place for place, at in enumerate(places)}
            host, landed = on_its_way(picks)
            return dataclasses.replace(flight, logits=logits, picks=host, landed=landed)

    def collect(self, flight: Flight) -> StepResult:
        """See `Runner.collect`."""
        flight.wait()
        with torch.inference_mode(), on_device(self.device):
            results = dict(zip((id(row) for row in flight.rows), self._results(flight), strict=True))
        unknown = RowResult(error=RequestFailed("the step before it failed"))
        return StepResult(
            rows=tuple(
                RowResult(error=flight.failures[row.seq_id])
                if row.seq_id in flight.failures
                else results.get(id(row), unknown)
                for row in flight.plan.rows
            )
        )

    def logits(self, rows: Sequence[PlanRow]) -> Tensor:
        """(rows, vocabulary), of each row's last token; for comparisons, beside the engine."""
        with on_device(self.device):
            return self._route.logits(rows, {})

    def close(self) -> None:
        """Drop the KV."""
        self._sampled = None
        self._route.close()

    def encode(self, plan: StepPlan) -> tuple[dict[int, Any], dict[int, RequestFailed]]:  # noqa: ARG002 # for image models
        """Image features by sequence, and the images that could not be encoded."""
        return {}, {}

    def overlay(self, row: PlanRow, features: Mapping[int, Any]) -> Overlay | None:  # noqa: ARG002 # for image models
        """What lies over the embeddings of a row's new tokens, if anything does."""
        return None

    def _logits(self, flight: Flight) -> Tensor | None:
        """(rows, vocabulary); None where the step before, which should feed this one, computed nothing."""
        rows = flight.rows
        if self._feeding is not None and rows[0].fed_by is not None:
            if self._sampled is None:
                return None
            sampled, places = self._sampled
            fed_by = [row.fed_by or 0 for row in rows]
            return self._feeding.logits_after(rows, sampled, [places.get(each, 0) for each in fed_by])
        laid = {at: self.overlay(row, flight.features) for at, row in enumerate(rows)} if flight.features else {}
        return self._route.logits(rows, {at: each for at, each in laid.items() if each is not None})

    def _results(self, flight: Flight) -> list[RowResult]:
        if flight.logits is None or flight.picks is None:
            return []
        results: list[RowResult] = []
        sampled = sample(flight.rows, flight.logits, flight.picks)
        for row, each in zip(flight.rows, sampled, strict=True):
            if each is None:
                self._route.zero(row.blocks)
                results.append(RowResult(error=RequestFailed("the model's logits are not finite")))
            else:
                results.append(each if row.samples else RowResult(features=flight.features.get(row.seq_id)))
        return results
