"""Reads one crop with the OCR model: whole or line by line, streamed or not; also a whole page, or its direction."""

from __future__ import annotations

import asyncio
import collections
import contextlib
import dataclasses
from collections.abc import AsyncGenerator, Iterator, Sequence
from typing import Any

import numpy as np

from batching import Completion, Engine, EngineFull, PromptTooLong, Request, RequestFailed
from batching.inputs.reading_config import ReadingConfig
from batching.requests.sampling_params import RepetitionLimit, SamplingParams
from batching.token_stream import TokenStream
from configs.reading_profiles import ReadingProfile
from deployments.errors import Busy
from deployments.ocr.answer_parsing import page_of_answer, with_answer
from deployments.ocr.digit_looks import LineReader, page_with_looks, with_looks
from deployments.ocr.line_cutter import Cut, cut_here
from deployments.ocr.recognized_lines import Piece, mean_probability, reading_of
from deployments.ocr.second_reader import SecondReader, read_again
from deployments.ocr.unreadable_words import without_unreadable_words
from deployments.values.read_options import (
    PLAIN_OPTIONS,
    ColorUnavailable,
    PatchesUnavailable,
    PictureTooLarge,
    ReadOptions,
    RegionUnread,
)
from documents.boxes import BoundingBox
from documents.draft.whole_page_reading import PageReading
from documents.errors import RegionTooDense
from documents.ocr_input.word_confidence import Calibration
from documents.straighten.page_orientation import (
    MAX_TOKENS,
    MIN_SURE_CONFIDENCE,
    NUM_EXTRA_SAMPLES,
    NUM_SAMPLES,
    ORIENTATIONS,
    legibility,
    sample_lines,
    upright_angle,
)
from documents.values import OcrMode, PageWarning, Reading, ReadLine

NO_CALIBRATION = Calibration(threshold=0.0)  # every confidence is accepted
EMPTY_IMAGE = np.full((1, 1, 3), 255, np.uint8)


