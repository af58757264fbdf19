"""Runs one batching engine in a replica: its limits from the settings, its Prometheus metrics, its health check."""

from __future__ import annotations

import asyncio
import collections
from collections.abc import Callable
from typing import Any

from ray.util.metrics import Counter, Gauge, Histogram

from batching import Engine, EngineConfig, FinishReason, RequestStats, StepStats
from batching.engine_config import Mode
from batching.runner import Runner
from configs.model_settings import EngineSettings

MAX_STEP_S = 120.0  # no step or vision pass takes so long on any usable machine
SIZES: list[float] = [1, 2, 4, 8, 16, 32, 64, 128, 256]


class ServedEngine:
    """An engine with the limits of a deployment's settings; its metrics are named `pagemill_<kind>_*`."""

    def __init__(
        self,
        runner: Runner,
        limits: EngineSettings,
        kind: str,
        *,
        mode: Mode = "continuous",
        vision_budget_mb: int | None = None,
        steady_decoding: bool = False,
        on_step: Callable[[StepStats], None] = lambda _: None,
        on_finish: Callable[[RequestStats], None] = lambda _: None,
    ) -> None:
        self._on_step = on_step
        self._on_finish = on_finish
        config = EngineConfig(
            max_running=limits.max_running,
            max_waiting=limits.max_waiting,
            num_blocks=limits.num_blocks,
            block_size=limits.block_size,
            max_step_tokens=limits.max_step_tokens,
            reuse_prefixes=limits.reuse_prefixes,
            max_drafts=limits.max_drafts,
            check_idle=limits.check_idle,
            mode=mode,
            vision_budget_mb=vision_budget_mb,
            steady_decoding=steady_decoding,
            on_step=self._observe,
            on_finish=self._note_end,
        )
        self.engine = Engine(runner, config)
        self._max_running = limits.max_running
        self._starting = asyncio.Lock()
        self._started = False
        self._counts: collections.Counter[str] = collections.Counter()
        name = f"pagemill_{kind}"
        self._step_sequences = Histogram(f"{name}_step_sequences", "Sequences that share a step.", SIZES)
        self._free_blocks = Gauge(f"{name}_free_blocks", "Free KV blocks.")
        self._waiting = Gauge(f"{name}_waiting_sequences", "Waiting sequences.")
        self._tokens = Counter(f"{name}_tokens", "Tokens decoded.")
        self._reused = Counter(f"{name}_reused_tokens", "Prompt tokens reused from an earlier prompt.")
        self._drafts = Counter(f"{name}_drafts", "Tokens guessed and verified.")
        self._accepted = Counter(f"{name}_accepted_drafts", "Guessed tokens that were right.")
        self._ended = Counter(f"{name}_ended_sequences", "Sequences that ended.")
        self._steps = Counter(f"{name}_sequence_steps", "Steps that gave an ended sequence its tokens.")
        self._given_up = Counter(f"{name}_given_up_drafts", "Sequences whose drafts were given up.")
        self._guided = Counter(f"{name}_guided_tokens", "Tokens of structured output.")
        self._guide_wait = Counter(f"{name}_guide_wait_seconds", "Seconds that steps waited for masks.")
        self._aborted = Counter(f"{name}_aborted_sequences", "Sequences aborted because their caller disconnected.")
        self._wasted = Counter(f"{name}_wasted_tokens", "Tokens decoded for aborted sequences.")

    async def check_health(self) -> None:
        """Start the engine in the first check, which Serve awaits before it lets any call in.

        Raises when the model thread has died or is stuck in a step, so that Serve replaces the replica.
        """
        async with self._starting:
            if not self._started:
                await self.engine.start()
                self._started = True
        if not self.engine.healthy:
            raise RuntimeError("the engine's model thread has died")
        if self.engine.stats().step_running_s > MAX_STEP_S:
            raise RuntimeError(f"the engine has not finished a step for {MAX_STEP_S:g} s")

    def about(self) -> dict[str, Any]:
        """The engine's state and what was done so far."""
        stats = self.engine.stats()
        names = ("num_waiting", "num_running", "num_blocks", "num_free_blocks", "num_steps", "num_aborted")
        return {"max_running": self._max_running, **{name: getattr(stats, name) for name in names}, **self._counts}

    def _note_end(self, ended: RequestStats) -> None:
        self._ended.inc()
        if ended.num_steps:  # a counter takes no 0
            self._steps.inc(ended.num_steps)
        if ended.gave_up_drafts:
            self._given_up.inc()
        if ended.finish_reason == FinishReason.ABORT:
            self._aborted.inc()
            if ended.num_output:
                self._wasted.inc(ended.num_output)
        self._on_finish(ended)

    def _observe(self, step: StepStats) -> None:
        self._step_sequences.observe(step.num_running)
        self._free_blocks.set(step.num_free_blocks)
        self._waiting.set(step.num_waiting)
        self._counts["shared_steps"] += len(step.labels) > 1
        self._counts["largest_step"] = max(self._counts["largest_step"], step.num_running)
        for counter, count in (
            (self._tokens, step.num_decodes + step.num_accepted),
            (self._reused, step.num_reused),
            (self._drafts, step.num_drafts),
            (self._accepted, step.num_accepted),
            (self._guided, step.num_guided),
            (self._guide_wait, step.guide_wait_s),
        ):
            if count:
                counter.inc(count)
        self._on_step(step)
