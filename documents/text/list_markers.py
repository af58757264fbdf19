"""Recognizes list items: bullets, numbers, letters, and which belong together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from documents.boxes import BoundingBox
from documents.region_values import ListItem

CHECKBOXES = frozenset("☐☑☒")  # a box to tick: the marker says more than that an item begins
PLAIN_BULLETS = CHECKBOXES | frozenset("•‣▪▫●■◆❖❏❐❑❒⬥⧫⦁▸➢➤►▶➔✓✔")  # seldom anything else at the beginning of a row
BULLETS = PLAIN_BULLETS | frozenset("◦○□◇–—*·-")
MARKER = re.compile(
    rf"([{re.escape(''.join(sorted(BULLETS)))}]|−(?=\s+[^\W\d_])|\(?(?:\d{{1,3}}|[a-zA-Z]|[ivx]{{1,4}}|[IVX]{{2,4}})[.)]|\.\d{{1,2}})\s+\S"
)
TOUCHING_MARKER = re.compile(r"([•‣▪➢➤✓✔❖➔])(?=[A-Za-zÀ-ɏ\"“‘'(\[])")
"""A tab that was drawn as no space. Other marks touch what they belong to: `■概要`, `□男 □女`, `○月○日`."""
TICK_MARKS = frozenset("✓✔")  # of a table, where no words follow
HOLLOW_BULLET = "o"  # word processors draw the bullet of a second level so; a word in some languages
# bullets only if a space follows: guillemets end a quotation before a space
SPACED_BULLETS = frozenset((HOLLOW_BULLET, "»", "›"))
MIN_BULLET_GAP = 0.8  # minimum gap between such a bullet and its text, in heights of the mark
DASHES = str.maketrans("–—−", "---")
ROMAN_DIGITS = {"i": 1, "v": 5, "x": 10}


class Lead(NamedTuple):
    """The first word of a printed row: its place on the page, and the points to the next one."""

    box: BoundingBox
    room: float


class Label(NamedTuple):
    """One reading of a mark: the series that it belongs to, and its number there (0 for bullets)."""

    series: str
    number: int


def marker_of(text: str, lead: Lead | None = None) -> str | None:
    """The bullet or number that a line begins with, if it is the mark of an item; `lead` is the line's first word."""
    match = MARKER.match(text) or TOUCHING_MARKER.match(text)
    if match and match[1] in TICK_MARKS and not any(map(str.isalpha, text)):
        return None
    if match:
        return match[1]
    mark, _, words = text.partition(" ")
    is_bullet = (
        mark in SPACED_BULLETS and bool(words) and lead is not None and lead.room >= MIN_BULLET_GAP * lead.box.height
    )
    return mark if is_bullet else None


def is_number(marker: str) -> bool:
    """Whether a mark numbers its item: "1.", "(b)", "iv)", ".2"; a bullet may be a letter, too."""
    return marker != HOLLOW_BULLET and any(map(str.isalnum, marker))


def list_items(lines: Iterable[tuple[str, Lead | None]], box: BoundingBox) -> Iterator[ListItem]:
    """The items among the lines of a text, all at the first level; `box` is of marks whose place is not known."""
    for k, (text, lead) in enumerate(lines):
        if marker := marker_of(text, lead):
            yield ListItem(line=k, marker=marker, box=lead.box if lead else box)


def marker_readings(marker: str) -> list[Label]:
    """What a mark may mean, the likelier first: `i)` is the first in Roman figures, or a letter after `h)`."""
    bare = marker.strip("().")
    if not bare.isalnum() or marker == HOLLOW_BULLET:
        return [Label(marker.translate(DASHES), 0)]
    frame = marker.replace(bare, "{}")
    if bare.isdecimal():
        return [Label(frame + "1", int(bare))]
    case = "a" if bare.islower() else "A"
    letter = [Label(frame + case, ord(bare.lower()) - ord("a") + 1)] if len(bare) == 1 else []
    roman = [Label(f"{frame}i{case}", number)] if (number := _roman(bare.lower())) else []
    return roman + letter if bare.lower() == "i" else letter + roman


def follows(before: Label, label: Label) -> bool:
    """Whether a mark is the next of its series; a bullet follows any of its own."""
    return before.series == label.series and (label.number == 0 or label.number == before.number + 1)


def _roman(text: str) -> int | None:
    """The number that figures up to x write, as they are set in lists."""
    values = [ROMAN_DIGITS.get(sign, 0) for sign in text]
    if not values or 0 in values:
        return None
    pairs = zip(values, [*values[1:], 0], strict=True)
    return sum(-value if value < after else value for value, after in pairs)