class RegionReader:
    """Reads through one engine, a window of sequences at a time; whatever ends a read early aborts them."""

    def __init__(
        self,
        engine: Engine,
        reading: ReadingConfig,
        name: str,
        *,
        max_tokens: int,
        window: int,
        calibration: Calibration = NO_CALIBRATION,
        repetition: RepetitionLimit | None = None,
        second: SecondReader | None = None,
        doubtful: float = 0.0,
        profile: ReadingProfile | None = None,
        cut: Cut = cut_here,
        line_reader: LineReader | None = None,
        prove_digits: bool = True,
    ) -> None:
        """`second` reads lines of which the checkpoint is less sure than `doubtful`, too.

        `profile` is that of any image-text model but GOT-OCR2. `line_reader` looks again at digits that a model of
        regions or pages wrote; one of lines does that itself. Without `prove_digits` nobody does.
        """
        self._profile = profile
        self._proves_digits = prove_digits
        self._line_reader = self if reading.unit == "strip" else line_reader
        self._engine = engine
        self._reading = reading
        self._name = name
        self._calibration = calibration
        self._second = second
        self._doubtful = doubtful
        self._repetition = repetition if reading.unit == "strip" or profile else None  # a region may well repeat itself
        self._max_tokens = min(max_tokens, reading.max_tokens)
        self._window = window
        self._cut = cut
        self.num_open = 0  # sequences that calls still want; only a window of each call's is in the engine

    @property
    def longest(self) -> int:
        """Tokens that one sequence may give."""
        return self._max_tokens

    async def read(self, picture: np.ndarray, options: ReadOptions = PLAIN_OPTIONS, *, label: str = "") -> Reading:
        """The text of a crop (uint8, height x width x 3, RGB), lines from the top.

        Raises:
            Busy: the engine's waiting list is full.
            ColorUnavailable, PatchesUnavailable: the checkpoint reads lines, which have neither.
            RegionTooDense: the crop falls into more pieces than anything printed does, or its patches do not fit.
            PictureTooLarge: its tokens do not fit.
            RegionUnread: it cannot be cut, or the model cannot take it.
            RendererUnavailable: nothing can be cut now.
        """
        pieces, done = await self._done(picture, options, label)
        return await self._reading_of(picture, pieces, done, options, label)

    async def read_page(self, picture: np.ndarray, *, label: str = "") -> PageReading:
        """A whole page, by a model whose profile has that unit. Raises as `read`."""
        assert self._profile is not None
        pieces, done = await self._done(picture, PLAIN_OPTIONS, label)
        reading = reading_of(pieces, done, reader=self._name, calibration=self._calibration)
        form = self._profile.answer_of("text")
        page = await asyncio.to_thread(page_of_answer, reading, form, self._calibration.threshold)
        return await page_with_looks(page, picture, self._line_reader, label=label) if self._proves_digits else page

    async def lines(self, picture: np.ndarray, within: Sequence[BoundingBox] | None, label: str) -> Sequence[ReadLine]:
        """See LineReader; of a checkpoint that reads lines. Raises as `read`."""
        height, width = picture.shape[:2]
        shares = None if within is None else tuple(box.scaled(1 / width, 1 / height) for box in within)
        pieces, done = await self._done(picture, ReadOptions(lines=shares), label)
        reading = reading_of(pieces, done, reader=self._name, calibration=self._calibration)
        return without_unreadable_words(reading, self._calibration.threshold).lines

    async def _done(
        self, picture: np.ndarray, options: ReadOptions, label: str
    ) -> tuple[list[Piece], list[list[Completion]]]:
        """The pieces of a crop, and the completions of the sequences of each."""
        pieces = await self._pieces(picture, options)
        done: list[list[Completion]] = [[] for _ in pieces]
        count = 0
        async with contextlib.aclosing(self._streams(pieces, options, label)) as streams:
            async for index, sequence in streams:
                with self._region_errors():
                    done[index].append(await sequence.result())
                count += len(done[index][-1].token_ids)
                if options.max_tokens is not None and count >= options.max_tokens:
                    break
        return pieces, done

    async def _reading_of(
        self, picture: np.ndarray, pieces: list[Piece], done: list[list[Completion]], options: ReadOptions, label: str
    ) -> Reading:
        reading = reading_of(
            pieces, done, reader=self._name, calibration=self._calibration, warnings=self._warnings(options.mode)
        )
        if self._profile is not None:
            reading = with_answer(reading, self._profile.answer_of(self._profile.task_of(options.kind)))
        if self._second is not None and self._reading.unit == "strip":
            reading = await read_again(reading, picture, self._second, doubtful=self._doubtful)
        reading = without_unreadable_words(reading, self._calibration.threshold)
        if not self._proves_digits:
            return reading
        printed = [piece.box for piece in pieces] if self._reading.unit == "strip" else None
        return await with_looks(reading, picture, self._line_reader, printed=printed, label=label)

    async def stream(
        self, picture: np.ndarray, options: ReadOptions = PLAIN_OPTIONS, *, label: str = ""
    ) -> AsyncGenerator[str | Reading, None]:
        """The text piece by piece as it is decoded, and last what `read` gives, in which repetitions are cut."""
        pieces = await self._pieces(picture, options)
        done: list[list[Completion]] = [[] for _ in pieces]
        count, last, between = 0, -1, ""
        async with contextlib.aclosing(self._streams(pieces, options, label)) as streams:
            async for index, sequence in streams:
                if last >= 0:
                    between = between or ("\n" if index != last else " ")
                with self._region_errors():
                    async for delta in sequence:
                        count += len(delta.token_ids)
                        if delta.text:
                            yield between + delta.text
                            last, between = index, ""
                done[index].append(await sequence.result())
                if options.max_tokens is not None and count >= options.max_tokens:
                    break
        yield await self._reading_of(picture, pieces, done, options, label)

    async def direction(self, picture: np.ndarray, *, label: str = "") -> int:
        """Degrees clockwise that a page (uint8, height x width x 3) whose lines run level or upright stands turned.

        Raises:
            Busy: the engine's waiting list is full.
        """
        samples = await self._samples(picture, NUM_SAMPLES, label)
        if legibility(samples, len(samples)) >= MIN_SURE_CONFIDENCE:
            return 0
        sure: dict[int, float] = {}
        num_level = 0
        for way in ORIENTATIONS:
            turned = np.ascontiguousarray(np.rot90(picture, way // 90))
            samples = await self._samples(turned, NUM_EXTRA_SAMPLES, label)
            num_level = num_level or len(samples)
            sure[way] = legibility(samples, num_level)
            if sure[way] >= MIN_SURE_CONFIDENCE:
                return way
        return upright_angle(sure)

    async def _samples(self, picture: np.ndarray, count: int, label: str) -> list[tuple[str, float]]:
        """What at most `count` lines of a picture are read as, each with its mean probability."""
        squares = tuple(await asyncio.to_thread(sample_lines, picture, count))
        piece = Piece(BoundingBox(x0=0, y0=0, x1=0, y1=0), squares)
        options = ReadOptions(max_tokens=MAX_TOKENS * max(1, len(squares)))
        async with contextlib.aclosing(self._streams([piece], options, label, MAX_TOKENS)) as streams:
            completions = [await sequence.result() async for _, sequence in streams]
        return [(completion.text, mean_probability([completion]) or 0.0) for completion in completions]

    async def _pieces(self, picture: np.ndarray, options: ReadOptions) -> list[Piece]:
        height, width = picture.shape[:2]
        if self._reading.unit == "region" and self._profile is None:
            return [Piece(BoundingBox(x0=0, y0=0, x1=width, y1=height), (picture,))]
        if options.crop_to_patches:
            raise PatchesUnavailable(f"{self._name} does not read a picture in patches")
        if options.color is not None:
            raise ColorUnavailable(f"{self._name} does not support colour frames")
        x0, y0, x1, y1 = (max(0, round(edge)) for edge in options.box or (0, 0, width, height))
        if self._profile is not None:
            return [Piece(BoundingBox(x0=x0, y0=y0, x1=x1, y1=y1), (np.ascontiguousarray(picture[y0:y1, x0:x1]),))]
        lines = options.lines and [line.scaled(x1 - x0, y1 - y0) for line in options.lines]
        strips = await self._cut(picture[y0:y1, x0:x1], lines)
        return [Piece(strip.box.shifted(x0, y0), strip.squares, strip) for strip in strips]

    async def _streams(
        self, pieces: list[Piece], options: ReadOptions, label: str, longest: int | None = None
    ) -> AsyncGenerator[tuple[int, TokenStream], None]:
        """The sequences in order, each with the index of its piece; never more than the window are in the engine."""
        limit = min(longest or self._max_tokens, options.max_tokens or self._max_tokens, self._max_tokens)
        request = Request(
            image=EMPTY_IMAGE,
            mode=self._mode(options),
            box=options.box if self._reading.unit == "region" and self._profile is None else None,
            color=options.color,
            crop_to_patches=options.crop_to_patches,
            max_crops=options.max_patches,
            sampling=SamplingParams(max_tokens=limit, repetition=self._repetition),
            label=label,
        )
        waiting = collections.deque(
            (index, picture) for index, piece in enumerate(pieces) for picture in piece.pictures
        )
        begun: collections.deque[tuple[int, TokenStream]] = collections.deque()
        self.num_open += len(waiting)
        try:
            while waiting or begun:
                while waiting and len(begun) < self._window:
                    index, picture = waiting[0]
                    try:
                        with self._region_errors():
                            begun.append((index, self._engine.submit(dataclasses.replace(request, image=picture))))
                    except EngineFull as error:
                        if not begun:
                            raise Busy(str(error)) from None
                        break  # go on with those that are in
                    waiting.popleft()
                yield begun[0]
                begun.popleft()
                self.num_open -= 1
        finally:
            self.num_open -= len(waiting) + len(begun)
            for _, sequence in begun:
                sequence.abort()

    @contextlib.contextmanager
    def _region_errors(self) -> Iterator[None]:
        """Of a general model the length of a prompt shows only when its picture is resized, after `submit`.

        A picture that its processor refuses (a rule 300 times as long as high) is that region's failure alone.
        """
        try:
            yield
        except PromptTooLong as error:
            raise (RegionTooDense if self._profile is None else PictureTooLarge)(str(error)) from None
        except RequestFailed as error:
            raise RegionUnread(str(error)) from error

    def _mode(self, options: ReadOptions) -> str:
        """As the engine knows it."""
        if self._profile is not None:
            return self._profile.task_of(options.kind)
        return options.mode if options.mode in self._reading.modes else "plain"

    def _warnings(self, mode: OcrMode) -> tuple[PageWarning, ...]:
        if self._profile is not None or mode in self._reading.modes:
            return ()
        return (PageWarning(code="format_unavailable", message=f"{self._name} reads plain text only"),)


def repetition_limit(tokenizer: Any) -> RepetitionLimit:
    """When a line's reader has run away: rows of dots, dashes and equal figures are printed so, words are not."""
    wordless = (token_id for token_id in range(len(tokenizer)) if not _has_letter(tokenizer, token_id))
    return RepetitionLimit(ignored_token_ids=frozenset(wordless))


def _has_letter(tokenizer: Any, token_id: int) -> bool:
    return any(sign.isalpha() for sign in tokenizer.decode([token_id], skip_special_tokens=True))
