"""A text that keeps track of where its lines were printed, and of what is linked and struck out, while it is edited."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import attrgetter
from typing import NamedTuple

from documents.inspection import Rise
from documents.region_values import InlineFormula, Link, Script, TextRange

Replacement = str | Callable[[re.Match[str]], str]
_COMPOSED_RUN = re.compile(r"[\x00-\x7f]?[^\x00-\x7f]+")  # no ASCII character composes with one before it
# every edit begins with one of these
_EDIT_START = re.compile("[\u00ad\u00a0\ufb00-\ufb06\\x00-\\x09\\x0b-\\x1f\\x7f-\\x9f]|  ")
_SPACES = re.compile(r"\s{2,}|[^\S ]")  # but single ones
_EDITS: tuple[tuple[re.Pattern[str], Replacement], ...] = (
    (re.compile("\u00ad"), ""),
    (re.compile("\u00a0"), " "),
    (re.compile("[\ufb00-\ufb06]"), lambda ligature: unicodedata.normalize("NFKC", ligature[0])),
    (re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]"), ""),  # controls but ends of lines
    (re.compile(r"[ \t]+"), " "),
)


class Mark(NamedTuple):
    """Words that lead to `uri`, say the formula `latex`, or are raised or lowered; else, they are struck out."""

    uri: str | None = None
    latex: str | None = None
    rise: Rise | None = None


STRIKE_MARK = Mark()


class Place(NamedTuple):
    """`text[start:end]` is what was printed in the line of this number or, with a mark, words of it that have that."""

    line: int
    start: int
    end: int
    mark: Mark | None = None


@dataclass(frozen=True, slots=True)
class PlacedText:
    """A text, the places of its lines and of what is marked in them, by their ends."""

    text: str
    places: tuple[Place, ...] = ()

    @classmethod
    def with_struck(cls, text: str, struck: Iterable[TextRange]) -> PlacedText:
        return cls(text, tuple(Place(0, words.start, words.end, STRIKE_MARK) for words in struck))

    @property
    def links(self) -> tuple[Link, ...]:
        """In the order of the text; one that runs over a line's end is one link."""
        linked = [(*_bare(self.text, p.start, p.end), p.mark.uri) for p in self.places if p.mark and p.mark.uri]
        merged: list[tuple[int, int, str]] = []
        for start, end, uri in sorted(linked):
            if merged and merged[-1][2] == uri and not self.text[merged[-1][1] : start].strip():
                merged[-1] = merged[-1][0], max(merged[-1][1], end), uri  # it goes on from one line to the next
            elif start < end:
                merged.append((start, end, uri))
        return tuple(Link(text=self.text[start:end], uri=uri, start=start, end=end) for start, end, uri in merged)

    @property
    def struck(self) -> tuple[TextRange, ...]:
        return struck_ranges(
            self.text, ((place.start, place.end) for place in self.places if place.mark == STRIKE_MARK)
        )

    @property
    def formulas(self) -> tuple[InlineFormula, ...]:
        """In the order of the text."""
        ranges = [(*_bare(self.text, p.start, p.end), p.mark.latex) for p in self.places if p.mark and p.mark.latex]
        return tuple(
            InlineFormula(start=start, end=end, latex=latex) for start, end, latex in sorted(ranges) if start < end
        )

    @property
    def scripts(self) -> tuple[Script, ...]:
        """In the order of the text."""
        scripts = [
            Script(start=start, end=end, rise=place.mark.rise)
            for place in self.places
            if place.mark and place.mark.rise
            for start, end in [_bare(self.text, place.start, place.end)]
            if start < end
        ]
        return tuple(sorted(scripts, key=attrgetter("start")))

    @property
    def on_one_line(self) -> PlacedText:
        """With single spaces."""
        return self.replaced(_SPACES, " ").stripped()

    def after(self, text: str) -> PlacedText:
        """The same behind another text."""
        return PlacedText(text + self.text, tuple(shifted(self.places, len(text))))

    def normal(self) -> PlacedText:
        """Composed characters, ligatures taken apart, no soft hyphens, single spaces; ends of lines are kept."""
        edited = self
        if not unicodedata.is_normalized("NFC", self.text):
            edited = self.replaced(_COMPOSED_RUN, lambda run: unicodedata.normalize("NFC", run[0]))
        if _EDIT_START.search(edited.text):
            for pattern, replacement in _EDITS:
                edited = edited.replaced(pattern, replacement)
        return edited.stripped()

    def replaced(self, pattern: re.Pattern[str], replacement: Replacement) -> PlacedText:
        """As `pattern.sub`; a place that ends within a match ends as far into what replaces it, or at its end."""
        matches = list(pattern.finditer(self.text))
        if not matches:
            return self
        parts = [replacement if isinstance(replacement, str) else replacement(match) for match in matches]
        kept_places = [
            self.text[a:b] for a, b in zip([0, *(m.end() for m in matches)], [*_starts(matches), None], strict=True)
        ]
        text = kept_places[0] + "".join(part + rest for part, rest in zip(parts, kept_places[1:], strict=True))
        if not self.places:
            return PlacedText(text)
        starts = _starts(matches)
        shifts = [0, *accumulate(len(p) - len(m[0]) for p, m in zip(parts, matches, strict=True))]

        def moved(offset: int) -> int:
            k = bisect_left(starts, offset) - 1  # the last match that begins before it
            if k < 0 or offset >= matches[k].end():
                return offset + shifts[k + 1]
            return starts[k] + shifts[k] + min(offset - starts[k], len(parts[k]))

        return PlacedText(text, tuple(p._replace(start=moved(p.start), end=moved(p.end)) for p in self.places))

    def stripped(self, characters: str | None = None) -> PlacedText:
        """As `str.strip`."""
        text = self.text.lstrip(characters)
        removed = len(self.text) - len(text)
        text = text.rstrip(characters)
        if len(text) == len(self.text):
            return self
        return PlacedText(
            text,
            tuple(
                p._replace(start=_within(p.start - removed, text), end=_within(p.end - removed, text))
                for p in self.places
            ),
        )

    def with_text(self, text: str) -> PlacedText:
        """Another text of the same length."""
        return self if text == self.text else PlacedText(text, self.places)


