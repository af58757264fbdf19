"""ModelRunner: executes one scheduled step: vision features, forward pass, sampling."""

# torch and transformers tell only part of their types, so unknowns that come from them are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

import torch
from torch import Tensor

from batching.errors import RequestFailed
from batching.forward_route import Route, Sampled
from batching.inputs.context_length import context_length
from batching.inputs.text_inputs import ModelInputs
from batching.kv.block_pool import scratch_block
from batching.kv.kv_pool import KvPool
from batching.kv.kv_rows import KvDtype
from batching.launched_step import Flight, copy_to_host_async
from batching.machine.device import on_device
from batching.sampling.guide_masks import NO_MASKS, GuideMasks, Masks
from batching.sampling.sampler import sample
from batching.step_plan import PlanRow, RowResult, StepPlan, StepResult

MAX_BLOCKS = 1 << 24
InputsT = TypeVar("InputsT", bound=ModelInputs)


class ModelRunner(Generic[InputsT]):
    """The same tokens by every route and for every kind of input; a row that fails leaves its blocks finite."""

    def __init__(self, model: Any, route: Route, inputs: InputsT, kv_dtype: KvDtype = "model") -> None:
        """`model`: a causal LM in evaluation mode, which `route` runs and for which `inputs` makes prompts.

        One that was loaded for this runner alone may have lost matrices that the route keeps in another form.
        """
        self.model = model
        self.inputs = inputs
        self.device = torch.device(model.device)
        self.max_length = context_length(model.config.get_text_config(decoder=True))
        self._route = route
        self._kv_dtype: KvDtype = kv_dtype
        self._masks = GuideMasks(int(model.config.get_text_config(decoder=True).vocab_size))
        self._kv: KvPool | None = None
        self._sampled: tuple[Tensor, list[int]] | None = None  # of the step before: tokens, and the place of each row

    @property
    def route(self) -> str:
        """Which route runs the model: "transformers", "torch" or "native"."""
        return self._route.name

    @property
    def num_bytes(self) -> int | None:
        """See `Route.num_bytes`."""
        return self._route.num_bytes

    @property
    def max_in_flight(self) -> int:
        """See `Runner.max_in_flight`."""
        return self._route.max_in_flight

    @property
    def keeps_state(self) -> bool:
        """See `Runner.keeps_state`."""
        return self._route.keeps_state

    def allocate(self, num_blocks: int, block_size: int, max_rows: int, max_running: int) -> None:
        """See `Runner.allocate`.

        Raises:
            UnsupportedModel: the model keeps its state elsewhere than in the keys and values of each layer.
        """
        self._kv = KvPool(num_blocks, block_size, self._kv_dtype, num_states=max_running)
        with torch.inference_mode(), on_device(self.device):
            self._route.allocate(self._kv, max_rows)

    def num_blocks_in(self, num_bytes: int, block_size: int, max_running: int) -> int:
        """Usable KV blocks of so many tokens that take at most `num_bytes`, with the states of `max_running` sequences.

        While nothing is allocated; at most `MAX_BLOCKS`, since blocks of a model without attention take nothing.

        Raises:
            UnsupportedModel: see `allocate`.
        """
        self.allocate(1, block_size, max_rows=1, max_running=1)
        assert self._kv is not None
        num_bytes_each, states = self._kv.bytes_per_block, self._kv.states
        self.close()
        num_left = num_bytes - states.bytes_per_slot * (max_running + 1)
        num_blocks = num_left // num_bytes_each if num_bytes_each else MAX_BLOCKS
        return min(MAX_BLOCKS, max(0, num_blocks - scratch_block(0) - 1))

    def launch(self, plan: StepPlan) -> Flight:
        """See `Runner.launch`."""
        assert self._kv is not None, "nothing is allocated"
        with torch.inference_mode(), on_device(self.device):
            features, failures = self.inputs.encode(plan)
            places, rows = list(range(len(plan.rows))), plan.rows
            if failures:
                places = [index for index, row in enumerate(rows) if row.owner.seq_id not in failures]
                rows = tuple(rows[index] for index in places)
            masks = self._masks.begin(rows)
            logits = self._logits(rows, features) if rows else None
            if logits is None:
                self._sampled = None
                return Flight(plan, [], (), features, failures)
            wants_logprobs = any(
                row.owner.params.mean_logprob and row.owner.params.takes_likeliest_allowed for row in rows
            )
            picks = self._route.pick(logits, wants_logprobs)
            self._sampled = picks.tokens, places
            host, ready = copy_to_host_async(picks)
            return Flight(plan, places, rows, features, failures, logits, host, masks, ready)

    def collect(self, flight: Flight) -> StepResult:
        """See `Runner.collect`."""
        flight.wait()
        began = time.perf_counter()
        masks = NO_MASKS if flight.masks is None else flight.masks.result()
        guide_wait_s = time.perf_counter() - began if flight.masks is not None else 0.0
        rows = flight.plan.rows
        results: list[RowResult | None] = [None] * len(rows)
        with torch.inference_mode(), on_device(self.device):
            for index, result in zip(flight.places, self._results(flight, masks), strict=True):
                results[index] = result
        lost = RequestFailed("the previous step failed")
        return StepResult(
            rows=tuple(
                result or RowResult(error=flight.failures.get(row.owner.seq_id, lost))
                for row, result in zip(rows, results, strict=True)
            ),
            num_guided=len(masks.allowed),
            guide_s=masks.guide_s,
            guide_wait_s=guide_wait_s,
        )

    def logits(self, rows: Sequence[PlanRow]) -> Tensor:
        """(rows, vocabulary), of each row's last token; for comparisons, never beside a step that runs."""
        with on_device(self.device):
            return self._route.logits(rows, {}).clone()

    def close(self) -> None:
        """Drop the KV."""
        self._sampled = self._kv = None
        self._route.close()
        self._masks.close()

    def _logits(self, rows: Sequence[PlanRow], features: Mapping[int, Any]) -> Tensor | None:
        """(rows, vocabulary); None where the step before, which should feed this one, computed nothing."""
        if rows[0].fed_by is not None:
            if self._sampled is None:
                return None
            tokens, places = self._sampled[0], {index: place for place, index in enumerate(self._sampled[1])}
            return self._route.logits(rows, {}, Sampled(tokens, [places.get(row.fed_by or 0, 0) for row in rows]))
        if not features:
            return self._route.logits(rows, {})
        overlays = {index: self.inputs.overlay(row, features) for index, row in enumerate(rows)}
        return self._route.logits(rows, {index: overlay for index, overlay in overlays.items() if overlay is not None})

    def _results(self, flight: Flight, masks: Masks) -> Iterator[RowResult]:
        """Of the rows that reached the model."""
        if flight.logits is None or flight.picks is None:
            return
        assert self._kv is not None
        results = sample(flight.rows, flight.logits, flight.picks, masks.allowed)
        for row, result in zip(flight.rows, results, strict=True):
            features = flight.features.get(row.owner.seq_id)
            if result is None:
                self._kv.make_finite(row.blocks)
                yield RowResult(error=RequestFailed("the model's logits are not finite"))
            elif result.error is None and not row.samples:
                yield RowResult(features=features)
            else:
                columns = None if features is None or self.keeps_state else features.columns
                if columns is not None and row.owner.params.takes_likeliest:
                    result.draft = columns.draft()
                yield result
