"""Finds where on the pages an extracted value is printed: text, number, date or nothing."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from documents.boxes import NO_BOX, BoundingBox, Value
from documents.matching.dates import PrintedDate, date_in, dates_in
from documents.matching.labels import LabelIndex
from documents.matching.lines import PrintedLine
from documents.matching.numbers import PrintedNumber, amount_in, numbers_in
from documents.matching.words import WordStream, plain
from documents.matching.work_budget import WorkBudget
from documents.places import Place

MatchKind = Literal["exact", "normalised", "none"]
Scalar = str | int | float | bool | None
PERCENT = re.compile(r"\s?%")
PART_OF_DATE = re.compile(r"[/:]\d|-\d")
NEIGHBOURHOOD_CHARACTERS = 40  # the characters beside a number show whether it is part of a date, a code or a word
NUMBER_STEPS = 3  # steps of a `WorkBudget` that one number takes
CHARACTERS_PER_STEP = 10_000  # characters of a line that are compared as a whole in one step
MAX_PLACES = 200  # maximum number of places of one value that are compared: a digit may stand anywhere


class Leaf(Value):
    """A value of an extraction: its place in it, and the words that may stand beside it on paper."""

    path: tuple[str | int, ...]
    value: Scalar
    labels: tuple[str, ...] = ()  # such as the field's title; its name counts anyway


class Match(Value):
    """Where a value stands; without a place there are no boxes, and `match` is none."""

    match: MatchKind = "none"
    page: int | None = None
    boxes: tuple[BoundingBox, ...] = ()  # one for each line
    places: tuple[Place, ...] = ()  # one for each line, in a file without printed pages
    source_text: str | None = None  # as it is printed
    confidence: float | None = None  # that this text is what is printed: OCR's, 1.0 for a text layer
    unproved: bool = False  # OCR read digits of this text that no further look confirmed
    num_places: int = 0  # where it stands; the one is chosen by the words beside it


@dataclass(frozen=True, slots=True)
class Standing:
    """Parts of lines, each with the characters from .. to, that say a value."""

    parts: tuple[tuple[int, int, int], ...]
    exact: bool
    whole: bool = True  # not a piece of a date, a time or a code


class Matcher:
    """The lines of one document, indexed once."""

    def __init__(self, lines: Sequence[PrintedLine], budget: WorkBudget | None = None) -> None:
        """With a `budget`, standings and matches raise WorkBudgetSpent once it is spent."""
        self._lines = lines
        self._budget = budget
        self._stream = WordStream([line.text for line in lines])
        self.labels = LabelIndex(lines, budget)
        self._numbers: dict[Decimal, list[tuple[int, PrintedNumber]]] = {}
        self._printed_dates: list[tuple[int, PrintedDate]] | None = None
        for index, line in enumerate(lines):
            for number in numbers_in(line.text):
                for value in number.values:
                    self._numbers.setdefault(value, []).append((index, number))

    def standings(self, value: Scalar) -> list[Standing]:
        """Where a value stands, in the order of the lines; the first places of one that stands everywhere."""
        return list(itertools.islice(self._places(value), MAX_PLACES))

    def match(self, leaves: Sequence[Leaf]) -> list[Match]:
        """A match for each leaf, in their order.

        Of several places that one is taken whose neighbours name the field, for members of a list the one nearest to
        the values of the same member that stand in one place alone.
        """
        return self.match_standings(leaves, [self.standings(leaf.value) for leaf in leaves])

    def match_standings(self, leaves: Sequence[Leaf], places: Sequence[Sequence[Standing]]) -> list[Match]:
        """`match` where the `standings` of each leaf are known."""
        anchors: dict[tuple[str | int, ...], list[PrintedLine]] = {}
        for leaf, candidates in zip(leaves, places, strict=True):
            if len(candidates) == 1:
                anchors.setdefault(_member(leaf.path), []).append(self._lines[candidates[0].parts[0][0]])
        return [
            self._match(leaf, candidates, anchors.get(_member(leaf.path), []))
            for leaf, candidates in zip(leaves, places, strict=True)
        ]

    def _match(self, leaf: Leaf, places: Sequence[Standing], anchors: Sequence[PrintedLine]) -> Match:
        if not places:
            return Match()
        best = places[0]
        if len(places) > 1:
            near = anchors if any(isinstance(step, int) for step in leaf.path) else ()
            best = min(places, key=lambda place: self._rank(place, leaf, near))
        texts = [self._lines[line].text[start:end] for line, start, end in best.parts]
        sources = [self._lines[line] for line, _, _ in best.parts]
        first = sources[0]
        parts = [part for part in best.parts if self._lines[part[0]].page == first.page]
        return Match(
            match="exact" if best.exact else "normalised",
            page=first.page,
            boxes=tuple(
                self._lines[line].box_of(start, end) for line, start, end in parts if self._lines[line].box != NO_BOX
            ),
            places=tuple(
                place for line, start, end in parts if (place := self._lines[line].place_of(start, end)) is not None
            ),
            source_text=" ".join(texts),
            confidence=min(self._lines[line].confidence_of(start, end) for line, start, end in best.parts),
            unproved=any(self._lines[line].is_unproved(start, end) for line, start, end in best.parts),
            num_places=len(places),
        )

    def _rank(self, place: Standing, leaf: Leaf, anchors: Sequence[PrintedLine]) -> tuple[float, ...]:
        """Lower is better."""
        line, start, _ = place.parts[0]
        distance = min((_distance(self._lines[line], anchor) for anchor in anchors), default=0.0)
        return (
            not place.whole,
            distance,
            -self.labels.score(line, start, (_last_name(leaf.path), *leaf.labels)),
            not place.exact,
        )

    def _places(self, value: Scalar) -> Iterable[Standing]:
        if value is None or isinstance(value, bool):
            return []
        if isinstance(value, int | float):
            return self._of_number(Decimal(str(value)), str(value))
        text = " ".join(value.split())
        if text.isdecimal():
            return (place for place in self._of_number(Decimal(text), text) if self._digits(place) == text)
        amount = amount_in(text)
        if amount is not None:
            return self._of_number(amount, text)
        of_text = self._of_text(text)
        first = next(of_text, None)
        return self._of_date(text) if first is None else itertools.chain((first,), of_text)

    def _of_text(self, text: str) -> Iterator[Standing]:
        if not any(plain(character) for character in text):
            for index, line in enumerate(self._lines):
                self._spend(len(line.text))
                if text and text in line.text:
                    start = line.text.index(text)
                    yield Standing(((index, start, start + len(text)),), exact=True)
            return
        for parts in self._stream.find(text, self._budget):
            self._spend(sum(end - start for _, start, end in parts))
            printed = " ".join(self._lines[line].text[start:end] for line, start, end in parts)
            yield Standing(tuple(parts), exact=_bare(printed) == _bare(text))

    def _of_date(self, text: str) -> Iterator[Standing]:
        target = date_in(text)
        if target is None:
            return
        for at, printed in self._dates():
            self._spend(1)
            if printed.same_day(target):
                yield Standing(((at, printed.start, printed.end),), exact=False)

    def _dates(self) -> list[tuple[int, PrintedDate]]:
        """All dates of the lines, looked for with the first value that is none of their texts."""
        if self._printed_dates is None:
            self._printed_dates = [
                (index, printed) for index, line in enumerate(self._lines) for printed in dates_in(line.text)
            ]
        return self._printed_dates

    def _of_number(self, target: Decimal, text: str) -> Iterator[Standing]:
        for at, number in self._numbers.get(target, ()):
            line = self._lines[at].text
            self._spend(NUMBER_STEPS + len(line) // CHARACTERS_PER_STEP)
            exact = number.text == text or line.strip() == text
            yield Standing(((at, number.start, number.end),), exact=exact, whole=_stands_alone(number, line))
        for at, number in self._numbers.get(target * 100, ()):
            self._spend(1)
            if PERCENT.match(self._lines[at].text, number.end):
                yield Standing(((at, number.start, number.end),), exact=False)

    def _spend(self, num_steps: int) -> None:
        if self._budget is not None:
            self._budget.spend(num_steps)

    def _digits(self, place: Standing) -> str:
        line, start, end = place.parts[0]
        return "".join(character for character in self._lines[line].text[start:end] if character.isdecimal())


def _stands_alone(number: PrintedNumber, line: str) -> bool:
    """Whether a number is no piece of a date, a time, a code or a word."""
    before = line[max(0, number.start - NEIGHBOURHOOD_CHARACTERS) : number.start]
    after = line[number.end : number.end + NEIGHBOURHOOD_CHARACTERS]
    if PART_OF_DATE.match(after) or re.search(r"\d[/:-]$", before):
        return False
    return not after[:1].isalpha() and not re.search(r"[^\W\d_]{5,}-?$|[^\W\d_]\d*-$", before)


def _member(path: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """Of a value in a list, the member that it belongs to; else the whole."""
    last = max((index for index, step in enumerate(path) if isinstance(step, int)), default=-1)
    return path[: last + 1]


def _last_name(path: tuple[str | int, ...]) -> str:
    return next((step for step in reversed(path) if isinstance(step, str)), "")


def _distance(line: PrintedLine, anchor: PrintedLine) -> float:
    """In heights of a line, downwards or upwards; half of one and less is the same line. Without boxes, in lines."""
    if line.page != anchor.page:
        return 1000.0 * abs(line.page - anchor.page)
    if NO_BOX in (line.box, anchor.box):  # nothing is drawn: what stands beside it comes before or after it
        return float(abs(line.order - anchor.order))
    heights = abs(line.box.center[1] - anchor.box.center[1]) / max(1.0, anchor.box.height)
    return 0.0 if heights <= 0.5 else heights


def _bare(text: str) -> str:
    """Without white space around it and marks at its ends."""
    text = " ".join(text.split())
    start, end = 0, len(text)
    while start < end and not text[start].isalnum():
        start += 1
    while end > start and not text[end - 1].isalnum():
        end -= 1
    return text[start:end]
