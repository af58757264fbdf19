"""Finds what is printed in place of a value that is not: a value of its kind by its label, or all but equal to it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from difflib import SequenceMatcher
from typing import TypeVar

from documents.matching.dates import dates_in
from documents.matching.labels import LabelIndex
from documents.matching.lines import PrintedLine
from documents.matching.numbers import numbers_in
from documents.matching.work_budget import WorkBudget, WorkBudgetSpent

V = TypeVar("V")

MIN_LABEL = 0.75  # score of a label that names the field
MIN_SIMILARITY = 0.8  # minimum similarity of a name that is printed differently
MAX_NAME_CHARACTERS = 200  # maximum length of a name that is compared
MAX_VALUES = 20_000  # amounts, dates and codes of a document together
MIN_AMOUNT_DIGITS = 2  # minimum number of digits of another value of the invoice that differs in one digit
NUM_DECIMALS = 4  # amounts are compared digit by digit to this number of decimals
NAME_STEPS = 20  # steps of a `WorkBudget` for a line about as long as a name
_CODE = re.compile(r"\w[\w./-]*")  # letters and digits with a digit behind the first character
Place = tuple[int, int, int]  # a line, and the characters of it from .. to


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A printed value, as text that is compared character by character, in all its readings."""

    place: Place
    forms: tuple[str, ...]


