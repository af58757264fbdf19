"""Scores how well the words beside a place name a field, to choose among equal values."""

from __future__ import annotations

import re
from collections.abc import Sequence

from documents.matching.lines import PrintedLine
from documents.matching.work_budget import WorkBudget

WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_a-zA-Z]+|\d+")
LABEL_ABOVE_WEIGHT = 0.6  # weight of a label above a value; a label to its left weighs 1
EXTRA_WORD_PENALTY = 0.1  # penalty for each word of a label that the field's name lacks: "sub total" is no "total"
MAX_LABEL_CHARACTERS = 200  # a longer text has too many further words to be a label
SCORE_STEPS = 10  # steps of a `WorkBudget` that one score takes
STEPS_OF_NEIGHBOUR = 2
GAP = 1.5  # heights of a line between a label and what stands under it


class LabelIndex:
    """Labels stand before a value, to its left at the same height, or above it."""

    def __init__(self, lines: Sequence[PrintedLine], budget: WorkBudget | None = None) -> None:
        """With a `budget`, scores raise WorkBudgetSpent once it is spent."""
        self._lines = lines
        self._budget = budget
        self._beside: dict[int, list[tuple[frozenset[str], float]]] = {}
        self._names: dict[tuple[str, ...], tuple[frozenset[str], ...]] = {}
        self._pages: dict[int, list[PrintedLine]] = {}
        for line in lines:
            self._pages.setdefault(line.page, []).append(line)

    def score(self, line: int, start: int, names: Sequence[str]) -> float:
        """0..1 for a value at character `start` of a line; `names` are those of the field."""
        names_of_field = self._words_of(tuple(names))
        if self._budget is not None:
            self._budget.spend(SCORE_STEPS + len(names_of_field))
        if not names_of_field:
            return 0.0
        labels = self._labels_beside(line)
        before = self._lines[line].text[max(0, start - MAX_LABEL_CHARACTERS) : start]
        if before.strip():
            labels = [*labels, (words(before), 1.0)]
        return max((weight * _share(name, label) for label, weight in labels for name in names_of_field), default=0.0)

    def _words_of(self, names: tuple[str, ...]) -> tuple[frozenset[str], ...]:
        if names not in self._names:
            self._names[names] = tuple(name_words for name_words in map(words, names) if name_words)
        return self._names[names]

    def _labels_beside(self, line: int) -> list[tuple[frozenset[str], float]]:
        """The words of what may name any value of a line, each with its weight."""
        if line not in self._beside:
            own = self._lines[line]
            left, above = self._neighbours(own)
            labels = [(name, 1.0) for name in own.names]
            if left is not None:
                labels.append((left.text, 1.0))
            if above is not None:
                labels.append((above.text, LABEL_ABOVE_WEIGHT))
            self._beside[line] = [(words(text[-MAX_LABEL_CHARACTERS:]), weight) for text, weight in labels]
        return self._beside[line]

    def _neighbours(self, own: PrintedLine) -> tuple[PrintedLine | None, PrintedLine | None]:
        """The nearest line to the left that shares its height, and the nearest one above it."""
        left: PrintedLine | None = None
        above: PrintedLine | None = None
        if self._budget is not None:
            self._budget.spend(STEPS_OF_NEIGHBOUR * len(self._pages[own.page]))
        for other in self._pages[own.page]:
            if other is own:
                continue
            if (
                own.box.overlap_y(other.box) > 0.5 * min(own.box.height, other.box.height)
                and other.box.x1 <= own.box.x0 + own.box.height
            ):
                if left is None or other.box.x1 > left.box.x1:
                    left = other
            elif (
                0 <= own.box.y0 - other.box.y1 + own.box.height / 2 <= GAP * own.box.height
                and own.box.overlap_x(other.box) > 0
                and (above is None or other.box.y1 > above.box.y1)
            ):
                above = other
        return left, above


def words(name: str) -> frozenset[str]:
    """Of a name or label: `invoiceDate`, `invoice_date` and `Invoice date:` are the same."""
    return frozenset(word.casefold() for word in WORD.findall(name))


def similarity(name: str, label: str) -> float:
    """0..1: the share of a name's words that a label says, less for each word that it says beside."""
    name_words = words(name)
    return _share(name_words, words(label)) if name_words else 0.0


def _share(name_words: frozenset[str], label: frozenset[str]) -> float:
    shared = len(name_words & label) / len(name_words)
    return max(0.0, shared - EXTRA_WORD_PENALTY * len(label - name_words)) if shared else 0.0
