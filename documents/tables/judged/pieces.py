"""The words of a table's region, and the pieces that they make: runs of words that no cell's edge parts.

All is in arrays, upright, and mirrored where the table is read from the right; lengths are in points.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

MAX_JOINED_GAP = 0.35  # words of one line with a smaller gap, in type sizes, are one piece
# distance to both sides of a gap between words in which other lines are compared, in type sizes
GAP_NEIGHBOURHOOD = 1.5
MIN_COVERING_SHARE = 0.4  # minimum share of them that run over a gap within a piece
MIN_LINE_OVERLAP = 0.5  # minimum overlap of two words of one line, as a share of the lower one's height
CURRENCY = frozenset("$€£¥₹₽₩")
AMOUNT_START = re.compile(r"[(\-–−+~]*\.?\d")  # the start of a number
LEADERS = frozenset(".·…‥_ ")
MIN_LEADER = 4  # dots


@dataclass(frozen=True, slots=True)
class RegionWords:
    """`n` words and `m` rules of a region; of words that OCR read, bold and italic are 0 and `typed` is false.

    Attributes:
        texts: of the words.
        box: float32 (n, 4), x0, y0, x1, y1.
        size: float32 (n,), of the type.
        bold: float32 (n,), 0 or 1.
        italic: float32 (n,), 0 or 1.
        spaced: bool (n,), whether a space parts it from the word before.
        rules: float32 (m, 4).
        typed: whether the type of words is known.
    """

    texts: tuple[str, ...]
    box: np.ndarray
    size: np.ndarray
    bold: np.ndarray
    italic: np.ndarray
    spaced: np.ndarray
    rules: np.ndarray
    typed: bool = True


@dataclass(frozen=True, slots=True)
class Pieces:
    """`n` pieces in the order of their lines, each from the left.

    Attributes:
        texts: of the pieces.
        words: of each piece, the indices of its words.
        box: float32 (n, 4).
        size: float32 (n,).
        bold: float32 (n,), share of the letters.
        italic: float32 (n,).
        line: int32 (n,), index of the printed line from the top.
        rules: float32 (m, 4).
        typed: whether the type of words is known.
    """

    texts: tuple[str, ...]
    words: tuple[tuple[int, ...], ...]
    box: np.ndarray
    size: np.ndarray
    bold: np.ndarray
    italic: np.ndarray
    line: np.ndarray
    rules: np.ndarray
    typed: bool

    @property
    def num_lines(self) -> int:
        return int(self.line.max(initial=-1)) + 1


def pieces_of(words: RegionWords) -> Pieces:
    """The pieces of all words: neighbours of a line that stand close, are set alike, and are not two numbers."""
    uprights = words.rules[words.rules[:, 3] - words.rules[:, 1] > words.rules[:, 2] - words.rules[:, 0]]
    groups: list[list[int]] = []
    lines: list[int] = []
    printed = printed_lines(words.box)
    joined = _joined(words, printed, uprights)
    for number, line in enumerate(printed):
        for word in line:
            if word in joined:
                groups[-1].append(word)
            else:
                groups.append([word])
                lines.append(number)
    order = np.array([word for group in groups for word in group], np.intp)
    starts = np.cumsum([0, *(len(group) for group in groups[:-1])])
    letters = np.array([max(1, len(text)) for text in words.texts], np.float32)[order]
    total = np.add.reduceat(letters, starts)
    box = words.box[order]
    low, high = np.minimum.reduceat(box[:, :2], starts), np.maximum.reduceat(box[:, 2:], starts)
    return Pieces(
        texts=tuple(_text(words, group) for group in groups),
        words=tuple(map(tuple, groups)),
        box=np.concatenate([low, high], 1),
        size=np.maximum.reduceat(words.size[order], starts),
        bold=np.add.reduceat(words.bold[order] * letters, starts) / total,
        italic=np.add.reduceat(words.italic[order] * letters, starts) / total,
        line=np.array(lines, np.int32),
        rules=words.rules,
        typed=words.typed,
    )


def printed_lines(box: np.ndarray) -> list[list[int]]:
    """Indices of boxes by printed line from the top, each from the left: a box joins the line that it overlaps most."""
    middle = (box[:, 1] + box[:, 3]) / 2
    tops: list[float] = []
    bottoms: list[float] = []
    lines: list[list[int]] = []
    for index in np.argsort(middle, kind="stable").tolist():
        top, bottom = float(box[index, 1]), float(box[index, 3])
        best, most = -1, MIN_LINE_OVERLAP
        for number in range(len(lines) - 1, max(-1, len(lines) - 6), -1):
            low = max(0.1, min(bottom - top, bottoms[number] - tops[number]))
            shared = (min(bottom, bottoms[number]) - max(top, tops[number])) / low
            if shared > most:
                best, most = number, shared
        if best < 0:
            lines.append([index])
            tops.append(top)
            bottoms.append(bottom)
        else:
            lines[best].append(index)
    order = sorted(range(len(lines)), key=lambda number: (tops[number] + bottoms[number]) / 2)
    return [sorted(lines[number], key=lambda index: (box[index, 0], box[index, 1])) for number in order]


def _joined(words: RegionWords, printed: Sequence[Sequence[int]], uprights: np.ndarray) -> set[int]:
    """The words that go on with the one before: where other lines run over the gap, rather than have one there, too.

    A sign of a currency alone is one with the number behind it, however far, but for signs in a text (`in $`) and such
    as end a line: those stand behind their numbers.
    """
    signs = CURRENCY.difference(words.texts[line[-1]] for line in printed)
    amounts: set[int] = set()
    pairs: list[tuple[int, int, int]] = []
    for number, line in enumerate(printed):
        with_before = zip((None, *line[:-1]), line, strict=True)
        begins = {k for before, k in with_before if words.texts[k] in signs and not _is_in_text(words, before, k)}
        for left, right in pairwise(line):
            if left in begins and AMOUNT_START.match(words.texts[right]):
                if not _has_rule_between(words, left, right, uprights):
                    amounts.add(right)
            elif right not in begins and _goes_on(words, left, right, uprights):
                pairs.append((number, left, right))
    if not pairs:
        return amounts
    line_of = np.zeros((len(words.texts), len(printed)), np.float32)
    for number, line in enumerate(printed):
        line_of[line, number] = 1
    number, left, right = np.array(pairs).T
    middle = (words.box[left, 2] + words.box[right, 0]) / 2
    x0, x1 = words.box[:, 0], words.box[:, 2]
    near = GAP_NEIGHBOURHOOD * words.size[right][:, None]
    covers = (x0 < middle[:, None]) & (x1 > middle[:, None])
    stands_near = (x0 < middle[:, None] + near) & (x1 > middle[:, None] - near)
    num_covering, num_near = (((mask.astype(np.float32) @ line_of) > 0).sum(1) for mask in (covers, stands_near))
    others = num_near - 1  # its own line stands near, and does not cover it
    return amounts | set(right[num_covering >= MIN_COVERING_SHARE * others].tolist())


def _is_in_text(words: RegionWords, before: int | None, index: int) -> bool:
    """Whether a word stands a space behind one with letters."""
    if before is None or not any(map(str.isalpha, words.texts[before])):
        return False
    return float(words.box[index, 0] - words.box[before, 2]) <= MAX_JOINED_GAP * float(words.size[index])


def _goes_on(words: RegionWords, left: int, right: int, uprights: np.ndarray) -> bool:
    gap = float(words.box[right, 0] - words.box[left, 2])
    size = float(min(words.size[left], words.size[right]))
    if not -0.5 * size <= gap <= MAX_JOINED_GAP * size or words.bold[left] != words.bold[right]:
        return False
    before, after = words.texts[left], words.texts[right]
    if (words.spaced[right] and before[-1:].isdigit() and after[:1].isdigit()) or is_leader(before) != is_leader(after):
        return False
    return not _has_rule_between(words, left, right, uprights)


def _has_rule_between(words: RegionWords, left: int, right: int, uprights: np.ndarray) -> bool:
    if not len(uprights):
        return False
    middle = float(words.box[right, 1] + words.box[right, 3]) / 2
    between = (uprights[:, 0] >= words.box[left, 2] - 1) & (uprights[:, 0] <= words.box[right, 0] + 1)
    return bool((between & (uprights[:, 1] < middle) & (middle < uprights[:, 3])).any())


def is_leader(text: str) -> bool:
    """Whether it is the dots that lead from a label to its value."""
    return len(text) >= MIN_LEADER and LEADERS.issuperset(text)


def _text(words: RegionWords, group: Sequence[int]) -> str:
    return "".join(
        " " * bool(words.spaced[index] and number) + words.texts[index] for number, index in enumerate(group)
    )
