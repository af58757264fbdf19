"""Printed lines made running text: rows read from the left, broken words mended, list items and code kept apart."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from documents.rotation import unrotate
from documents.text.languages import HANGING, without_breaks
from documents.text.list_markers import Lead, marker_of
from documents.text.placed_text import Place, PlacedText, concatenated, shifted
from documents.values import BoundingBox
from documents.vertical_index import VerticalIndex

SENTENCE_ENDS = tuple(".!?:…。！？：")
BLANK_LINE = 0.75  # of a row's height: more between rows is a blank line, if a sentence ends there
MOST_NEAR = 16  # rows at one height that a line is tried in: more lie over one another
MOST_BESIDE = 16  # parts of a row to the left of where a line begins, that may reach into it
HYPHENS = "-\u2010\u00ad"
INDENT = (0.8, 4.0)  # of a row's height: the first line of a paragraph stands in so far
FLUSH = 0.2  # of a row's height
MIRRORED = str.maketrans("()[]{}", ")(][}{")
CLOSES = {")": "(", "]": "[", "}": "{"}
PAGE_AT_END = re.compile(r"(?:\d{1,4}|[ivxlc]{1,6})$")
DOTS_FROM_THE_END = re.compile(r"(?: ?[.\u2026·_]){4}")  # of the reversed text
DOTS = re.compile(r" ?(?:[.\u2026·] ?){8,}")  # from a title to its page, in a table of contents
TAIL = 400  # characters before a line's end that decide how the next one joins
WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


class PrintedLine(NamedTuple):
    """A line, or a part of one, and its place."""

    text: str
    box: BoundingBox
    monospaced: bool = False
    lead: Lead | None = None


class Row(NamedTuple):
    """Lines that stand side by side, as one."""

    text: str
    box: BoundingBox  # upright
    lead: Lead | None = None
    places: tuple[Place, ...] = ()  # of the printed lines, by their number in the region


class RunningText(NamedTuple):
    """A text, for each of its lines the first word that is printed there, and where each printed line stands in it."""

    text: str
    leads: tuple[Lead | None, ...]
    places: tuple[Place, ...] = ()  # every printed line once


@dataclass(slots=True)
class _JoinedRows:
    """A line of a text while rows are joined to it; only its end is looked at, so a long one costs no more."""

    lead: Lead | None = None
    parts: list[str] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    length: int = 0
    tail: str = ""

    def add(self, row: Row, words: frozenset[str]) -> None:
        """Without the hyphen that only broke a word."""
        left_out, between = _seam(self.tail, row.text, words)
        if left_out:
            self.parts[-1] = self.parts[-1][:-left_out]
            self._shorten(left_out)
        self.length += len(between)
        self.places += shifted(row.places, self.length)
        self.parts += [part for part in (between, row.text) if part]
        self.length += len(row.text)
        self.tail = (self.tail[: len(self.tail) - left_out] + between + row.text)[-TAIL:]

    def _shorten(self, left_out: int) -> None:
        self.length -= left_out
        for k in reversed(range(len(self.places))):
            line, start, end = self.places[k]
            if end <= self.length:
                break
            self.places[k] = Place(line, min(start, self.length), self.length)

    def placed(self) -> PlacedText:
        return PlacedText("".join(self.parts), tuple(self.places))


def printed_rows(lines: Sequence[PrintedLine], angle: int = 0) -> list[Row]:
    """The rows of a region from the top; parts of a row are joined by a blank if there is room for one."""
    placed = [_part(number, line, angle) for number, line in enumerate(lines)]
    if len(placed) == 1:
        return [_row(placed)]
    groups: list[_Group] = []
    index = VerticalIndex(step=median(row.box.height for row in placed) if placed else 0.0)
    for one in sorted(placed, key=lambda p: (-p.box.height, p.box.y0, p.box.x0)):
        near = (groups[k] for k in index.crossing(one.box.y0, one.box.y1, MOST_NEAR))
        own = next((group for group in near if group.takes(one)), None)
        if own is None:
            own = _Group(one.box)
            groups.append(own)
            index.add(one.box)  # the tallest sets the row
        own.add(one)
    return sorted((_row(group.members) for group in groups), key=lambda row: (row.box.center[1], row.box.x0))


class _Group:
    """Parts of one row, by where they begin; none of them covers another."""

    def __init__(self, whole: BoundingBox) -> None:
        self._whole = whole
        self._height = whole.height
        self.members: list[Row] = []
        self._starts: list[float] = []

    def add(self, one: Row) -> None:
        at = bisect_right(self._starts, one.box.x0)
        self._starts.insert(at, one.box.x0)
        self.members.insert(at, one)

    def takes(self, one: Row) -> bool:
        """Whether it stands in the row, beside all that is there; only the nearest members can be in its way."""
        box, whole = one.box, self._whole
        if min(whole.y1, box.y1) - max(whole.y0, box.y0) <= 0.5 * min(self._height, box.height):
            return False
        low = max(0, bisect_left(self._starts, box.x0) - MOST_BESIDE)
        high = bisect_right(self._starts, box.x1)
        return not any(_covers(other.box, box) for other in self.members[low:high])


def vocabulary(texts: Iterable[str]) -> frozenset[str]:
    """The words of printed lines in small letters, hyphenated ones whole; both parts of a broken word are left out."""
    found: set[str] = set()
    broken = False
    for text in texts:
        words = WORD.findall(text)
        plain = text.rstrip()
        found.update(word.lower() for word in words[broken : len(words) - plain.endswith(tuple(HYPHENS))])
        broken = plain.endswith(tuple(HYPHENS))
    return frozenset(found)


def running_text(found: Sequence[Row], words: frozenset[str]) -> RunningText:
    """Rows as text: lines of a paragraph joined, paragraphs parted by a blank line, list items by a line's end.

    Each entry of a table of contents is a paragraph.
    """
    if not found:
        return RunningText("", ())
    pitch = median([b.box.y0 - a.box.y0 for a, b in pairwise(found)] or [0.0])
    lines = [_begun(found[0], words)]
    indented_rows = _indented(found)
    for k, (before, row) in enumerate(pairwise(found), 1):
        gap, text = row.box.y0 - before.box.y1, lines[-1].tail
        apart = row.box.y0 - before.box.y0 > 1.45 * pitch and gap > 0.5 * row.box.height
        begins = (gap > BLANK_LINE * row.box.height or k in indented_rows) and text.endswith(SENTENCE_ENDS)
        if apart or begins or ends_in_leader(text):
            lines += [_JoinedRows(), _begun(row, words)]
        elif marker_of(row.text, row.lead) and not _goes_on(text):
            lines.append(_begun(row, words))
        else:
            lines[-1].add(row, words)
    return _of_lines(
        [_unmirrored(without_breaks(line.placed().normal().replaced(DOTS, " … "))) for line in lines],
        [line.lead for line in lines],
    )


def rows_as_lines(found: Sequence[Row]) -> RunningText:
    """Rows as text, a line each."""
    return _of_lines([PlacedText(row.text, row.places).normal() for row in found], [row.lead for row in found])


def indented(found: Sequence[Row]) -> RunningText:
    """Rows of a program: a line each, spaces before it as far as it is set in, empty lines kept."""
    if not found:
        return RunningText("", ())
    character = median(row.box.width / max(1, len(row.text)) for row in found) or 1.0
    edge = min(row.box.x0 for row in found)
    pitch = min((b.box.y0 - a.box.y0 for a, b in pairwise(found)), default=0.0)
    lines: list[PlacedText] = []
    for k, row in enumerate(found):
        if k and row.box.y0 - found[k - 1].box.y0 > 1.6 * pitch > 0:
            lines.append(PlacedText(""))
        indent = PlacedText(" " * round((row.box.x0 - edge) / character))
        lines.append(concatenated([indent, PlacedText(row.text, row.places).normal()]))
    text = concatenated(lines, "\n")
    return RunningText(text.text, (), text.places)


def join_lines(text: str, more: str, words: frozenset[str]) -> str:
    """Two lines as one; a word broken at a hyphen is made whole unless the hyphen is its own."""
    more = more.lstrip()
    left_out, between = _seam(text[-TAIL:], more, words)
    return text[: len(text) - left_out] + between + more


def normal(text: str) -> str:
    """Composed characters, ligatures taken apart, no soft hyphens, single spaces; ends of lines are kept."""
    return PlacedText(text).normal().text


def _seam(text: str, more: str, words: frozenset[str]) -> tuple[int, str]:
    """How many characters at the end of a line go where the next one is joined to it, and what comes between."""
    if not text or not more:
        return 0, ""
    if text[-1] == "\u00ad":
        return 1, ""
    if len(text) < 2 or text[-1] not in HYPHENS or not text[-2].isalpha() or not more[0].islower():
        return 0, " " if not text[-1].isspace() and not _is_cjk(text[-1], more[0]) else ""
    if HANGING.search(text):
        return 0, ""
    head, tail = WORD.findall(text[:-1])[-1:], WORD.match(more)
    if not head or tail is None:
        return 0, ""
    first, last = head[0].lower(), tail[0].lower()
    if first + last in words:
        return 1, ""
    its_own = f"{first}-{last}" in words or "-" in first
    return 0 if its_own or (first in words and last in words and len(last) > 2) else 1, ""


def _begun(row: Row, words: frozenset[str]) -> _JoinedRows:
    line = _JoinedRows(row.lead)
    line.add(row, words)
    return line


def _of_lines(lines: Sequence[PlacedText], leads: Sequence[Lead | None]) -> RunningText:
    """Lines with their leads, without empty ones at the beginning and the end."""
    filled = [k for k, line in enumerate(lines) if line.text] or [0]
    text = concatenated(lines, "\n").stripped("\n")
    return RunningText(text.text, tuple(leads[filled[0] : filled[-1] + 1]), text.places)


def _indented(found: Sequence[Row]) -> set[int]:
    """Rows that stand in, between or below such that begin at the left edge."""
    left = min(row.box.x0 for row in found)
    flush = [row.box.x0 - left <= FLUSH * row.box.height for row in found]
    return {
        k
        for k, row in enumerate(found)
        if k
        and INDENT[0] * row.box.height <= row.box.x0 - left <= INDENT[1] * row.box.height
        and flush[k - 1]
        and (k + 1 == len(found) or flush[k + 1] or marker_of(found[k + 1].text) is not None)
    }


def _row(members: list[Row]) -> Row:
    backwards = _is_backwards("".join(one.text for one in members))
    members = sorted(members, key=lambda m: (-m.box.x1 if backwards else m.box.x0, m.box.y0))
    text, places, lead = members[0].text, [*members[0].places], members[0].lead
    for left, one in pairwise(members):
        gap = max(one.box.x0 - left.box.x1, left.box.x0 - one.box.x1)
        apart = gap > 0.12 * max(left.box.height, one.box.height) or _turns(text, one.text)
        if lead is not None and left is members[0] and " " not in text:
            lead = lead._replace(room=gap)  # a mark that the file sets as a line of its own
        text += " " if apart and text and one.text else ""
        places += shifted(one.places, len(text))
        text += one.text
    return Row(text, BoundingBox.around([one.box for one in members]), lead, tuple(places))


def _part(number: int, line: PrintedLine, angle: int) -> Row:
    text = unicodedata.normalize("NFC", line.text.strip())
    return Row(text, unrotate(line.box, angle), line.lead, (Place(number, 0, len(text)),))


def _covers(a: BoundingBox, b: BoundingBox) -> bool:
    return min(a.x1, b.x1) - max(a.x0, b.x0) > 0.5 * min(a.width, b.width)


def ends_in_leader(text: str) -> bool:
    """Whether a line ends with dots that lead to a page's number; only its end is looked at, however many dots."""
    page = PAGE_AT_END.search(text[-8:])
    if page is None:
        return False
    before = text[: len(text) - len(page[0])].rstrip()
    return DOTS_FROM_THE_END.match(before[:-9:-1]) is not None


