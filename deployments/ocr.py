"""Ocr: one continuous-batching engine a replica; regions of all pages of all documents share its decode steps."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator
from typing import Any

import numpy as np
from ray.util.metrics import Counter, Gauge, Histogram

from batching import FinishReason, RequestStats, StepStats
from batching.completion import FINISHED
from configs import Settings
from configs.settings import checkpoint_path
from deployments.reader import ReadOptions, RegionReader, repetition_limit
from deployments.served_engine import SIZES, ServedEngine
from documents.ocr_input.confidence import Calibration
from documents.ocr_input.tesseract import Tesseract
from documents.values import OcrMode, Reading

USUAL_TOKENS = 900  # of a sequence of which none has ended yet: what a region of a page takes in published GOT-OCR2

NEWEST = 0.02  # least weight of the newest sequence in the mean length of one


class Ocr:
    """Public to Ray jobs: `read` and `stream`."""

    def __init__(self, settings: Settings) -> None:
        from batching.models import load_got_ocr2  # here: whoever builds the graph need not load torch
        from deployments.device import choose_device, choose_dtype, give_back_freed_memory

        chosen, device = settings.ocr, choose_device(settings.device)
        runner = load_got_ocr2(
            checkpoint_path(chosen.model),
            device=device,
            dtype=choose_dtype(chosen.precision),
            route="auto" if device == "cpu" else chosen.gpu_route,
            quantisation=chosen.quantisation,
        )
        give_back_freed_memory()
        self._served = ServedEngine(
            runner,
            chosen,
            "engine",
            vision_budget_mb=chosen.vision_budget_mb,
            on_step=self._observe,
            on_finish=self._note_end,
        )
        self._name = chosen.model.rstrip("/").rsplit("/", 1)[-1]
        self._reader = RegionReader(
            self._served.engine,
            runner.inputs.reading,
            self._name,
            max_tokens=chosen.max_tokens,
            window=2 * chosen.max_running,
            calibration=Calibration.of_folder(checkpoint_path(chosen.model)),
            least_confidence=chosen.least_confidence,
            repetition=repetition_limit(runner.inputs.tokenizer),
            second=Tesseract.installed() if chosen.second_reader == "tesseract" else None,
            doubtful=chosen.low_confidence,
        )
        self._sequence_tokens = float(min(self._reader.longest, USUAL_TOKENS))  # of one, prompt and output
        self._num_ended = 0
        self._step_documents = Histogram("pagemill_engine_step_documents", "Documents that share a step.", SIZES)
        self._unreadable = Counter("pagemill_unreadable_lines", "Printed lines that OCR could not read for sure.")
        self._second_lines = Counter("pagemill_second_reader_lines", "Printed lines taken from the second reader.")
        self._repetitions = Counter(
            "pagemill_ocr_repetitions", "Sequences that were ended as they repeated themselves."
        )
        self._backlog = Gauge("pagemill_engine_backlog_tokens", "Tokens still to compute for the calls that are here.")

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
        reading = await self._reader.read(picture, ReadOptions(mode=mode, **asked), label=label)
        self._count(reading)
        return (width, height), reading

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
    ) -> AsyncGenerator[str | Reading, None]:
        """The text of a crop as it is decoded, and last its reading; leaving the stream frees its decode slots."""
        await self.start()
        options = ReadOptions(mode=mode, **asked)
        async with contextlib.aclosing(self._reader.stream(picture, options, label=label)) as pieces:
            async for text in pieces:
                yield text

    async def about(self) -> dict[str, Any]:
        """The checkpoint's name, the engine's state and what was done so far."""
        return {"model": self._name, **self._served.about()}

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
        await self._served.start()

    async def check_health(self) -> None:
        """Raises when the engine is of no use any more, so that Serve replaces the replica."""
        await self._served.check_health()

    def _note_end(self, ended: RequestStats) -> None:
        if ended.finish_reason is FinishReason.REPETITION:
            self._repetitions.inc()
        if ended.finish_reason in FINISHED:
            self._num_ended += 1
            newest = max(NEWEST, 1 / self._num_ended)
            self._sequence_tokens += newest * (ended.num_prompt + ended.num_output - self._sequence_tokens)

    def _count(self, reading: Reading) -> None:
        num_second = sum(bool(line.reader) for line in (*reading.lines, *reading.unreadable))
        for counter, count in ((self._unreadable, len(reading.unreadable)), (self._second_lines, num_second)):
            if count:  # a counter takes no 0
                counter.inc(count)

    def _observe(self, step: StepStats) -> None:
        self._step_documents.observe(len(step.labels))
        _ = self._backlog_tokens()
