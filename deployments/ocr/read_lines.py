"""What the sequences of a crop say, as lines of which each is as sure as its words; doubtful words are no text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from batching import Completion, FinishReason
from documents.ocr_input.confidence import Calibration, ReadPart, line_confidence
from documents.ocr_input.repetition import without_runaway
from documents.ocr_input.strips import Strip
from documents.values import BoundingBox, PageWarning, Reading, ReadLine

REPEATED = PageWarning(code="repetition_cut", message="OCR repeated itself; the repeated text is kept once")
CUT = (FinishReason.LENGTH, FinishReason.REPETITION)
DIGITS = 3  # of a confidence
LEAST_SURE = 0.5  # of a line's letters, that stand in sure words: of one with fewer nothing is text


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
    lines = [piece.line(parts, calibration) for piece, parts in zip(pieces, done, strict=True)]
    was_cut = any(shown(part) != part.text.strip() for parts in done for part in parts)
    num_tokens = sum(len(part.token_ids) for parts in done for part in parts)
    reading = Reading(text="", reader=reader, num_tokens=num_tokens, warnings=tuple(warnings))
    if was_cut:
        reading = reading.model_copy(update={"warnings": (*reading.warnings, REPEATED)})
    return _with_lines(reading, [line for line in lines if line.text], ())


def sorted_out(reading: Reading, least_confidence: float) -> Reading:
    """The reading with words that are so sure as its text; the others are its unreadable lines."""
    parted = [_parted(line, least_confidence) for line in reading.lines]
    lines = [line for line, _ in parted if line is not None]
    return _with_lines(reading, lines, [words for _, unreadable in parted for words in unreadable])


def _parted(line: ReadLine, least_confidence: float) -> tuple[ReadLine | None, list[ReadLine]]:
    """The line by its sure words, and runs of its doubtful ones; as a whole the latter if few letters are sure."""
    words = line.text.split()
    if len(words) != len(line.word_confidences):
        return (line, []) if line.confidence >= least_confidence else (None, [line])
    sure = [confidence >= least_confidence for confidence in line.word_confidences]
    if all(sure):
        return line, []
    num_sure = sum(len(word) for word, is_sure in zip(words, sure, strict=True) if is_sure)
    if num_sure < LEAST_SURE * sum(map(len, words)):
        return None, [line]
    runs = [list(run) for is_sure, run in groupby(range(len(words)), lambda k: sure[k]) if not is_sure]
    sure_words = [k for k in range(len(words)) if sure[k]]
    return _words_of(line, words, sure_words), [_words_of(line, words, run) for run in runs]


def _words_of(line: ReadLine, words: Sequence[str], indices: Sequence[int]) -> ReadLine:
    """Some words of a line, in the box of the line where it does not tell theirs."""
    sure = tuple(line.word_confidences[k] for k in indices)
    boxes = [line.words[k] for k in indices] if line.words else []
    update = {
        "text": " ".join(words[k] for k in indices),
        "box": BoundingBox.around(boxes) if boxes else line.box,
        "words": tuple(boxes),
        "confidence": line_confidence([(words[k], line.word_confidences[k]) for k in indices]),
        "word_confidences": sure,
    }
    return line.model_copy(update=update)


def _with_lines(reading: Reading, lines: Sequence[ReadLine], unreadable: Sequence[ReadLine]) -> Reading:
    length = sum(len(line.text) for line in lines)
    sure = round(sum(len(line.text) * line.confidence for line in lines) / length, DIGITS) if length else None
    update = {
        "text": "\n".join(line.text for line in lines),
        "lines": tuple(lines),
        "unreadable": tuple(unreadable),
        "confidence": sure,
    }
    return reading.model_copy(update=update)


def shown(part: Completion) -> str:
    """What a sequence read; of one that ran away, what it repeats once."""
    text = part.text.strip()
    return without_runaway(text) if part.finish_reason in CUT else text


def mean_probability(parts: Sequence[Completion]) -> float | None:
    """exp of the mean log-probability of all tokens: 0..1, None without tokens.

    Rounded far above what a product of matrices loses: its last bits depend on how many sequences share a step.
    """
    count = sum(len(part.token_ids) for part in parts)
    if not count:
        return None
    return round(math.exp(sum((part.mean_logprob or 0.0) * len(part.token_ids) for part in parts) / count), DIGITS)
