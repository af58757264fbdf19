"""Finds the words that a mark on a page covers: a highlight, an underline, a strike-out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from documents.boxes import BoundingBox
from documents.inspection import TextLine, Word
from documents.page_index import PageIndex
from documents.text.running_text import join_lines, vocabulary

MIN_HEIGHT_SHARE = 0.4  # minimum share of a line's height that its mark covers: marks extend into the lines beside it
MIN_WORD_SHARE = 0.7  # if a mark covers this share of a word's width, it marks all its letters
MIN_STOPS_SHARE = 0.97  # the same including the punctuation behind the words
MAX_MARK_CHARACTERS = 20_000  # maximum length of one mark
MAX_WORDS = 300_000  # maximum number of words in lines that all marks of a page touch, once per part of a mark


class MarkedWords:
    """The lines of one page, whose words marks cover."""

    def __init__(self, lines: Sequence[TextLine]) -> None:
        self._lines = [line for line in lines if line.hidden is None and line.words]
        self._num_left = MAX_WORDS

    def under(self, parts: Sequence[BoundingBox]) -> str:
        """The words under the parts of one mark, in the order of the lines, as running text."""
        touched: dict[int, list[BoundingBox]] = {}
        for part in parts:
            if self._num_left <= 0:
                break
            for index in self._index.meeting(part):
                self._num_left -= len(self._lines[index].words)
                if self._num_left <= 0:
                    break
                if _is_meant(part, self._lines[index]):
                    touched.setdefault(index, []).append(part)
        text = ""
        for index in sorted(touched):
            marked = _marked(touched[index], self._lines[index])
            text = join_lines(text, marked, self._vocabulary) if text and marked else text or marked
            if len(text) > MAX_MARK_CHARACTERS:
                break
        return text[:MAX_MARK_CHARACTERS]

    @cached_property
    def _index(self) -> PageIndex:
        return PageIndex(line.box for line in self._lines)

    @cached_property
    def _vocabulary(self) -> frozenset[str]:
        return vocabulary(line.text for line in self._lines)


def _is_meant(part: BoundingBox, line: TextLine) -> bool:
    if line.angle % 180:
        return part.overlap_x(line.box) >= MIN_HEIGHT_SHARE * line.box.width
    return part.overlap_y(line.box) >= MIN_HEIGHT_SHARE * line.box.height


def _marked(parts: Sequence[BoundingBox], line: TextLine) -> str:
    text = ""
    for word in line.words:
        piece = next((piece for part in parts if (piece := _covered(part, word, line.angle))), "")
        if piece:
            text += (" " if word.spaced and text else "") + piece
    return text


def _covered(part: BoundingBox, word: Word, angle: int) -> str:
    """What a part covers of a word, by the share of its characters: how wide each is, nobody kept."""
    is_upright = bool(angle % 180)
    length = word.box.height if is_upright else word.box.width
    share = (part.overlap_y(word.box) if is_upright else part.overlap_x(word.box)) / length if length else 0.0
    if share >= MIN_STOPS_SHARE or (angle and share >= 0.5):  # of a turned line only whole words are meant
        return word.text
    if share <= 0 or angle:
        return ""
    pitch = word.box.width / len(word.text)
    start = max(0, round((part.x0 - word.box.x0) / pitch))
    end = max(0, round((part.x1 - word.box.x0) / pitch))
    letters = [k for k, character in enumerate(word.text) if character.isalnum()]
    if share >= MIN_WORD_SHARE and letters:
        start, end = min(start, letters[0]), max(end, letters[-1] + 1)
    return word.text[start:end]