def concatenated(parts: Iterable[PlacedText], between: str = "") -> PlacedText:
    """All in one, `between` each two."""
    texts: list[str] = []
    places: list[Place] = []
    length = 0
    for part in parts:
        if texts:
            length += len(between)
        places += shifted(part.places, length)
        texts.append(part.text)
        length += len(part.text)
    return PlacedText(between.join(texts), tuple(places))


def shifted(places: Iterable[Place], by: int) -> Iterable[Place]:
    """The places in a text that begins `by` characters later."""
    return (place._replace(start=place.start + by, end=place.end + by) for place in places)


def struck_ranges(text: str, ranges: Iterable[tuple[int, int]]) -> tuple[TextRange, ...]:
    """What is struck out of a text, from the left; ranges with nothing but spaces between them are one."""
    merged: list[tuple[int, int]] = []
    for struck in sorted(ranges):
        start, end = _bare(text, *struck)
        if start >= end:
            continue
        if merged and not text[merged[-1][1] : start].strip():
            start, end = merged[-1][0], max(merged.pop()[1], end)
        merged.append((start, end))
    return tuple(TextRange(start=start, end=end) for start, end in merged)


def aligned(lines: Sequence[str], text: str) -> tuple[Place, ...]:
    """Where printed lines stand in a text that was joined of them and kept no places; none if that cannot be said.

    Lines are counted off by their characters without spaces or, where hyphens were left out, by letters and digits.
    """
    normal = [PlacedText(line).normal().text for line in lines]
    for counts in (_is_printed, str.isalnum):
        lengths = [sum(map(counts, line)) for line in normal]
        counted = [k for k, character in enumerate(text) if counts(character)]
        if counted and sum(lengths) == len(counted):
            return _counted_off(lengths, counted, text)
    return ()


def _counted_off(lengths: Sequence[int], counted: Sequence[int], text: str) -> tuple[Place, ...]:
    """Each line ends before the first space behind its last character that counts."""
    places: list[Place] = []
    start, num_before = 0, 0
    for line, length in enumerate(lengths):
        if not length:
            places.append(Place(line, start, start))
            continue
        num_before += length
        end = counted[num_before - 1] + 1
        following = counted[num_before] if num_before < len(counted) else len(text)
        while end < following and not text[end].isspace():
            end += 1
        while start < end and text[start].isspace():
            start += 1
        places.append(Place(line, start, end))
        start = end
    return tuple(places)


def _bare(text: str, start: int, end: int) -> tuple[int, int]:
    """The range without the spaces at its ends."""
    start, end = _within(start, text), _within(end, text)
    words = text[start:end]
    return end - len(words.lstrip()), start + len(words.rstrip())


def _is_printed(character: str) -> bool:
    return not character.isspace()


def _starts(matches: Sequence[re.Match[str]]) -> list[int]:
    return [match.start() for match in matches]


def _within(offset: int, text: str) -> int:
    return min(max(offset, 0), len(text))
