"""Marks the digits of a page that nothing but one look of a model says: no line of the file, no further look.

A file's own text is proved, and so is what its author wrote; only what OCR read is compared, and blank stays blank.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from documents.boxes import BoundingBox
from documents.draft.page_draft import RegionDraft
from documents.draft.whole_page_reading import PageReading
from documents.inspection import TextLine, Word
from documents.page_index import PageIndex
from documents.region_values import Region, table_in
from documents.regions.reclassify import placing
from documents.text.digit_strings import counted, counted_as_read, digit_strings, most_said, ranges_of
from documents.values import PageWarning, Reading, ReadLine


class PrintedDigits(NamedTuple):
    """A digit string that a word says, and the word's box on the page."""

    value: str
    box: BoundingBox


@dataclass(frozen=True, slots=True)
class Evidence:
    """Digits as each look at a page read them, and the file's own lines are one look; boxes are those of the page."""

    looks: tuple[tuple[PrintedDigits, ...], ...] = ()
    reread: tuple[BoundingBox, ...] = ()  # of words of sound regions that OCR read, as the file does not say them
    is_whole: bool = False  # the page was read as a whole: what a region says may stand beside it


def evidence_of(
    page: BoundingBox,
    lines: Sequence[TextLine],
    drafts: Sequence[RegionDraft],
    readings: Mapping[int, Reading],
    crop_sizes: Mapping[int, tuple[int, int]],
    page_reading: PageReading | None,
    charts: Mapping[int, Reading],
) -> Evidence | None:
    """Of a page of which anything was read; None where its file says all of it, or nobody looked again.

    `lines` are the file's own.
    """
    further = [reading.looks for reading in (*readings.values(), *charts.values())]
    if page_reading is not None:
        further.append(page_reading.looks)
    if all(looks is None for looks in further):
        return None
    looks: list[list[PrintedDigits]] = [[*_of_layer(lines)]]
    for draft in drafts:
        place, _ = placing(draft, crop_sizes.get(draft.index))
        for reading in (readings.get(draft.index), charts.get(draft.index)):
            for number, look in enumerate((reading.looks or ()) if reading else (), 1):
                _add(looks, number, (PrintedDigits(one.value, place(one.box)) for one in _of_lines(look)))
    for number, look in enumerate((page_reading.looks or ()) if page_reading else (), 1):
        shares = _of_lines(look)
        placed = (PrintedDigits(one.value, one.box.scaled(page.width, page.height)) for one in shares)
        _add(looks, number, placed)
    return Evidence(
        looks=tuple(map(tuple, looks)),
        reread=tuple(draft.box for draft in drafts if draft.words_of is not None and draft.index in readings),
        is_whole=page_reading is not None,
    )


def with_unproved_digits(regions: Sequence[Region], evidence: Evidence | None) -> tuple[Region, ...]:
    """The regions in their order, with the places of digits that no look but the one that wrote them says there."""
    if evidence is None:
        return tuple(regions)
    checks = {k: _Check(region) for k, region in enumerate(regions) if _is_read(region, evidence)}
    index = _Index(evidence)
    for check in checks.values():
        check.prove(index)
    if evidence.is_whole and any(check.rest for check in checks.values()):
        by_others = counted(text for k, one in enumerate(regions) if k not in checks for text in _texts(one))
        proved = sum((check.proved for check in checks.values()), Counter[str]())
        layer, *looks = index.totals
        rest = sum((check.rest for check in checks.values()), Counter[str]())
        beside = most_said([layer - by_others - proved, *(look - proved for look in looks)])
        rest -= _distinct(beside)
        for check in checks.values():
            check.rest = Counter({value: count for value, count in check.rest.items() if rest[value]})
    return tuple(checks[k].marked() if k in checks and checks[k].rest else one for k, one in enumerate(regions))


def unproved_warnings(number: int, regions: Iterable[Region]) -> Iterator[PageWarning]:
    """One for a page with marked digits."""
    counts = [(region, _num_unproved(region)) for region in regions]
    marked = [(region, count) for region, count in counts if count]
    if marked:
        num_digits = sum(count for _, count in marked)
        message = f"{num_digits} numbers that OCR read were not confirmed by a further look; [?] stands behind them"
        box = BoundingBox.around([region.box for region, _ in marked])
        yield PageWarning(code="unproved_digits", message=message, page=number, box=box)


def _num_unproved(region: Region) -> int:
    table = table_in(region)
    return len(region.unproved) if table is None else sum(len(cell.unproved) for cell in table.cells)


def _is_read(region: Region, evidence: Evidence) -> bool:
    return region.text_source == "ocr" or any(region.box.contains(*box.center) for box in evidence.reread)


