"""Searches a text in lines regardless of line breaks, hyphens and spaces."""

from __future__ import annotations

import bisect
import unicodedata
from collections.abc import Iterator, Sequence

from documents.matching.work_budget import WorkBudget

DIGIT_GAP = "\x00"  # separates two digits that do not stand together: 1.5 is not 15


class WordStream:
    """Letters and digits alone, without case; each knows its line and its character there."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._places: list[tuple[int, int]] = []  # of each character: line, character of its text
        self._borders: list[int] = []  # places in the stream where a word begins or the stream ends
        characters: list[str] = []
        for line, text in enumerate(texts):
            apart = True
            for index, character in enumerate(text):
                letters = plain(character)
                if not letters:
                    apart = True
                    continue
                if apart:
                    if characters and characters[-1].isdigit() and letters[0].isdigit():
                        characters.append(DIGIT_GAP)
                        self._places.append((line, index))
                    self._borders.append(len(characters))
                    apart = False
                elif characters[-1].isdigit() != letters[0].isdigit():
                    self._borders.append(len(characters))
                characters += letters
                self._places += [(line, index)] * len(letters)
        self._borders.append(len(characters))
        self._text = "".join(characters)

    def find(self, text: str, budget: WorkBudget | None = None) -> Iterator[list[tuple[int, int, int]]]:
        """Each place of a text: of each of its lines, the line and its characters from .. to.

        Raises WorkBudgetSpent.
        """
        target = WordStream([text])._text
        at = self._text.find(target) if target else -1
        while at >= 0:
            if budget is not None:
                budget.spend(1)
            if self._is_border(at) and self._is_border(at + len(target)):
                if budget is not None:
                    budget.spend(len(target))
                yield self._parts(at, at + len(target))
            at = self._text.find(target, at + 1)

    def _is_border(self, at: int) -> bool:
        if at < len(self._text) and self._text[at] == DIGIT_GAP:
            return True
        place = bisect.bisect_left(self._borders, at)
        return place < len(self._borders) and self._borders[place] == at

    def _parts(self, start: int, end: int) -> list[tuple[int, int, int]]:
        parts: list[tuple[int, int, int]] = []
        for place in range(start, end):
            if self._text[place] == DIGIT_GAP:
                continue
            line, at = self._places[place]
            if parts and parts[-1][0] == line:
                parts[-1] = line, parts[-1][1], at + 1
            else:
                parts.append((line, at, at + 1))
        return parts


def plain(character: str) -> str:
    """Its letters and digits without case and compatibility forms; nothing for anything else."""
    folded = unicodedata.normalize("NFKC", character).casefold()
    return "".join(character for character in folded if character.isalnum())
