"""Puts back words that the rules lost: at the end each word of a page is in the text of exactly one region.

A region's text says what its lines say, letter by letter; hyphens, spaces and other signs are the rules' own affair.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from documents.boxes import BoundingBox
from documents.draft.page_draft import RESTORED_ORIGIN
from documents.page_index import PageIndex
from documents.region_values import Region, Span, as_kind, table_in
from documents.regions.region_text import text_of_spans
from documents.tables.written.table_markup import plain as as_lines
from documents.text.placed_text import PlacedText
from documents.text.running_text import normal

MAX_OVERHANG = 0.5  # a part of a line may extend out of it by this many points
MAX_NEIGHBOURS = 256  # maximum number of lines at one height among which a part is searched
_NO_LETTERS = re.compile(r"[\W_]+")
_WORD = re.compile(r"\S+")


class Delivered(NamedTuple):
    """Regions by their index, and by the same what rules lost of each: regions that are read before and after it."""

    regions: dict[int, Region]
    before: dict[int, list[Region]]
    after: dict[int, list[Region]]


def with_all_words(
    plain: Mapping[int, Region], finished: Mapping[int, Region], delivered_indices: Collection[int]
) -> Delivered:
    """What rules made of the regions `plain`, by index: no line or word is lost or there twice.

    `delivered_indices` are those that a model wrote as markup, which says more than is printed.
    """
    lines = _Lines(plain)
    delivered = Delivered(lines.shared_out({**plain, **finished}), {}, {})
    lost = lines.lost()
    for index, region in delivered.regions.items():
        own = plain.get(index)
        if index in delivered_indices and own is not None:
            delivered.regions[index] = region if _letters(region.text) else own
        else:
            unread = "" if own is None or own.spans else own.text  # of a reading that tells no lines
            delivered.regions[index], lost[index] = _agreed(region, lost[index], unread)
        middle = region.box.center[1]
        above = [span for span in lost[index] if span.box.center[1] < middle]
        below = [span for span in lost[index] if span.box.center[1] >= middle]
        delivered.before[index] = [_put_back(region, above)] if above else []
        delivered.after[index] = [_put_back(region, below)] if below else []
    return delivered


@dataclass(slots=True)
class _Line:
    """A line, the index of the region that it was in before any rule, and the parts of it that regions have."""

    home: int
    span: Span
    letters_left: Counter[str] = field(default_factory=Counter)
    parts: list[str] = field(default_factory=list)

    def take(self, text: str) -> bool:
        """Whether the line, or what is left of it, holds this text."""
        letters = Counter(_letters(text))
        if not letters <= self.letters_left:
            return False
        self.letters_left -= letters
        self.parts.append(text)
        return True

    def left(self) -> Span:
        text = self.span.text
        for part in self.parts:
            text = text.replace(part, " ", 1)
        return self.span.with_text(normal(text)) if self.parts else self.span


class _Lines:
    """The printed or read lines of a page, of which each is had by one region, or its parts by several."""

    def __init__(self, plain: Mapping[int, Region]) -> None:
        self._lines: dict[tuple[str, BoundingBox], list[_Line]] = {}
        for index, region in plain.items():
            for span in region.spans:
                self._lines.setdefault((span.text, span.box), []).append(_Line(index, span))

    def shared_out(self, regions: Mapping[int, Region]) -> dict[int, Region]:
        """The regions, each with those of its lines that none before it has."""
        had = {index: [self._take(span) for span in region.spans] for index, region in regions.items()}
        left = [line for lines in self._lines.values() for line in lines]
        if left and not all(map(all, had.values())):
            for line in left:
                line.letters_left = Counter(_letters(line.span.text))
            near = PageIndex(line.span.box for line in left)
            for index, region in regions.items():
                pairs = zip(region.spans, had[index], strict=True)
                had[index] = [
                    whole or any(_holds(left[k], span) for k in near.level_with(*_middle(span), MAX_NEIGHBOURS))
                    for span, whole in pairs
                ]
        return {
            index: region
            if all(had[index])
            else region.model_copy(
                update={"spans": tuple(span for span, is_own in zip(region.spans, had[index], strict=True) if is_own)}
            )
            for index, region in regions.items()
        }

    def lost(self) -> defaultdict[int, list[Span]]:
        """What no region has, by the index of the region that it was in."""
        lost_spans: defaultdict[int, list[Span]] = defaultdict(list)
        for line in (line for lines in self._lines.values() for line in lines):
            if not line.parts or line.letters_left:
                lost_spans[line.home].append(line.left())
        return lost_spans

    def _take(self, span: Span) -> bool:
        lines = self._lines.get((span.text, span.box))
        if not lines:
            return False
        lines.pop(0)
        return True


def _holds(line: _Line, span: Span) -> bool:
    box, part = line.span.box, span.box
    inside = box.x0 - MAX_OVERHANG <= part.x0 and part.x1 <= box.x1 + MAX_OVERHANG
    inside &= box.y0 - MAX_OVERHANG <= part.y0 and part.y1 <= box.y1 + MAX_OVERHANG
    return inside and line.take(span.text)


def _agreed(region: Region, lost: list[Span], unread: str) -> tuple[Region, list[Span]]:
    """The region, whose text says what its lines say or, if it never had any, `unread`; and what is lost of it."""
    if len(region.spans) == 1 and region.text == region.spans[0].text and not lost:
        return region, lost
    table = table_in(region)
    if table is not None and _letters(region.text) != _letters(as_lines(table)):
        region = region.model_copy(update={"text": as_lines(table)})
    region_letters = _letters(region.text)
    printed = _letters("".join(span.text for span in region.spans) or unread)
    if region_letters == printed:
        return region, lost
    if lost and Counter(region_letters) == Counter(printed + _letters("".join(span.text for span in lost))):
        return region.model_copy(update={"spans": _unplaced((*region.spans, *lost))}), []
    missing = Counter(printed)
    missing.subtract(region_letters)
    if not any(missing.values()):
        return region, lost
    parted = _parted(region, missing) if min(missing.values()) >= 0 else None
    if parted is None:
        return _remade(region, text_of_spans(region.spans) if region.spans else PlacedText(unread).normal()), lost
    present, lost_lines = parted
    return region.model_copy(update={"spans": present}), [*lost, *lost_lines]


def _parted(region: Region, missing: Counter[str]) -> tuple[tuple[Span, ...], list[Span]] | None:
    """The lines of which the text says something, and those, or parts of both, whose letters are `missing` in it.

    None where that cannot be said.
    """
    word_counts = Counter(map(_letters, region.text.split()))
    present: list[Span] = []
    lost_lines: list[Span] = []
    for span in region.spans:
        words = [(word, _is_said(_letters(word[0]), word_counts, missing)) for word in _WORD.finditer(span.text)]
        runs = [(is_said, [word for word, _ in run]) for is_said, run in groupby(words, lambda pair: pair[1])]
        for is_said, run in runs:
            text = span.text[run[0].start() : run[-1].end()]
            part = span if len(runs) == 1 else span.placed(None, None).with_text(text)
            (present if is_said else lost_lines).append(part)
    return None if any(missing.values()) else (tuple(present), list(_unplaced(lost_lines)))


def _is_said(word: str, word_counts: Counter[str], missing: Counter[str]) -> bool:
    """Whether a text says a word; each time that it does counts once, and takes the word off what is missing if not."""
    if word_counts[word] > 0:
        word_counts[word] -= 1
        return True
    letters = Counter(word)
    if not word or not letters <= missing:
        return True
    missing.subtract(letters)
    return False


def _remade(region: Region, text: PlacedText) -> Region:
    """The region with this text alone."""
    nothing = {"table": None, "latex": None, "items": (), "code": False, "links": (), "scripts": ()}
    return as_kind(region, region.kind, **nothing, text=text.text, struck=text.struck, spans=_unplaced(region.spans))


def _put_back(region: Region, spans: Sequence[Span]) -> Region:
    spans = sorted(spans, key=lambda span: (span.box.y0, span.box.x0))
    nothing = {"items": (), "code": False, "links": (), "scripts": (), "continues": False, "note": None}
    text = text_of_spans(spans)
    return as_kind(
        region,
        "plain text",
        **nothing,
        box=BoundingBox.around([span.box for span in spans]),
        spans=tuple(spans),
        text=text.text,
        struck=text.struck,
        origin=RESTORED_ORIGIN,
    )


def _unplaced(spans: Iterable[Span]) -> tuple[Span, ...]:
    return tuple(span.placed(None, None) for span in spans)


def _letters(text: str) -> str:
    """Letters and digits as they are before any typography: raised, joined and composed ones taken apart."""
    return _NO_LETTERS.sub("", text if text.isascii() else unicodedata.normalize("NFKD", text))


def _middle(span: Span) -> tuple[float, float]:
    return span.box.center[1], span.box.center[1]
