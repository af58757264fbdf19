"""Recognises a table of contents, whose entries end in dots and page numbers that never fall: text, not a table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from documents.inspection import TextLine
from documents.structure.page_draft import PageDraft
from documents.tables.cells import PlacedWord, baselines, placed_words
from documents.values import BoundingBox

LEADERS = re.compile(r"[.·…_]{4,}|(?:[.·…]\s){3,}")
NUMBER = re.compile(r"\d{1,4}")
ROMAN = re.compile(r"[ivxl]{1,6}", re.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentsLists:
    """What makes the rows of a table entries of a table of contents."""

    min_entries: int = 4
    entries: float = 0.75  # of the rows, that end in a page number: others are lines of long entries
    leaders: float = 0.6  # of the rows with a page number, that have dots before it


def contents_are_no_table(page: PageDraft, limits: ContentsLists) -> PageDraft:
    if not any(d.kind == "table" for d in page.kept):
        return page
    lines = [line for line in page.inspection.lines if line.hidden is None and line.angle == 0]
    kept = tuple(
        d.as_kind("plain text") if d.kind == "table" and lists_contents(d.box, lines, limits) else d for d in page.kept
    )
    return replace(page, kept=kept)


def lists_contents(box: BoundingBox, lines: Sequence[TextLine], limits: ContentsLists) -> bool:
    """Whether what stands in `box` is a table of contents, with dots in its rows.

    Without dots it stays a table: as text its entries would run into one another.
    """
    rows = baselines(placed_words([line for line in lines if box.contains(*line.box.center)], 0))
    numbered = [row for row in rows if len(row) > 1 and _ends_in_page(row)]
    if len(numbered) < limits.min_entries or len(numbered) < limits.entries * len(rows):
        return False
    if any(_num_numbers(row) > 1 for row in numbered):
        return False
    pages = [int(row[-1].word.text) for row in numbered if row[-1].word.text.isdecimal()]
    if any(below < above for above, below in pairwise(pages)) or len(set(pages)) < 2:
        return False
    return sum(LEADERS.search(_text(row)) is not None for row in numbered) >= limits.leaders * len(numbered)


def _ends_in_page(row: Sequence[PlacedWord]) -> bool:
    """Whether the last word is a page number, with room before it, behind a word."""
    last = row[-1].word.text
    words = any(any(map(str.isalpha, one.word.text)) for one in row[:-1])
    return words and (NUMBER.fullmatch(last) or ROMAN.fullmatch(last)) is not None


def _num_numbers(row: Sequence[PlacedWord]) -> int:
    """How many numbers stand at its end, one behind another."""
    count = 0
    for one in reversed(row):
        if not one.word.text.replace(",", "").isdecimal():
            break
        count += 1
    return count


def _text(row: Sequence[PlacedWord]) -> str:
    return " ".join(one.word.text for one in row)
