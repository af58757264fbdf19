"""Decides which words are unreadable: those less sure than `ocr.min_word_confidence` are left out of the text."""

from __future__ import annotations

from itertools import groupby

from deployments.ocr.line_parts import words_of
from documents.values import Reading, ReadLine

MIN_SURE_SHARE = 0.5  # share of a line's letters in sure words; below it nothing of the line is text


def without_unreadable_words(reading: Reading, min_word_confidence: float) -> Reading:
    """The reading with words that are so sure as its text; the others are its unreadable lines."""
    split_lines = [_parted(line, min_word_confidence) for line in reading.lines]
    lines = [line for line, _ in split_lines if line is not None]
    return reading.with_lines(lines, [words for _, unreadable in split_lines for words in unreadable])


def _parted(line: ReadLine, min_word_confidence: float) -> tuple[ReadLine | None, list[ReadLine]]:
    """The line by its sure words, and runs of its doubtful ones; as a whole the latter if few letters are sure."""
    words = line.text.split()
    if len(words) != len(line.word_confidences):
        return (line, []) if line.confidence >= min_word_confidence else (None, [line])
    sure = [confidence >= min_word_confidence for confidence in line.word_confidences]
    if all(sure):
        return line, []
    num_sure = sum(len(word) for word, is_sure in zip(words, sure, strict=True) if is_sure)
    if num_sure < MIN_SURE_SHARE * sum(map(len, words)):
        return None, [line]
    runs = [list(run) for is_sure, run in groupby(range(len(words)), lambda k: sure[k]) if not is_sure]
    sure_words = [k for k in range(len(words)) if sure[k]]
    return words_of(line, sure_words), [words_of(line, run) for run in runs]