class PrintedRivals:
    """The amounts, dates and codes that the lines of one document print; all calls raise WorkBudgetSpent."""

    def __init__(self, lines: Sequence[PrintedLine], labels: LabelIndex, budget: WorkBudget) -> None:
        self._lines = lines
        self._labels = labels
        self._budget = budget
        self._num_values = 0
        self._dates = [
            _Candidate((index, printed.start, printed.end), tuple({day.isoformat() for day in printed.days.values()}))
            for index, line in enumerate(lines)
            for printed in self._counted(dates_in(line.text))
        ]
        in_dates = {(index, k) for index, start, end in (one.place for one in self._dates) for k in range(start, end)}
        self._amounts = [
            _Candidate((index, number.start, number.end), tuple(_digits(value) for value in number.values))
            for index, line in enumerate(lines)
            for number in self._counted(numbers_in(line.text))
            if (index, number.start) not in in_dates
        ]
        self._codes = [
            _Candidate((index, *match.span()), (match[0].casefold(),))
            for index, line in enumerate(lines)
            for match in self._counted(match for match in _CODE.finditer(line.text) if _has_digit(match[0]))
        ]
        self._amounts_of_lines: dict[int, list[_Candidate]] = {}
        for candidate in self._amounts:
            self._amounts_of_lines.setdefault(candidate.place[0], []).append(candidate)
        self._texts = [(text := line.text.casefold(), _letters(text)) for line in lines]

    def _counted(self, values: Iterable[V]) -> Iterator[V]:
        """The values, unless they are more than are compared."""
        for value in values:
            self._num_values += 1
            if self._num_values > MAX_VALUES:
                raise WorkBudgetSpent
            yield value

    def of_amount(
        self, value: str, names: Sequence[str], taken: Collection[Place], rows: Collection[int]
    ) -> Place | None:
        """Of an amount that is printed nowhere; only of these lines where there are any.

        Places `taken` by other values come last: two fields often have one value, as the total and what is due.
        """
        if rows:
            candidates = [one for row in sorted(rows) for one in self._amounts_of_lines.get(row, ())]
        else:
            candidates = [one for one in self._amounts if self._has_decimals(one)]
        free = [one for one in candidates if one.place not in taken]
        digits = _digits(Decimal(value))
        labelled = self._labelled(free, names)
        if labelled is not None:
            return labelled
        near = self._near(free, digits)
        if near is None and len(digits.strip("0").replace(".", "")) >= MIN_AMOUNT_DIGITS:
            near = self._near(candidates, digits)
        return near

    def of_date(
        self, value: date, names: Sequence[str], taken: Collection[Place], *, after: date | None = None
    ) -> Place | None:
        """Of a date that is printed nowhere, in the same way; without a label only a free one behind `after`.

        Dates that belong together, such as those of an invoice and its payment, are often one digit apart.
        """
        free = [one for one in self._dates if one.place not in taken]
        near = [one for one in free if after is None or max(one.forms) > after.isoformat()]
        near += [one for one in self._dates if self.is_labelled(one.place, names)]
        return self._labelled(free, names) or self._near(near, value.isoformat())

    def of_text(self, value: str, names: Sequence[str], taken: Collection[Place]) -> Place | None:
        """Of a code with digits, or of a name, that is printed nowhere."""
        if _CODE.fullmatch(value) and _has_digit(value):
            free = [one for one in self._codes if one.place not in taken]
            return self._near(free, value.casefold()) or self._labelled(free, names)
        return self._similar(value)

    def labelled(self, value_kind: str, names: Sequence[str], taken: Collection[Place]) -> Place | None:
        """A free amount (`amount`) or date (`date`) that a label names."""
        candidates = self._dates if value_kind == "date" else self._amounts
        return self._labelled([one for one in candidates if one.place not in taken], names)

    def is_labelled(self, place: Place, names: Sequence[str]) -> bool:
        return self._labels.score(place[0], place[1], names) >= MIN_LABEL

    def _has_decimals(self, candidate: _Candidate) -> bool:
        line, start, end = candidate.place
        return any(mark in self._lines[line].text[start:end] for mark in ",.")

    def _labelled(self, candidates: Sequence[_Candidate], names: Sequence[str]) -> Place | None:
        scored = (
            [(self._labels.score(one.place[0], one.place[1], names), one.place) for one in candidates] if names else []
        )
        best = max(scored, default=(0.0, None), key=lambda pair: pair[0])
        return best[1] if best[0] >= MIN_LABEL else None

    def _similar(self, value: str) -> Place | None:
        """The line that is most like a name, if it is all but equal."""
        best: tuple[float, Place] | None = None
        target = value.casefold()[:MAX_NAME_CHARACTERS]
        letters = _letters(target)
        matcher = SequenceMatcher(b=target, autojunk=False)
        self._budget.spend(len(self._texts))
        for index, (text, letters_of_text) in enumerate(self._texts):
            if abs(len(text) - len(target)) > 0.4 * len(target) or len(text) > 2 * MAX_NAME_CHARACTERS:
                continue
            self._budget.spend(NAME_STEPS)
            if letters_of_text in letters or letters in letters_of_text:  # a part, as a name without its title
                continue
            matcher.set_seq1(text)
            if matcher.real_quick_ratio() >= MIN_SIMILARITY and matcher.quick_ratio() >= MIN_SIMILARITY:
                self._budget.spend(len(text) * len(target))
                ratio = matcher.ratio()
                if ratio >= MIN_SIMILARITY and (best is None or ratio > best[0]):
                    best = ratio, (index, 0, len(self._lines[index].text))
        return None if best is None else best[1]

    def _near(self, candidates: Sequence[_Candidate], target: str) -> Place | None:
        """The first value that differs in one character."""
        self._budget.spend(len(candidates))
        for candidate in candidates:
            if any(_differing(form, target) == 1 for form in candidate.forms):
                return candidate.place
        return None


def _has_digit(code: str) -> bool:
    return any(character.isdecimal() for character in code[1:])


def _differing(one: str, other: str) -> int:
    return sum(a != b for a, b in zip(one, other, strict=True)) if len(one) == len(other) else len(other)


def _letters(text: str) -> str:
    return "".join(letter for letter in text if letter.isalnum())


def _digits(value: Decimal) -> str:
    """An amount as digits that are compared one by one."""
    return f"{abs(value):.{NUM_DECIMALS}f}"
