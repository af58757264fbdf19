"""A text that keeps track of where each of its lines was printed while it is edited."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

Replacement = str | Callable[[re.Match[str]], str]
_COMPOSED = re.compile(r"[\x00-\x7f]?[^\x00-\x7f]+")  # no ASCII character composes with one before it
_UNUSUAL = re.compile("[\u00ad\u00a0\ufb00-\ufb06\\x00-\\x09\\x0b-\\x1f\\x7f-\\x9f]|  ")  # what edits begin with
_EDITS: tuple[tuple[re.Pattern[str], Replacement], ...] = (
    (re.compile("\u00ad"), ""),
    (re.compile("\u00a0"), " "),
    (re.compile("[\ufb00-\ufb06]"), lambda ligature: unicodedata.normalize("NFKC", ligature[0])),
    (re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]"), ""),  # controls but ends of lines
    (re.compile(r"[ \t]+"), " "),
)


class Place(NamedTuple):
    """`text[start:end]` is what was printed in the line of this number."""

    line: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class PlacedText:
    """A text and the places of its lines, in the order of the text; none overlaps another."""

    text: str
    places: tuple[Place, ...] = ()

    def normal(self) -> PlacedText:
        """Composed characters, ligatures taken apart, no soft hyphens, single spaces; ends of lines are kept."""
        edited = self
        if not unicodedata.is_normalized("NFC", self.text):
            edited = self.replaced(_COMPOSED, lambda run: unicodedata.normalize("NFC", run[0]))
        if _UNUSUAL.search(edited.text):
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

        return PlacedText(text, tuple(Place(p.line, moved(p.start), moved(p.end)) for p in self.places))

    def stripped(self, characters: str | None = None) -> PlacedText:
        """As `str.strip`."""
        text = self.text.lstrip(characters)
        removed = len(self.text) - len(text)
        text = text.rstrip(characters)
        if len(text) == len(self.text):
            return self
        ends = ((p.line, p.start - removed, p.end - removed) for p in self.places)
        return PlacedText(text, tuple(Place(n, _within(a, text), _within(b, text)) for n, a, b in ends))

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
    return (Place(place.line, place.start + by, place.end + by) for place in places)


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


def _is_printed(character: str) -> bool:
    return not character.isspace()


def _starts(matches: Sequence[re.Match[str]]) -> list[int]:
    return [match.start() for match in matches]


def _within(offset: int, text: str) -> int:
    return min(max(offset, 0), len(text))
