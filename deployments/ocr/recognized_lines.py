"""Turns what the model generated for a crop into lines of text with words, boxes and confidences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from batching import Completion, FinishReason
from deployments.ocr.line_parts import parted_at_gaps
from documents.boxes import BoundingBox
from documents.ocr_input.line_strips import Strip
from documents.ocr_input.runaway_repetition import without_runaway
from documents.ocr_input.word_confidence import Calibration, ReadPart, line_confidence
from documents.values import PageWarning, Reading, ReadLine

REPETITION_WARNING = PageWarning(code="repetition_cut", message="OCR repeated itself; the repeated text is kept once")
TRUNCATION_REASONS = (FinishReason.LENGTH, FinishReason.REPETITION)
CONFIDENCE_DIGITS = 3  # decimal places of a confidence


@dataclass(frozen=True, slots=True)
class Piece:
    """What becomes one line of a reading: its place in the crop, and the pictures of its sequences in order."""

    box: BoundingBox
    pictures: tuple[np.ndarray, ...]
    strip: Strip | None = None  # of a line: knows where its words stand

    def line(self, completions: Sequence[Completion], calibration: Calibration) -> ReadLine:
        """Its line; of sequences that were not read any more nothing is in it."""
        parts = [self._part(k, completion) for k, completion in enumerate(completions)]
        text = " ".join(part.text for part in parts).strip()
        sure = tuple(value for part in parts for value in calibration.words(part))
        x, y = (self.box.x0 - self.strip.box.x0, self.box.y0 - self.strip.box.y0) if self.strip else (0, 0)
        words = tuple(word.shifted(x, y) for word in self.strip.words(text)) if self.strip else ()
        confidence = line_confidence(list(zip(text.split(), sure, strict=True)))
        return ReadLine(text=text, box=self.box, words=words, confidence=confidence, word_confidences=sure)

    def _part(self, index: int, completion: Completion) -> ReadPart:
        width, height = self.strip.sizes[index] if self.strip else (0, 0)
        logprobs = completion.token_logprobs
        if completion.finish_reason is FinishReason.STOP:  # the last one is no letter
            logprobs = logprobs[:-1]
        text = shown(completion)
        if len(logprobs) == len(completion.text):
            start = completion.text.index(text) if text else 0
            logprobs = logprobs[start : start + len(text)]
        return ReadPart(
            text=text,
            logprobs=logprobs,
            height=height,
            width=width,
            is_cut=completion.finish_reason is FinishReason.REPETITION,
        )


def reading_of(
    pieces: Sequence[Piece],
    done: Sequence[Sequence[Completion]],
    *,
    reader: str,
    calibration: Calibration,
    warnings: Sequence[PageWarning] = (),
) -> Reading:
    """Of the completions of each piece's sequences: all lines that say anything, however sure they are."""
    whole = [piece.line(parts, calibration) for piece, parts in zip(pieces, done, strict=True)]
    lines = [part for line in whole for part in parted_at_gaps(line)]
    was_cut = any(shown(part) != part.text.strip() for parts in done for part in parts)
    num_tokens = sum(len(part.token_ids) for parts in done for part in parts)
    reading = Reading(text="", reader=reader, num_tokens=num_tokens, warnings=tuple(warnings))
    if was_cut:
        reading = reading.model_copy(update={"warnings": (*reading.warnings, REPETITION_WARNING)})
    return reading.with_lines([line for line in lines if line.text], ())


def shown(part: Completion) -> str:
    """What a sequence read; of one that ran away, what it repeats once."""
    text = part.text.strip()
    return without_runaway(text) if part.finish_reason in TRUNCATION_REASONS else text


def mean_probability(parts: Sequence[Completion]) -> float | None:
    """exp of the mean log-probability of all tokens: 0..1, None without tokens.

    Rounded far above what a product of matrices loses: its last bits depend on how many sequences share a step.
    """
    count = sum(len(part.token_ids) for part in parts)
    if not count:
        return None
    return round(
        math.exp(sum((part.mean_logprob or 0.0) * len(part.token_ids) for part in parts) / count), CONFIDENCE_DIGITS
    )
