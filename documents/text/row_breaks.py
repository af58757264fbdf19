"""Decides which rows of a text begin a list item or an entry of a list of titles, by their place and their numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from documents.text.languages import SENTENCE_ENDS
from documents.text.list_markers import PLAIN_BULLETS, Label, marker_of, marker_readings
from documents.text.printed_rows import Row, is_backwards
from documents.text.word_count import num_words

OPEN_ENDS = tuple(",(–—，、")  # a sentence seldom breaks off with one of these
FIRST_NUMBER = re.compile(r"(\d{1,4})(?=\s+\S*[^\W\d_])")
LAST_NUMBER = re.compile(r"(?:.*\s)?(?:(\d{1,4})|[ivxlc]{1,6})")
INITIAL = re.compile(r"[^\W\d_]\.")


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakLimits:
    """How rows stand that begin an item or an entry."""

    max_edge_shift: float = 0.2  # of a row's height, by which the edges of two rows may differ
    min_wide_gap: float = 0.7  # of a row's height: lines of a paragraph seldom stand further apart
    max_words: int = 8  # of a title in a list of them
    min_entries: int = 3  # numbers in ascending order, that make the rows of a text entries


def item_rows(rows: Sequence[Row], limits: BreakLimits) -> set[int]:
    """Rows that begin with a mark, and of which more than the mark says that they begin an item.

    A wrapped line may begin with "E. coli", "p. 12" or "24. Dezember". An item has another one in its series, stands
    further in or out than the row above, has its text hanging from its mark, or stands below a row that ends early or
    with a sentence.
    """
    markers = [marker_of(row.text, row.lead) for row in rows]
    marked = [k for k, marker in enumerate(markers) if marker is not None]
    if not marked:
        return set()
    in_series = _in_series([(k, markers[k] or "") for k in marked])
    edge = max(row.box.x1 for row in rows)
    items = set(marked[:1]) & {0}
    for k in marked:
        if k and (
            markers[k] in PLAIN_BULLETS
            or k in in_series
            or (ends_early(rows[k - 1], rows[k], edge) and not rows[k - 1].text.endswith(OPEN_ENDS))
            or _is_after_end(rows[k - 1], markers[k] or "")
            or _is_set_apart(rows, k, limits, is_first=k == 1 and 0 not in items)
        ):
            items.add(k)
    return items


def entry_rows(rows: Sequence[Row], limits: BreakLimits) -> set[int]:
    """Rows that begin an entry of a list of titles, with the number of each before or after it; or a number alone."""
    starts: set[int] = set()
    firsts = {k: int(number[1]) for k, row in enumerate(rows) if (number := FIRST_NUMBER.match(row.text))}
    if _are_ascending(list(firsts.values()), len(rows), limits) and len(set(firsts.values())) == len(firsts):
        starts.update(firsts)
    lasts = {k: int(number[1] or 0) for k, row in enumerate(rows) if (number := LAST_NUMBER.fullmatch(row.text))}
    if _are_ascending(list(lasts.values()), len(rows), limits) or (
        len(rows) >= limits.min_entries and all(row.text.isdecimal() for row in rows)
    ):
        starts.update(k + 1 for k in lasts)
    return starts - {0}


def wide_breaks(rows: Sequence[Row], limits: BreakLimits) -> set[int]:
    """Rows that stand far below one that ends early; all that do so, where most of the others end early or are titles.

    Titles are short, and each begins with a capital.
    """
    if len(rows) < limits.min_entries:
        return set()
    edge = max(row.box.x1 for row in rows)
    pairs = list(enumerate(pairwise(rows), 1))
    wide = {k for k, (before, row) in pairs if row.box.y0 - before.box.y1 >= limits.min_wide_gap * row.box.height}
    early = {k for k, (before, row) in pairs if k in wide and ends_early(before, row, edge)}
    are_titles = all(row.text[:1].isupper() and num_words(row.text) <= limits.max_words for row in rows)
    return wide if are_titles or 2 * len(early) > len(wide) else early


def ends_early(before: Row, row: Row, edge: float) -> bool:
    """Whether the first two words of a row would have found room on the row above: then its end is meant.

    Two words, since many are tied: "p. 12" is never parted.
    """
    needed = len(" ".join(row.text.split()[:2])) + 1
    return edge - before.box.x1 > needed * row.box.width / max(1, len(row.text))


def hangs(item: Row, row: Row, limits: BreakLimits) -> bool:
    """Whether a row begins below the text of an item, behind its mark."""
    if item.lead is None or marker_of(item.text, item.lead) is None:
        return False
    return abs(item.lead.box.x1 + item.lead.room - row.box.x0) <= limits.max_edge_shift * row.box.height


def from_the_left(rows: Sequence[Row]) -> list[Row]:
    """The rows as they stand in a mirror, if they are read from the right."""
    if not is_backwards("".join(row.text for row in rows)):
        return list(rows)
    leads = [row.lead and row.lead._replace(box=row.lead.box.mirrored()) for row in rows]
    return [row._replace(box=row.box.mirrored(), lead=lead) for row, lead in zip(rows, leads, strict=True)]


def _in_series(marked: Sequence[tuple[int, str]]) -> set[int]:
    """Rows with a mark that follows one above or is followed by one below; or with a bullet that another one has."""
    readings = {k: marker_readings(marker) for k, marker in marked}
    first: dict[Label, int] = {}
    last: dict[Label, int] = {}
    counts: Counter[Label] = Counter()
    for k, labels in readings.items():
        for label in labels:
            first.setdefault(label, k)
            last[label] = k
            counts[label] += 1
    return {
        k
        for k, labels in readings.items()
        for label in labels
        if (label.number == 0 and counts[label] > 1)
        or first.get(label._replace(number=label.number - 1), k) < k
        or last.get(label._replace(number=label.number + 1), k) > k
    }


def _is_after_end(before: Row, marker: str) -> bool:
    """Whether a sentence ends above a mark; a name's initial begins the next one as often as an item does."""
    return before.text.endswith((*SENTENCE_ENDS, *";；")) and INITIAL.fullmatch(marker) is None


def _is_set_apart(rows: Sequence[Row], k: int, limits: BreakLimits, *, is_first: bool) -> bool:
    """Whether a row stands further in than the one above, or further out than one that begins no paragraph."""
    before, row = rows[k - 1], rows[k]
    slack = limits.max_edge_shift * row.box.height
    if k + 1 < len(rows) and rows[k + 1].box.x0 > row.box.x0 + slack and hangs(row, rows[k + 1], limits):
        return True
    if abs(row.box.center[0] - before.box.center[0]) <= slack:  # both are centred, or justified
        return False
    by = row.box.x0 - before.box.x0
    return by > slack or (by < -slack and not is_first)


def _are_ascending(numbers: Sequence[int], num_rows: int, limits: BreakLimits) -> bool:
    """Whether most rows have a number, none lower than the one before."""
    count = sum(number > 0 for number in numbers)
    return count >= max(limits.min_entries, num_rows / 2) and all(a <= b for a, b in pairwise(numbers))
