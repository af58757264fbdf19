"""The Ocr deployment: reads crops; regions of all pages and documents share the decode steps of one engine."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from ray.util.metrics import Counter, Gauge, Histogram

from batching import FinishReason, RequestStats, StepStats
from batching.requests.completion import NORMAL_FINISH_REASONS
from configs import Settings
from deployments.calls.call_retries import wait_while_busy
from deployments.ocr.line_cutter import Cutter
from deployments.ocr.region_reader import RegionReader
from deployments.replicas.render_limits import render_limits
from deployments.replicas.served_engine import SIZES
from deployments.values.read_options import READERS, WHOLE_PAGE, CropRead, ReadOptions
from documents.draft.whole_page_reading import PageReading
from documents.errors import IngestError, RendererUnavailable
from documents.values import OcrMode, Reading

if TYPE_CHECKING:
    from deployments.ocr.ocr_model import OcrModel

USUAL_TOKENS = 900  # length of a sequence while none has ended: a region of a page in published GOT-OCR2

LINE_READER = "checkpoints/ocr-compact"
MIN_EMA_WEIGHT = 0.02  # minimum weight of the newest sequence in the mean sequence length


class Ocr:
    """Public to Ray jobs: `read` and `stream`; pages come by `read_crops`."""

    def __init__(self, settings: Settings) -> None:
        from deployments.ocr.ocr_model import OcrModel, reads_lines
        from deployments.replicas.device import choose_device  # here: whoever builds the graph need not load torch

        ocr, device = settings.ocr, choose_device(settings.device)
        self._cutter = Cutter(render_limits(settings))  # its child ends with the replica, as the renderer's do
        options: dict[str, Any] = {"cut": self._cutter.cut, "on_step": self._observe, "on_finish": self._note_end}
        self._line_model: OcrModel | None = None  # looks again at digits, where the first model reads no lines
        by_lines = reads_lines(ocr.model)
        if ocr.prove_digits and not by_lines and reads_lines(LINE_READER):
            self._line_model = OcrModel(LINE_READER, ocr, device, kind="engine_lines", **options)
            options["line_reader"] = self._line_model.reader
        first = OcrModel(ocr.model, ocr, device, **options)
        self._model = first
        if by_lines:
            options["line_reader"] = first.reader
        self._by_kind = {
            kind: OcrModel(model, ocr, device, kind=f"engine_{kind}", **options) for kind, model in ocr.readers.items()
        }
        self._places = asyncio.Semaphore(ocr.max_ongoing)  # for the crops of pages
        self._sequence_tokens = float(min(first.reader.longest, USUAL_TOKENS))  # of one, prompt and output
        self._num_ended = 0
        self._step_documents = Histogram("pagemill_engine_step_documents", "Documents that share a step.", SIZES)
        self._unreadable = Counter("pagemill_unreadable_lines", "Printed lines that OCR was too unsure of.")
        self._second_lines = Counter("pagemill_second_reader_lines", "Printed lines taken from the second reader.")
        self._repetitions = Counter(
            "pagemill_ocr_repetitions", "Sequences that were ended because they repeated themselves."
        )
        self._backlog = Gauge("pagemill_engine_backlog_tokens", "Tokens still to compute for the current calls.")

    async def read(
        self,
        picture: np.ndarray,
        mode: OcrMode = "plain",
        *,
        label: str = "",
        cost: float | None = None,  # noqa: ARG002 # tokens to expect: of use to the router alone
        **read_options: Any,
    ) -> tuple[tuple[int, int], Reading]:
        """The size (width, height) of a crop and its text; `read_options`: further fields of `ReadOptions`.

        See RegionReader.read.
        """
        height, width = picture.shape[:2]
        return (width, height), await self._read(picture, ReadOptions(mode=mode, **read_options), label)

    async def read_crops(
        self,
        crops: Sequence[np.ndarray | IngestError],
        options: Sequence[ReadOptions],
        *,
        label: str = "",
        cost: float | None = None,  # noqa: ARG002 # of all of them, as in `read`
    ) -> AsyncGenerator[CropRead, None]:
        """What becomes of each crop of a page, in the order in which they are read; leaving the stream ends the others.

        A crop that cannot be read has an error in the place of its reading, as one has that could not be drawn. See
        RegionReader.read, and read_page for the kind WHOLE_PAGE: of a model that reads pages, which `about` tells.

        Raises:
            RendererUnavailable: nothing can be cut now.
        """
        reads = [
            asyncio.ensure_future(self._crop_read(index, crop, one, label))
            for index, (crop, one) in enumerate(zip(crops, options, strict=True))
        ]
        try:
            for read in asyncio.as_completed(reads):
                yield await read
        finally:
            for read in reads:
                read.cancel()
            await asyncio.gather(*reads, return_exceptions=True)

    async def direction(self, picture: np.ndarray, *, label: str = "") -> int:
        """Degrees clockwise that a page stands turned, by quarters; see RegionReader.direction."""
        return await self._model.reader.direction(picture, label=label)

    async def stream(
        self,
        picture: np.ndarray,
        mode: OcrMode = "plain",
        *,
        label: str = "",
        cost: float | None = None,  # noqa: ARG002 # as in `read`
        **read_options: Any,
    ) -> AsyncGenerator[str | Reading, None]:
        """The text of a crop as it is decoded, and last its reading; leaving the stream frees its decode slots."""
        options = ReadOptions(mode=mode, **read_options)
        async with contextlib.aclosing(self._reader_of(options).stream(picture, options, label=label)) as pieces:
            async for text in pieces:
                yield text

    async def about(self) -> dict[str, Any]:
        """The checkpoint, its family, profile and route, the engine's state, and the same of the readers by kind."""
        readers = {kind: model.about() for kind, model in self._by_kind.items()}
        return {**self._model.about(), **({"readers": readers} if readers else {})}

    async def _crop_read(
        self, index: int, crop: np.ndarray | IngestError, options: ReadOptions, label: str
    ) -> CropRead:
        if isinstance(crop, IngestError):
            return CropRead(index, (0, 0), crop)
        height, width = crop.shape[:2]

        async def read() -> Reading | PageReading:
            if options.kind == WHOLE_PAGE:
                return await self._model.reader.read_page(crop, label=label)
            return await self._read(crop, options, label)

        async with self._places:
            try:
                result = await wait_while_busy(read, renderer_pauses_s=())
            except RendererUnavailable:
                raise
            except IngestError as error:
                result = error
        return CropRead(index, (width, height), result)

    async def _read(self, picture: np.ndarray, options: ReadOptions, label: str) -> Reading:
        reading = await self._reader_of(options).read(picture, options, label=label)
        self._count(reading)
        return reading

    def record_autoscaling_stats(self) -> dict[str, float]:
        """What `deployments.replicas.scaling` scales by: tokens still to compute."""
        self._observe_backlog()
        return {"tokens": self._backlog_tokens()}

    def record_routing_stats(self) -> dict[str, float]:
        """What `deployments.calls.routing` chooses by."""
        self._observe_backlog()
        return {"waiting_tokens": self._backlog_tokens()}

    def _backlog_tokens(self) -> float:
        return sum(model.reader.num_open for model in self._models()) * self._sequence_tokens

    def _observe_backlog(self) -> None:
        self._backlog.set(self._backlog_tokens())

    async def check_health(self) -> None:
        """Start the engines in the first check; raises when one is of no use any more: Serve replaces the replica."""
        for model in self._models():
            await model.served.check_health()

    def _models(self) -> list[OcrModel]:
        own = () if self._line_model is None else (self._line_model,)
        return [*own, self._model, *self._by_kind.values()]

    def _reader_of(self, options: ReadOptions) -> RegionReader:
        """Of the model for the kind of the region, if there is one."""
        return self._by_kind.get(READERS.get(options.kind or "", ""), self._model).reader

    def _note_end(self, ended: RequestStats) -> None:
        if ended.finish_reason is FinishReason.REPETITION:
            self._repetitions.inc()
        if ended.finish_reason in NORMAL_FINISH_REASONS:
            self._num_ended += 1
            newest = max(MIN_EMA_WEIGHT, 1 / self._num_ended)
            self._sequence_tokens += newest * (ended.num_prompt + ended.num_output - self._sequence_tokens)

    def _count(self, reading: Reading) -> None:
        num_second = sum(bool(line.reader) for line in (*reading.lines, *reading.unreadable))
        for counter, count in ((self._unreadable, len(reading.unreadable)), (self._second_lines, num_second)):
            if count:  # a counter takes no 0
                counter.inc(count)

    def _observe(self, step: StepStats) -> None:
        self._step_documents.observe(len(step.labels))
        self._observe_backlog()