def _goes_on(text: str) -> bool:
    """Whether a line's end plainly asks for more, so that a digit or dash that follows starts no item."""
    return text.endswith((",", "(", "–", "—", " and", " or", " of", " the"))


def _turns(text: str, more: str) -> bool:
    """Whether letters that are read from the left meet such that are read from the right."""
    ends = [unicodedata.bidirectional(sign) in ("R", "AL") for sign in (text[-1:], more[:1]) if sign.isalpha()]
    return len(set(ends)) > 1


def _is_backwards(text: str) -> bool:
    if text.isascii():
        return False
    return sum(unicodedata.bidirectional(sign) in ("R", "AL") for sign in text) * 2 > sum(map(str.isalpha, text))


def _is_cjk(a: str, b: str) -> bool:
    """Whether two signs meet without a blank: both are Chinese or Japanese, or one is and the other is a stop."""
    own = ["\u3000" <= sign <= "\u9fff" or "\uff00" <= sign <= "\uffef" for sign in (a, b)]
    return any(own) and all(
        mine or unicodedata.category(sign)[0] == "P" for mine, sign in zip(own, (a, b), strict=True)
    )


def _unmirrored(placed: PlacedText) -> PlacedText:
    """Brackets of text that is read from the right as they are meant, where the file tells how they look."""
    if not _is_backwards(placed.text) or _is_paired(placed.text):
        return placed
    meant = placed.text.translate(MIRRORED)
    return placed.with_text(meant) if _is_paired(meant) else placed


def _is_paired(text: str) -> bool:
    """Whether each bracket that opens is closed, and each that closes was opened."""
    opened: list[str] = []
    for sign in text:
        if sign in "([{":
            opened.append(sign)
        elif sign in ")]}" and (not opened or opened.pop() != CLOSES[sign]):
            return False
    return not opened
