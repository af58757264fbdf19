"""Printed lines made running text: rows read from the left, broken words mended, list items and code kept apart."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from documents.turning import upright
from documents.values import BoundingBox

BULLET = re.compile(r"(?:[•‣◦▪●○■□–—*·-]|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)])\s+\S")
SENTENCE_ENDS = tuple(".!?:…。！？：")
BLANK_LINE = 0.75  # of a row's height: more between rows is a blank line, if a sentence ends there
HYPHENS = "-\u2010\u00ad"
BROKEN = re.compile(
    r"(?<=[^\W\d_][a-zà-ÿ])- (?!(?:and|bis|e|et|o|oder|or|ou|sowie|to|und|y)\b)(?=[a-zà-ÿ]{2})"
)  # within a line
WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


class PrintedLine(NamedTuple):
    """A line, or a part of one, and its place."""

    text: str
    box: BoundingBox
    monospaced: bool = False


class Row(NamedTuple):
    """Lines that stand side by side, as one."""

    text: str
    box: BoundingBox  # upright


def rows(lines: Sequence[PrintedLine], angle: int = 0) -> list[Row]:
    """The rows of a region from the top; parts of a row are joined by a blank if there is room for one."""
    placed = [(upright(line.box, angle), line.text) for line in lines]
    groups: list[tuple[BoundingBox, list[tuple[BoundingBox, str]]]] = []
    for box, text in sorted(placed, key=lambda p: (-p[0].height, p[0].y0, p[0].x0)):
        for k, (whole, members) in enumerate(groups):
            shared = min(whole.y1, box.y1) - max(whole.y0, box.y0)
            apart = all(min(b.x1, box.x1) - max(b.x0, box.x0) <= 0.5 * min(b.width, box.width) for b, _ in members)
            if shared > 0.5 * min(whole.height, box.height) and apart:
                members.append((box, text))
                groups[k] = (members[0][0], members)  # the tallest sets the row
                break
        else:
            groups.append((box, [(box, text)]))
    found = [_row(members) for _, members in groups]
    return sorted(found, key=lambda row: (row.box.center[1], row.box.x0))


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


def running_text(found: Sequence[Row], words: frozenset[str]) -> str:
    """Rows as text: lines of a paragraph joined, paragraphs parted by a blank line, list items by a line's end."""
    if not found:
        return ""
    pitch = median([b.box.y0 - a.box.y0 for a, b in pairwise(found)] or [0.0])
    text = found[0].text
    for before, row in pairwise(found):
        gap = row.box.y0 - before.box.y1
        if (row.box.y0 - before.box.y0 > 1.45 * pitch and gap > 0.5 * row.box.height) or (
            gap > BLANK_LINE * row.box.height and text.endswith(SENTENCE_ENDS)
        ):
            text += "\n\n" + row.text
        elif BULLET.match(row.text) and not _goes_on(text):
            text += "\n" + row.text
        else:
            text = joined(text, row.text, words)
    return BROKEN.sub("", normal(text))


def indented(found: Sequence[Row]) -> str:
    """Rows of a program: a line each, blanks before it as far as it is set in, blank lines kept."""
    if not found:
        return ""
    sign = median(row.box.width / max(1, len(row.text)) for row in found) or 1.0
    edge = min(row.box.x0 for row in found)
    pitch = min((b.box.y0 - a.box.y0 for a, b in pairwise(found)), default=0.0)
    lines: list[str] = []
    for k, row in enumerate(found):
        if k and row.box.y0 - found[k - 1].box.y0 > 1.6 * pitch > 0:
            lines.append("")
        lines.append(" " * round((row.box.x0 - edge) / sign) + normal(row.text))
    return "\n".join(lines)


def joined(text: str, more: str, words: frozenset[str]) -> str:
    """Two lines as one; a word broken at a hyphen is mended unless the hyphen is its own."""
    more = more.lstrip()
    if not text or not more:
        return text + more
    if text[-1] == "\u00ad":
        return text[:-1] + more
    if len(text) < 2 or text[-1] not in HYPHENS or not text[-2].isalpha() or not more[0].islower():
        return text + (" " if not text[-1].isspace() and not _is_cjk(text[-1], more[0]) else "") + more
    head, tail = WORD.findall(text[:-1])[-1:], WORD.match(more)
    if not head or tail is None:
        return text + more
    first, last = head[0].lower(), tail[0].lower()
    if first + last in words:
        return text[:-1] + more
    if (
        f"{first}-{last}" in words
        or "-" in first
        or (first.split("-")[-1] in words and last in words and len(last) > 2)
    ):
        return text + more
    return text[:-1] + more


def normal(text: str) -> str:
    """Composed characters, ligatures taken apart, no soft hyphens, single blanks; lines are kept."""
    text = unicodedata.normalize("NFC", text).replace("\u00ad", "").replace("\u00a0", " ")
    text = re.sub("[\ufb00-\ufb06]", lambda found: unicodedata.normalize("NFKC", found[0]), text)
    text = "".join(sign for sign in text if sign == "\n" or unicodedata.category(sign) != "Cc")
    return re.sub(r"[ \t]+", " ", text).strip()


def _row(members: list[tuple[BoundingBox, str]]) -> Row:
    backwards = sum(_is_backwards(text) for _, text in members) * 2 > len(members)
    members = sorted(members, key=lambda m: (-m[0].x1 if backwards else m[0].x0, m[0].y0))
    text = members[0][1].strip()
    for (left, _), (box, more) in pairwise(members):
        gap = max(box.x0 - left.x1, left.x0 - box.x1)
        apart = gap > 0.12 * max(left.height, box.height) or _turns(text, more.strip())
        text += (" " if apart else "") + more.strip()
    return Row(text, BoundingBox.around([box for box, _ in members]))


def _goes_on(text: str) -> bool:
    """Whether a line's end plainly asks for more, so that a digit or dash that follows starts no item."""
    return text.endswith((",", "(", "–", "—", " and", " or", " of", " the"))


def _turns(text: str, more: str) -> bool:
    """Whether letters that are read from the left meet such that are read from the right."""
    ends = [unicodedata.bidirectional(sign) in ("R", "AL") for sign in (text[-1:], more[:1]) if sign.isalpha()]
    return len(set(ends)) > 1


def _is_backwards(text: str) -> bool:
    return sum(unicodedata.bidirectional(sign) in ("R", "AL") for sign in text) * 2 > sum(map(str.isalpha, text))


def _is_cjk(a: str, b: str) -> bool:
    return all("\u3000" <= sign <= "\u9fff" or "\uff00" <= sign <= "\uffef" for sign in (a, b))
