"""RegionReader: one crop to its text, as the checkpoint reads: whole, or cut into lines, one sequence a piece."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import AsyncIterator
from dataclasses import dataclass

import numpy as np

from batching import Completion, Engine, EngineFull, Request, SamplingParams
from batching.reading import ReadingConfig
from batching.stream import TokenStream
from deployments.errors import Busy
from documents.strips import cut
from documents.values import BoundingBox, OcrMode, PageWarning, Reading, ReadLine


@dataclass(frozen=True, slots=True)
class Piece:
    """What becomes one line of a reading: its place in the crop, and the pictures of its sequences in order."""

    box: BoundingBox
    pictures: tuple[np.ndarray, ...]


class RegionReader:
    """Reads through one engine; whatever ends a read early aborts all its sequences."""

    def __init__(self, engine: Engine, reading: ReadingConfig, name: str, *, max_tokens: int) -> None:
        self._engine, self._reading, self._name = engine, reading, name
        self._max_tokens = max_tokens

    async def read(
        self, picture: np.ndarray, mode: OcrMode, *, label: str = "", max_tokens: int | None = None
    ) -> Reading:
        """The text of a crop (uint8, height x width x 3, RGB), lines from the top.

        Raises:
            Busy: the engine's waiting list is full.
        """
        pieces = await self._pieces(picture)
        lines: list[ReadLine] = []
        done: list[Completion] = []
        async with self._submitted(pieces, mode, label, max_tokens) as streams:
            for piece, of_piece in zip(pieces, streams, strict=True):
                parts = [await each.result() for each in of_piece]
                done += parts
                if text := " ".join(part.text.strip() for part in parts).strip():
                    lines.append(ReadLine(text=text, box=piece.box, confidence=confidence(parts) or 0.0))
        return Reading(
            text="\n".join(line.text for line in lines),
            lines=tuple(lines),
            confidence=confidence(done),
            reader=self._name,
            num_tokens=sum(len(each.token_ids) for each in done),
            warnings=self._warnings(mode),
        )

    async def stream(
        self, picture: np.ndarray, mode: OcrMode, *, label: str = "", max_tokens: int | None = None
    ) -> AsyncIterator[str]:
        """The same text as `read` gives, piece by piece as it is decoded."""
        pieces = await self._pieces(picture)
        async with self._submitted(pieces, mode, label, max_tokens) as streams:
            begun = False
            for of_piece in streams:
                between = "\n" if begun else ""
                for each in of_piece:
                    async for delta in each:
                        if delta.text:
                            yield between + delta.text
                            between, begun = "", True
                    between = between or (" " if begun else "")

    async def _pieces(self, picture: np.ndarray) -> list[Piece]:
        if self._reading.unit == "strip":
            strips = await asyncio.to_thread(cut, picture)
            return [Piece(strip.box, strip.squares) for strip in strips]
        height, width = picture.shape[:2]
        return [Piece(BoundingBox(x0=0, y0=0, x1=width, y1=height), (picture,))]

    @contextlib.asynccontextmanager
    async def _submitted(
        self, pieces: list[Piece], mode: OcrMode, label: str, max_tokens: int | None
    ) -> AsyncIterator[list[list[TokenStream]]]:
        """All sequences in the engine; those not finished when the block is left are aborted."""
        sampling = SamplingParams(max_tokens=min(max_tokens or self._max_tokens, self._reading.max_tokens))
        usable = mode if mode in self._reading.modes else "plain"
        streams: list[list[TokenStream]] = []
        try:
            for piece in pieces:
                streams.append([])
                for picture in piece.pictures:
                    request = Request(image=picture, mode=usable, sampling=sampling, label=label)
                    streams[-1].append(self._engine.submit(request))
            yield streams
        except EngineFull as error:
            raise Busy(str(error)) from None
        finally:
            for each in (stream for of_piece in streams for stream in of_piece):
                each.abort()

    def _warnings(self, mode: OcrMode) -> tuple[PageWarning, ...]:
        if mode in self._reading.modes:
            return ()
        return (PageWarning(code="format_unavailable", message=f"{self._name} reads plain text only"),)


def confidence(parts: list[Completion]) -> float | None:
    """exp of the mean log-probability of all tokens: 0..1, None without tokens."""
    count = sum(len(part.token_ids) for part in parts)
    if not count:
        return None
    return math.exp(sum((part.mean_logprob or 0.0) * len(part.token_ids) for part in parts) / count)
