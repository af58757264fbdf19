"""Joins printed lines to paragraphs: hyphenation, line breaks, list items, code."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from documents.text.languages import (
    COMPOUND_PREFIX,
    SENTENCE_ENDS,
    SUSPENDED_HYPHEN,
    SUSPENDED_PAIR,
    UNSPACED_SCRIPTS,
    without_breaks,
)
from documents.text.list_markers import CHECKBOXES, Lead, marker_of
from documents.text.placed_text import Place, PlacedText, concatenated, shifted
from documents.text.printed_rows import Row, RowLimits, is_backwards
from documents.text.row_breaks import BreakLimits, entry_rows, from_the_left, hangs, item_rows, wide_breaks
from documents.text.text_direction import MIRRORED_BRACKETS, is_paired

HYPHENS = "-\u2010\u00ad"
PAGE_AT_END = re.compile(r"(?:\d{1,4}|[ivxlc]{1,6})$")
REVERSED_DOTS = re.compile(r"(?: ?[.\u2026·_]){4}")  # matches the reversed text
DOT_LEADER = re.compile(r" ?(?:[.\u2026·] ?){8,}")  # leads from a title to its page, in a table of contents
TAIL_CHARACTERS = 400  # the characters at a line's end that decide how the next line joins
ADDRESS = re.compile(r"://|^www\.|\w@\w|[\w-]\.\w{2,}/", re.IGNORECASE)  # its hyphens are its own
UNSPACED_CHARACTER = re.compile(f"[{UNSPACED_SCRIPTS}\u3000-\u303f\u3100-\u312f\uff00-\uffef]")
WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class TextLimits:
    """How rows stand that begin a paragraph. Lengths are in heights of a row."""

    blank_line: float = 0.75  # more between rows is a blank line, if a sentence ends there
    min_gap: float = 0.5  # between rows further apart than others: a blank line, however the row above ends
    min_pitch: float = 1.45  # of such rows, times the usual distance of two rows
    min_indent: float = 0.8  # of the first line of a paragraph
    max_indent: float = 4.0
    program_blank_line: float = 1.6  # times the least distance of two rows: a blank line in a program
    rows: RowLimits = field(default_factory=RowLimits)
    breaks: BreakLimits = field(default_factory=BreakLimits)


class RunningText(NamedTuple):
    """A text, for each of its lines the first word that is printed there, and where each printed line stands in it."""

    text: str
    leads: tuple[Lead | None, ...]
    places: tuple[Place, ...] = ()  # every printed line once, and what is marked in it


@dataclass(slots=True)
class _JoinedRows:
    """A line of a text while rows are joined to it; only its end is looked at, so a long one costs no more."""

    lead: Lead | None = None
    parts: list[str] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    length: int = 0
    tail: str = ""

    def add(self, row: Row | PlacedText, words: frozenset[str]) -> None:
        """Without the hyphen that only broke a word."""
        left_out, between = _seam(self.tail, row.text, words)
        if left_out:
            self.parts[-1] = self.parts[-1][:-left_out]
            self._shorten(left_out)
        self.length += len(between)
        self.places += shifted(row.places, self.length)
        self.parts += [part for part in (between, row.text) if part]
        self.length += len(row.text)
        self.tail = (self.tail[: len(self.tail) - left_out] + between + row.text)[-TAIL_CHARACTERS:]

    def _shorten(self, left_out: int) -> None:
        self.length -= left_out
        for k in reversed(range(len(self.places))):
            place = self.places[k]
            if place.end <= self.length:
                break
            self.places[k] = place._replace(start=min(place.start, self.length), end=self.length)

    def placed(self) -> PlacedText:
        return PlacedText("".join(self.parts), tuple(self.places))


def vocabulary(texts: Iterable[str]) -> frozenset[str]:
    """The words of printed lines in small letters, hyphenated ones whole; both parts of a broken word are left out."""
    known_words: set[str] = set()
    broken = False
    for text in texts:
        words = WORD.findall(text)
        plain = text.rstrip()
        known_words.update(word.lower() for word in words[broken : len(words) - plain.endswith(tuple(HYPHENS))])
        broken = plain.endswith(tuple(HYPHENS))
    return frozenset(known_words)


def running_text(
    rows: Sequence[Row],
    words: frozenset[str],
    begins: Collection[int] = (),
    *,
    items: bool = False,
    limits: TextLimits = TextLimits(),
) -> RunningText:
    """Rows as text: lines of a paragraph joined, paragraphs parted by a blank line, list items by a line's end.

    Each entry of a table of contents is a paragraph. `begins` are rows that are known to begin a paragraph, or one of
    the `items`.
    """
    if not rows:
        return RunningText("", ())
    pitch = median([b.box.y0 - a.box.y0 for a, b in pairwise(rows)] or [0.0])
    lines = [_begun(rows[0], words)]
    placed = from_the_left(rows)
    indented_rows, marked = _indented(placed, limits), item_rows(placed, limits.breaks)
    entries = entry_rows(placed, limits.breaks) | wide_breaks(placed, limits.breaks)
    for k, (before, row) in enumerate(pairwise(rows), 1):
        gap, text = row.box.y0 - before.box.y1, lines[-1].tail
        height = row.box.height
        apart = row.box.y0 - before.box.y0 > limits.min_pitch * pitch and gap > limits.min_gap * height
        ends = (gap > limits.blank_line * height or k in indented_rows) and text.endswith(SENTENCE_ENDS)
        if k in marked or (items and k in begins):
            lines.append(_begun(row, words))
        elif k in begins or apart or ends or k in entries or ends_in_leader(text) or row.text[:1] in CHECKBOXES:
            lines += [_JoinedRows(), _begun(row, words)]
        else:
            lines[-1].add(row, words)
    return _as_text(lines)


def _as_text(lines: Sequence[_JoinedRows]) -> RunningText:
    return _of_lines(
        [_unmirrored(without_breaks(line.placed().normal().replaced(DOT_LEADER, " … "))) for line in lines],
        [line.lead for line in lines],
    )


def rows_as_lines(rows: Sequence[Row]) -> RunningText:
    """Rows as text, a line each."""
    return _of_lines([PlacedText(row.text, row.places).normal() for row in rows], [row.lead for row in rows])


def joined(lines: Iterable[PlacedText], words: frozenset[str]) -> PlacedText:
    """Lines as one; a word broken at a hyphen is made whole unless the hyphen is its own."""
    whole = _JoinedRows()
    for line in lines:
        whole.add(line, words)
    return whole.placed()


def join_lines(text: str, more: str, words: frozenset[str]) -> str:
    """Two lines as one; a word broken at a hyphen is made whole unless the hyphen is its own."""
    more = more.lstrip()
    left_out, between = _seam(text[-TAIL_CHARACTERS:], more, words)
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
    if len(text) < 2 or text[-1] not in HYPHENS or not text[-2].isalnum() or not more[0].isalnum():
        return 0, " " if not text[-1].isspace() and not _meet_without_space(text[-1], more[0]) else ""
    if SUSPENDED_HYPHEN.match(more):
        return 0, " "
    if SUSPENDED_PAIR.search(text) or ADDRESS.search(
        text.rsplit(None, 1)[-1] + more[:TAIL_CHARACTERS].split(None, 1)[0]
    ):
        return 0, ""
    head, tail = WORD.findall(text[:-1])[-1:], WORD.match(more)
    if not head or tail is None or text[-2].isdigit():
        return 0, ""
    first, last = head[0].lower(), tail[0].lower()
    if first + last in words:
        return 1, ""
    if not more[0].islower() or (len(first) > 1 and head[0].isupper()) or COMPOUND_PREFIX.match(f"{first}-{last}"):
        return 0, ""
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


def _indented(rows: Sequence[Row], limits: TextLimits) -> set[int]:
    """Rows that stand in, between or below such that begin at the left edge."""
    left = min(row.box.x0 for row in rows)
    flush = [row.box.x0 - left <= limits.breaks.max_edge_shift * row.box.height for row in rows]
    return {
        k
        for k, row in enumerate(rows)
        if k
        and limits.min_indent * row.box.height <= row.box.x0 - left <= limits.max_indent * row.box.height
        and flush[k - 1]
        and (k + 1 == len(rows) or flush[k + 1] or marker_of(rows[k + 1].text) is not None)
        and not hangs(rows[k - 1], row, limits.breaks)
    }


def ends_in_leader(text: str) -> bool:
    """Whether a line ends with dots that lead to a page's number; only its end is looked at, however many dots."""
    page = PAGE_AT_END.search(text[-8:])
    if page is None:
        return False
    before = text[: len(text) - len(page[0])].rstrip()
    return REVERSED_DOTS.match(before[:-9:-1]) is not None


def _meet_without_space(a: str, b: str) -> bool:
    """Whether both characters are of scripts that set no spaces between words, or one is and the other is a stop."""
    own = [UNSPACED_CHARACTER.match(character) is not None for character in (a, b)]
    return any(own) and all(
        mine or unicodedata.category(character)[0] == "P" for mine, character in zip(own, (a, b), strict=True)
    )


def _unmirrored(placed: PlacedText) -> PlacedText:
    """Brackets of text that is read from the right as they are meant, where the file tells how they look."""
    if not is_backwards(placed.text) or is_paired(placed.text):
        return placed
    mirrored = placed.text.translate(MIRRORED_BRACKETS)
    return placed.with_text(mirrored) if is_paired(mirrored) else placed
