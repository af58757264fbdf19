"""Finds what is printed in place of a value that is not: a value of its kind by its label, or all but equal to it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from difflib import SequenceMatcher

from documents.matching.dates import dates_in
from documents.matching.labels import LabelIndex
from documents.matching.lines import PrintedLine
from documents.matching.numbers import numbers_in

MIN_LABEL = 0.75  # score of a label that names the field
MIN_SIMILARITY = 0.8  # of a name that is printed otherwise
MAX_LINES = 2000  # with which a name is compared
MAX_NAME = 200  # characters of a name that is compared
MIN_DIGITS = 2  # of an amount, without zeros before and behind it, for one that is taken to be near
DECIMALS = 4  # to which amounts are compared digit by digit
_CODE = re.compile(r"[\w][\w./-]*\d[\w./-]*")
Place = tuple[int, int, int]  # a line, and the characters of it from .. to


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A printed value, as text that is compared character by character, in all its readings."""

    place: Place
    forms: tuple[str, ...]


class PrintedRivals:
    """The amounts, dates and codes that the lines of one document print."""

    def __init__(self, lines: Sequence[PrintedLine], labels: LabelIndex) -> None:
        self._lines, self._labels = lines, labels
        self._dates = [
            _Candidate((at, printed.start, printed.end), tuple({day.isoformat() for day in printed.days.values()}))
            for at, line in enumerate(lines)
            for printed in dates_in(line.text)
        ]
        in_dates = {(at, k) for at, start, end in (one.place for one in self._dates) for k in range(start, end)}
        self._amounts = [
            _Candidate((at, number.start, number.end), tuple(_digits(value) for value in number.values))
            for at, line in enumerate(lines)
            for number in numbers_in(line.text)
            if (at, number.start) not in in_dates
        ]
        self._codes = [
            _Candidate((at, *match.span()), (match[0].casefold(),))
            for at, line in enumerate(lines)
            for match in _CODE.finditer(line.text)
        ]

    def of_amount(
        self, value: str, names: Sequence[str], taken: Collection[Place], rows: Collection[int]
    ) -> Place | None:
        """Of an amount that is printed nowhere; only of these lines where there are any.

        Places `taken` by other values come last: two fields often have one value, as the total and what is due.
        """
        candidates = [one for one in self._amounts if (one.place[0] in rows if rows else self._has_decimals(one))]
        free = [one for one in candidates if one.place not in taken]
        digits = _digits(Decimal(value))
        near = _near(free, digits)
        if near is None and len(digits.strip("0").replace(".", "")) >= MIN_DIGITS:
            near = _near(candidates, digits)
        return self._labelled(free, names) or near

    def of_date(
        self, value: date, names: Sequence[str], taken: Collection[Place], *, after: date | None = None
    ) -> Place | None:
        """Of a date that is printed nowhere, in the same way; without a label only a free one behind `after`.

        Dates that belong together, such as those of an invoice and its payment, are often one digit apart.
        """
        free = [one for one in self._dates if one.place not in taken]
        near = [one for one in free if after is None or max(one.forms) > after.isoformat()]
        near += [one for one in self._dates if self.is_labelled(one.place, names)]
        return self._labelled(free, names) or _near(near, value.isoformat())

    def of_text(self, value: str, names: Sequence[str], taken: Collection[Place]) -> Place | None:
        """Of a code with digits, or of a name, that is printed nowhere."""
        if _CODE.fullmatch(value):
            free = [one for one in self._codes if one.place not in taken]
            return _near(free, value.casefold()) or self._labelled(free, names)
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
        target = value.casefold()[:MAX_NAME]
        letters = _letters(target)
        matcher = SequenceMatcher(b=target, autojunk=False)
        for at, line in enumerate(self._lines[:MAX_LINES]):
            text = line.text.casefold()
            if abs(len(text) - len(target)) > 0.4 * len(target) or len(text) > 2 * MAX_NAME:
                continue
            if _letters(text) in letters or letters in _letters(text):  # a part of it, as a name without its title
                continue
            matcher.set_seq1(text)
            if matcher.real_quick_ratio() >= MIN_SIMILARITY and matcher.quick_ratio() >= MIN_SIMILARITY:
                ratio = matcher.ratio()
                if ratio >= MIN_SIMILARITY and (best is None or ratio > best[0]):
                    best = ratio, (at, 0, len(line.text))
        return None if best is None else best[1]


def _near(candidates: Sequence[_Candidate], target: str) -> Place | None:
    """The first value that differs in one character."""
    for candidate in candidates:
        if any(_differing(form, target) == 1 for form in candidate.forms):
            return candidate.place
    return None


def _differing(one: str, other: str) -> int:
    return sum(a != b for a, b in zip(one, other, strict=True)) if len(one) == len(other) else len(other)


def _letters(text: str) -> str:
    return "".join(letter for letter in text if letter.isalnum())


def _digits(value: Decimal) -> str:
    """An amount as digits that are compared one by one."""
    return f"{abs(value):.{DECIMALS}f}"
