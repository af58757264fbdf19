"""ModelRunner: executes steps with a causal LM."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from batching.errors import InvalidPrompt, ModeUnavailable, RequestFailed
from batching.plan import PlanRow, RowResult, StepPlan, StepResult
from batching.request import Prompt, Request
from batching.route import Overlay, Route
from batching.runner import Tokenizer
from batching.sampler import sample
from batching.sampling import SamplingParams


class ModelRunner:
    """The same tokens by either route; a row that fails leaves its blocks zeroed."""

    def __init__(
        self, model: Any, route: Route, *, tokenizer: Tokenizer | None, stop_token_ids: frozenset[int]
    ) -> None:
        """`model`: a causal LM in evaluation mode, which `route` runs."""
        self._model = model
        self._config = model.config.get_text_config(decoder=True)
        self._stop_token_ids = stop_token_ids
        self._route = route
        self.tokenizer = tokenizer
        self.device = torch.device(model.device)

    @property
    def route(self) -> str:
        """Which route runs the model: "safe" or "fast"."""
        return self._route.name

    @property
    def max_length(self) -> int:
        """The model's context, in tokens; models without a limit of their own give a very high one."""
        return int(getattr(self._config, "max_position_embeddings", None) or 2**31)

    def prepare(self, request: Request) -> Prompt:
        """The request in the model's terms; see `Runner.prepare`."""
        if request.image is not None:
            raise ModeUnavailable(f"{type(self._model).__name__} reads no images")
        assert request.prompt_token_ids is not None
        return self.prompt([int(each) for each in request.prompt_token_ids], request.sampling or SamplingParams())

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
        return Prompt(
            token_ids=token_ids,
            max_tokens=params.max_tokens,
            stop_token_ids=own | set(params.stop_token_ids),
            generator=generator,
        )

    def allocate(self, num_blocks: int, block_size: int) -> None:
        """Make the pool; see `Runner.allocate`.

        Raises:
            UnsupportedModel: the model keeps its state elsewhere than in the keys and values of each layer.
        """
        with torch.inference_mode():
            self._route.allocate(num_blocks, block_size)

    def run(self, plan: StepPlan) -> StepResult:
        """Compute one step; see `Runner.run`."""
        with torch.inference_mode():
            if plan.copies:
                self._route.copy(plan.copies)
            features, failures = self.encode(plan)
            rows = [row for row in plan.rows if row.seq_id not in failures]
            results = dict(zip((id(row) for row in rows), self._results(rows, features), strict=True))
        return StepResult(
            rows=tuple(
                RowResult(error=failures[row.seq_id]) if row.seq_id in failures else results[id(row)]
                for row in plan.rows
            )
        )

    def close(self) -> None:
        """Drop the KV."""
        self._route.close()

    def encode(self, plan: StepPlan) -> tuple[dict[int, Any], dict[int, RequestFailed]]:  # noqa: ARG002 # for image models
        """Image features by sequence, and the images that could not be encoded."""
        return {}, {}

    def overlay(self, row: PlanRow, features: Mapping[int, Any]) -> Overlay | None:  # noqa: ARG002 # for image models
        """What lies over the embeddings of a row's new tokens, if anything does."""
        return None

    def _results(self, rows: list[PlanRow], features: Mapping[int, Any]) -> list[RowResult]:
        if not rows:
            return []
        laid = {at: self.overlay(row, features) for at, row in enumerate(rows)} if features else {}
        logits = self._route.logits(rows, {at: each for at, each in laid.items() if each is not None})
        sampled = sample(rows, logits)
        results: list[RowResult] = []
        for row, each in zip(rows, sampled, strict=True):
            if each is None:
                self._route.zero(row.blocks)
                results.append(RowResult(error=RequestFailed("the model's logits are not finite")))
            else:
                results.append(each if row.samples else RowResult(features=features.get(row.seq_id)))
        return results
