"""Reads lines below `ocr.warning_confidence` again with Tesseract (`ocr.second_reader`), keeping the surer one."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from PIL import Image

from documents.boxes import BoundingBox
from documents.ocr_input.tesseract import NAME, ReadWord
from documents.ocr_input.word_confidence import line_confidence
from documents.values import Reading, ReadLine

MARGIN = 0.2  # around a line, as a fraction of its height
MIN_CONFIDENCE_GAIN = 0.1  # the second reader must be more confident than the first by this much


class SecondReader(Protocol):
    """Reads pictures of lines."""

    async def read(self, lines: Sequence[np.ndarray]) -> list[tuple[ReadWord, ...]]:
        """The words of each line, uint8 (height, width)."""
        ...


async def read_again(reading: Reading, picture: np.ndarray, second: SecondReader, *, doubtful: float) -> Reading:
    """The reading of a picture, uint8 (height, width, 3), its lines below `doubtful` read by `second`, too."""
    again = [line for line in reading.lines if line.confidence < doubtful]
    if not again:
        return reading
    parts = await asyncio.to_thread(lambda: [_part(picture, line.box) for line in again])
    words = await second.read(parts)
    replacements = {line: _surer(line, words_again) for line, words_again in zip(again, words, strict=True)}
    return reading.model_copy(update={"lines": tuple(replacements.get(line, line) for line in reading.lines)})


def _surer(line: ReadLine, words: Sequence[ReadWord]) -> ReadLine:
    confidence = line_confidence([(word.text, word.confidence) for word in words])
    if confidence < line.confidence + MIN_CONFIDENCE_GAIN:
        return line
    text = " ".join(word.text for word in words)
    sure = tuple(word.confidence for word in words)
    return ReadLine(text=text, box=line.box, confidence=confidence, word_confidences=sure, reader=NAME)


def _part(picture: np.ndarray, box: BoundingBox) -> np.ndarray:
    """The line's part of a picture with a margin, uint8 (height, width)."""
    margin = MARGIN * box.height
    y0, y1 = max(0, math.floor(box.y0 - margin)), math.ceil(box.y1 + margin)
    x0, x1 = max(0, math.floor(box.x0 - margin)), math.ceil(box.x1 + margin)
    return np.asarray(Image.fromarray(np.ascontiguousarray(picture[y0:y1, x0:x1])).convert("L"))
