"""Finds footnotes: numbered as the text refers to them, or continuing such a note."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from documents.values import BoundingBox, RegionKind

NUMBER = re.compile(r"([0-9]{1,3})[.)]?\s+\S")
PLAIN_FIGURES = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
CALL = re.compile(r"(?<![0-9][.,:])(?<=[^\W\d_]|[.,;:!?\"'”’)\]])[0-9]{1,3}(?![0-9%])")
MOST_PASSES = 8  # from the foot upwards: a note that another one makes certain may stand above it
MOST_NEAR = 128  # regions above or below in the page that one is compared with
ENDS = (*".!?:;…", '."', '?"', '!"', ".”", "?”", "!”", ".’", ".)")


class PlacedRegion(NamedTuple):
    """A region as it stands on the upright page."""

    kind: RegionKind
    box: BoundingBox
    text: str


@dataclass(frozen=True, slots=True)
class FootNotes:
    """How notes stand to the text above and beside them, in multiples of the body's type."""

    level: float = 2.5  # how far the tops of notes in two columns may differ
    apart: float = 0.8  # the least space above notes


def foot_notes(
    regions: Sequence[PlacedRegion], rules: Sequence[BoundingBox], body: float, limits: FootNotes = FootNotes()
) -> set[int]:
    """Indices of the notes that are read after the text of all columns; `body` is the page's type size in points.

    A note below a rule of its own closes its column and is none of these. Where no rule parts notes from text, those
    of all columns are one part of the page, as the text that they interrupt is another.
    """
    foot = _Foot(regions, rules, body, limits)
    notes: set[int] = set()
    for _ in range(MOST_PASSES):
        more = foot.notes(notes, ruled=False) - notes
        if not more:
            break
        notes |= more
    return notes | foot.continued(notes)


def ruled_notes(
    regions: Sequence[PlacedRegion],
    rules: Sequence[BoundingBox],
    body: float,
    notes: set[int],
    limits: FootNotes = FootNotes(),
) -> set[int]:
    """Indices of the notes that close their column below a rule of its own, `notes` being those of all columns."""
    return _Foot(regions, rules, body, limits).notes(notes, ruled=True) - notes


class _Foot:
    """The regions of a page with what is asked of them again and again: their labels, and which labels are called."""

    def __init__(
        self, regions: Sequence[PlacedRegion], rules: Sequence[BoundingBox], body: float, limits: FootNotes
    ) -> None:
        self._regions, self._body, self._limits = regions, body, limits
        self._labels = [_label(region) for region in regions]
        self._calls = [_calls(region.text) for region in regions]
        self._num_calls = Counter(number for numbers in self._calls for number in numbers)
        self._upwards = sorted(range(len(regions)), key=lambda i: (-regions[i].box.y0, i))
        self._by_middle = sorted(range(len(regions)), key=lambda i: regions[i].box.center[1])
        self._middles = [regions[i].box.center[1] for i in self._by_middle]
        self._rules = sorted((rule for rule in rules if rule.width > rule.height), key=lambda rule: rule.y0)
        self._rule_tops = [rule.y0 for rule in self._rules]

    def notes(self, before: set[int], *, ruled: bool) -> set[int]:
        """Notes with and without a rule of their own, from the foot upwards; `before` are known already."""
        notes = set(before)
        labels = Counter(self._labels[k] for k in notes)
        for i in self._upwards:
            label = self._labels[i]
            if i in notes or label is None:
                continue
            called = labels[label - 1] > 0 or self._is_called(i, label)
            if called and self._closes_column(i, notes) and self._is_ruled(i) is ruled:
                notes.add(i)
                labels[label] += 1
        return notes

    def continued(self, notes: set[int]) -> set[int]:
        """Where notes of the page before go on: level with a note further right, below text that breaks off."""
        by_top = sorted(notes, key=lambda k: self._regions[k].box.y0)
        tops = [self._regions[k].box.y0 for k in by_top]
        return {i for i in range(len(self._regions)) if notes and self._continues(i, notes, by_top, tops)}

    def _continues(self, i: int, notes: set[int], by_top: Sequence[int], tops: Sequence[float]) -> bool:
        if i in notes or not _is_text(self._regions[i]) or self._regions[i].text[:1].islower():
            return False
        mine, reach = self._regions[i].box, self._limits.level * self._body
        low, high = bisect_left(tops, mine.y0 - reach), bisect_right(tops, mine.y0 + reach)
        if not any(self._regions[k].box.x0 > mine.x1 for k in by_top[low : min(high, low + MOST_NEAR)]):
            return False
        above = self._above(i)
        if above is None or not self._is_last(i, notes):
            return False
        broken = self._regions[above].kind == "plain text" and not self._regions[above].text.rstrip().endswith(ENDS)
        return broken and self._gap(above, i) >= self._limits.apart * self._body

    def _is_called(self, i: int, label: int) -> bool:
        """Whether the number stands, without a space, behind a word or a stop of another region's text."""
        return self._num_calls[label] > (label in self._calls[i])

    def _closes_column(self, i: int, notes: set[int]) -> bool:
        """Whether it is the last but notes in its column, and set apart from what is above."""
        if not self._is_last(i, notes):
            return False
        above = self._above(i)
        return above is None or self._gap(above, i) >= self._limits.apart * self._body

    def _is_last(self, i: int, notes: set[int]) -> bool:
        """Whether nothing but notes stands below it in its column."""
        mine = self._regions[i].box
        start = bisect_right(self._middles, mine.center[1])
        below = (k for k in self._by_middle[start : start + MOST_NEAR] if k not in notes and k != i)
        return not any(_in_column(self._regions[k].box, mine) for k in below)

    def _above(self, i: int) -> int | None:
        """Of the regions above in its column, the one that reaches down furthest."""
        mine = self._regions[i].box
        end = bisect_left(self._middles, mine.center[1])
        near = (self._by_middle[k] for k in range(end - 1, max(-1, end - 1 - MOST_NEAR), -1))
        higher = sorted(k for k in near if _in_column(self._regions[k].box, mine))
        return max(higher, key=lambda k: self._regions[k].box.y1, default=None)

    def _gap(self, above: int, below: int) -> float:
        return self._regions[below].box.y0 - self._regions[above].box.y1

    def _is_ruled(self, i: int) -> bool:
        """Whether a level rule no wider than its column stands over it."""
        note, body = self._regions[i].box, self._body
        low = bisect_left(self._rule_tops, note.y0 - 2 * body)
        high = bisect_right(self._rule_tops, note.y0 + 0.5 * body)
        return any(
            abs(rule.x0 - note.x0) <= body and rule.x1 <= note.x1 + body
            for rule in self._rules[low : min(high, low + MOST_NEAR)]
        )


def _is_text(region: PlacedRegion) -> bool:
    return region.kind in ("plain text", "table_footnote") and bool(region.text.strip())


def _label(region: PlacedRegion) -> int | None:
    """The number that a region begins with."""
    number = NUMBER.match(region.text.translate(PLAIN_FIGURES)) if _is_text(region) else None
    return int(number[1]) if number else None


def _calls(text: str) -> set[int]:
    """The numbers that a text sets without a space behind a word or a stop; a capital's digit is of a formula."""
    text = text.translate(PLAIN_FIGURES)
    return {int(call[0]) for call in CALL.finditer(text) if not text[call.start() - 1].isupper()}  # not CO2, B12


def _in_column(a: BoundingBox, b: BoundingBox) -> bool:
    return min(a.x1, b.x1) - max(a.x0, b.x0) > 0.3 * min(a.width, b.width)