class _Slot(NamedTuple):
    """A part of a region's text with a place of its own: a line, or a cell; `start` is its offset in the text."""

    text: str
    box: BoundingBox
    start: int = 0


class _Check:
    """A region whose digits are compared; `rest` is what is not proved of them yet."""

    def __init__(self, region: Region) -> None:
        self._region = region
        self._slots = list(_slots(region))
        self._rests = [counted([slot.text]) for slot in self._slots]
        self.proved: Counter[str] = Counter()
        self.rest: Counter[str] = Counter()

    def prove(self, index: _Index) -> None:
        """Compare with what stands in the place of each line or cell, then in that of the region."""
        elsewhere: Counter[str] = Counter()  # what may be proved beside its own place
        for k, slot in enumerate(self._slots):
            if self._rests[k] and slot.box != self._region.box:
                confirmed = self._rests[k] & index.within(slot.box, Counter())
                self._rests[k] -= confirmed
                self.proved += confirmed
                elsewhere += _distinct(self._rests[k])
            else:
                elsewhere += self._rests[k]
        self.rest = sum(self._rests, Counter[str]())
        if elsewhere:
            box = BoundingBox.around([self._region.box, *(slot.box for slot in self._slots)])
            confirmed = elsewhere & index.within(box, self.proved)
            self.proved += confirmed
            self.rest -= confirmed

    def marked(self) -> Region:
        """The region with the rest marked, in those lines or cells whose own places do not say it."""
        ranges = [ranges_of(slot.text, rest & self.rest) for slot, rest in zip(self._slots, self._rests, strict=True)]
        table = table_in(self._region)
        if table is not None:
            cells = (
                cell.model_copy(update={"unproved": one}) if one else cell
                for cell, one in zip(table.cells, ranges, strict=True)
            )
            return self._region.model_copy(update={"table": table.model_copy(update={"cells": tuple(cells)})})
        starts = (slot.start for slot in self._slots)
        later = (digits.later(start) for start, one in zip(starts, ranges, strict=True) for digits in one)
        return self._region.model_copy(update={"unproved": tuple(later)})


def _slots(region: Region) -> Iterator[_Slot]:
    """Of a table its cells, in their order; of a text what stands from the begin of each line to that of the next."""
    table = table_in(region)
    if table is not None:
        yield from (_Slot(cell.text, cell.box) for cell in table.cells)
        return
    starts = {0: region.box} | {span.text_start: span.box for span in region.spans if span.text_start is not None}
    cuts = [*sorted(starts), len(region.text)]
    yield from (_Slot(region.text[start:end], starts[start], start) for start, end in pairwise(cuts))


def _texts(region: Region) -> list[str]:
    return [slot.text for slot in _slots(region)]


def _distinct(values: Counter[str]) -> Counter[str]:
    """Strings that prove something out of their place: a single digit stands everywhere."""
    return Counter({value: count for value, count in values.items() if len(value) > 1})


class _Index:
    """The digits of each look by where they stand."""

    def __init__(self, evidence: Evidence) -> None:
        self._values = [[one.value for one in look] for look in evidence.looks]
        self._places = [PageIndex(one.box for one in look) for look in evidence.looks]
        self.totals = [Counter(values) for values in self._values]

    def within(self, box: BoundingBox, without: Counter[str]) -> Counter[str]:
        """What a box holds by the look that says most of it, each look `without` what is taken already."""
        held = (
            Counter(values[k] for k in places.with_middle_in(box))
            for values, places in zip(self._values, self._places, strict=True)
        )
        return most_said(look - without for look in held)


def _add(looks: list[list[PrintedDigits]], number: int, digits: Iterable[PrintedDigits]) -> None:
    looks += ([] for _ in range(len(looks), number + 1))
    looks[number] += digits


def _of_lines(lines: Iterable[ReadLine]) -> Iterator[PrintedDigits]:
    """By words, where a line tells their places."""
    for line in lines:
        words = line.text.split()
        parts = zip(words, line.words, strict=True) if len(words) == len(line.words) else [(line.text, line.box)]
        yield from (PrintedDigits(value, box) for text, box in parts for value in counted_as_read(text).elements())


def _of_layer(lines: Iterable[TextLine]) -> Iterator[PrintedDigits]:
    """Of lines that a reader of the page sees, by what stands between spaces."""
    for line in lines:
        if line.hidden is None:
            words = list(_unspaced(line.words)) or [(line.text, line.box)]
            yield from (PrintedDigits(one.value, box) for text, box in words for one in digit_strings(text))


def _unspaced(words: Sequence[Word]) -> Iterator[tuple[str, BoundingBox]]:
    begins = [k for k, word in enumerate(words) if not k or word.spaced]
    for start, end in pairwise([*begins, len(words)]):
        run = words[start:end]
        yield "".join(word.text for word in run), BoundingBox.around([word.box for word in run])
