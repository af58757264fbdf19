"""Ocr: one continuous-batching engine a replica; regions of all pages of all documents share its decode steps."""

from __future__ import annotations

import asyncio
import collections
import contextlib
import time
from collections.abc import AsyncGenerator
from typing import Any

import numpy as np
from ray.util.metrics import Counter, Gauge, Histogram

from batching import Engine, EngineConfig, FinishReason, RequestStats, StepStats
from configs import Settings
from configs.settings import checkpoint_path
from deployments.reader import ReadOptions, RegionReader
from deployments.stall import Stall
from documents.values import OcrMode, Reading

STUCK_S = 120.0  # without the end of a step: none takes so long on any machine that is of use
NEWEST = 0.02  # least weight of the newest sequence in the mean length of one
SIZES: list[float] = [1, 2, 4, 8, 16, 32, 64, 128, 256]


class Ocr:
    """Public to Ray jobs: `read` and `stream`."""

    def __init__(self, settings: Settings) -> None:
        from batching.models import load_got_ocr2  # here: whoever builds the graph need not load torch
        from deployments.device import choose_device, choose_dtype

        chosen, device = settings.ocr, choose_device(settings.device)
        runner = load_got_ocr2(
            checkpoint_path(chosen.model),
            device=device,
            dtype=choose_dtype(chosen.precision),
            route="auto" if device == "cpu" else chosen.gpu_route,
        )
        config = EngineConfig(
            max_running=chosen.max_running,
            max_waiting=chosen.max_waiting,
            num_blocks=chosen.num_blocks,
            block_size=chosen.block_size,
            max_step_tokens=chosen.max_step_tokens,
            on_step=self._observe,
            on_finish=self._note_end,
        )
        self._engine = Engine(runner, config)
        self._name = chosen.model.rstrip("/").rsplit("/", 1)[-1]
        self._reader = RegionReader(
            self._engine, runner.reading, self._name, max_tokens=chosen.max_tokens, window=2 * chosen.max_running
        )
        self._max_running = chosen.max_running
        self._sequence_tokens = float(self._reader.longest)  # of one, prompt and output; the most, until one has ended
        self._num_ended = 0
        self._started = asyncio.Lock()
        self._ready = False
        self._counts: collections.Counter[str] = collections.Counter()
        self._step_sequences = Histogram("pagemill_engine_step_sequences", "Sequences that share a step.", SIZES)
        self._step_documents = Histogram("pagemill_engine_step_documents", "Documents that share a step.", SIZES)
        self._free_blocks = Gauge("pagemill_engine_free_blocks", "KV blocks that no sequence owns.")
        self._waiting = Gauge("pagemill_engine_waiting_sequences", "Sequences that wait for a place.")
        self._backlog = Gauge("pagemill_engine_backlog_tokens", "Tokens still to compute for the calls that are here.")
        self._tokens = Counter("pagemill_engine_tokens", "Tokens decoded.")
        self._aborted = Counter("pagemill_engine_aborted_sequences", "Sequences given up for callers that left.")
        self._wasted = Counter("pagemill_engine_wasted_tokens", "Tokens decoded for sequences that were given up.")
        self._stall = Stall(STUCK_S)

    async def read(
        self,
        picture: np.ndarray,
        mode: OcrMode = "plain",
        *,
        label: str = "",
        cost: float | None = None,  # noqa: ARG002 # tokens to expect: of use to the router alone
        **asked: Any,
    ) -> tuple[tuple[int, int], Reading]:
        """The size (width, height) of a crop and its text; `asked` are further `ReadOptions`. See RegionReader.read."""
        await self.start()
        height, width = picture.shape[:2]
        return (width, height), await self._reader.read(picture, ReadOptions(mode=mode, **asked), label=label)

    async def direction(self, picture: np.ndarray, *, label: str = "") -> int:
        """Degrees clockwise that a page stands turned, by quarters; see RegionReader.direction."""
        await self.start()
        return await self._reader.direction(picture, label=label)

    async def stream(
        self,
        picture: np.ndarray,
        mode: OcrMode = "plain",
        *,
        label: str = "",
        cost: float | None = None,  # noqa: ARG002 # as in `read`
        **asked: Any,
    ) -> AsyncGenerator[str, None]:
        """The text of a crop as it is decoded; leaving the stream frees its decode slots."""
        await self.start()
        options = ReadOptions(mode=mode, **asked)
        async with contextlib.aclosing(self._reader.stream(picture, options, label=label)) as pieces:
            async for text in pieces:
                yield text

    async def about(self) -> dict[str, Any]:
        """The checkpoint's name, the engine's state and what was done so far."""
        stats = self._engine.stats()
        names = ("num_waiting", "num_running", "num_blocks", "num_free_blocks", "num_steps", "num_aborted")
        return {
            "model": self._name,
            "max_running": self._max_running,
            **{name: getattr(stats, name) for name in names},
            **self._counts,
        }

    def record_autoscaling_stats(self) -> dict[str, float]:
        """What `deployments.scaling` scales by: tokens still to compute."""
        return {"tokens": self._backlog_tokens()}

    def record_routing_stats(self) -> dict[str, float]:
        """What `deployments.routing` chooses by."""
        return {"waiting_tokens": self._backlog_tokens()}

    def _backlog_tokens(self) -> float:
        tokens = self._reader.num_open * self._sequence_tokens
        self._backlog.set(tokens)
        return tokens

    async def start(self) -> None:
        """Start the engine on the replica's loop, once."""
        async with self._started:
            if not self._ready:
                await self._engine.start()
                self._ready = True

    async def check_health(self) -> None:
        """Raises when the model thread has died or is stuck in a step, so that Serve replaces the replica."""
        await self.start()
        if not self._engine.healthy:
            raise RuntimeError("the engine's model thread has died")
        stats = self._engine.stats()
        if self._stall.stands(time.monotonic(), stats.num_steps, busy=stats.num_running + stats.num_waiting > 0):
            raise RuntimeError(f"the engine has not finished a step for {STUCK_S:g} s")

    def _note_end(self, ended: RequestStats) -> None:
        if ended.finish_reason in (FinishReason.STOP, FinishReason.LENGTH):
            self._num_ended += 1
            newest = max(NEWEST, 1 / self._num_ended)
            self._sequence_tokens += newest * (ended.num_prompt + ended.num_output - self._sequence_tokens)
        if ended.finish_reason == FinishReason.ABORT:
            self._aborted.inc()
            self._wasted.inc(ended.num_output)

    def _observe(self, step: StepStats) -> None:
        self._step_sequences.observe(step.num_running)
        self._step_documents.observe(len(step.labels))
        self._free_blocks.set(step.num_free_blocks)
        _ = self._backlog_tokens()
        self._waiting.set(step.num_waiting)
        self._counts["shared_steps"] += len(step.labels) > 1
        self._counts["largest_step"] = max(self._counts["largest_step"], step.num_running)
        if step.num_decodes:
            self._tokens.inc(step.num_decodes)
