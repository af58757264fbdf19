"""How many paragraphs of a truth are cut, or joined with the next one, in what was read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

BLANK_LINES = re.compile(r"\n\s*\n")
FENCED = re.compile(r"^```.*?^```$", re.M | re.S)
# of a list, quotation, heading, table or picture
MARKED = re.compile(r"\s*([-*+]\s|>|#{1,6}\s|\||!\[|<(?:table|img|div)|\d+[.)]\s)")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text; `ends`: it is the last of its block, `is_plain`: the block is a paragraph of running text."""

    text: str
    ends: bool
    is_plain: bool


@dataclass(frozen=True, slots=True)
class Breaks:
    """Paragraphs of a truth, and at how many places between two of its words a result parts or joins them wrongly."""

    num_paragraphs: int
    num_cut: int
    num_joined: int


def breaks(truth: str, result: str, plain: Callable[[str], str]) -> Breaks:
    """Of two Markdown texts; `plain` makes bare words of a block. Words that have no partner say nothing."""
    expected, actual = list(_words(truth, plain)), list(_words(result, plain))
    num_cut = num_joined = 0
    matcher = SequenceMatcher(None, [word.text for word in expected], [word.text for word in actual], autojunk=False)
    for match in matcher.get_matching_blocks():
        pairs = range(match.size - 1)
        for here, there in ((match.a + k, match.b + k) for k in pairs):
            if expected[here].is_plain and expected[here + 1].is_plain:
                if actual[there].ends and not expected[here].ends:
                    num_cut += 1
                if expected[here].ends and not actual[there].ends:
                    num_joined += 1
    num_paragraphs = sum(word.ends and word.is_plain for word in expected)
    return Breaks(num_paragraphs=num_paragraphs, num_cut=num_cut, num_joined=num_joined)


def _words(markdown: str, plain: Callable[[str], str]) -> Iterator[Word]:
    for block in BLANK_LINES.split(FENCED.sub("", markdown)):
        words = plain(block).split()
        is_plain = MARKED.match(block) is None
        for index, word in enumerate(words, 1):
            yield Word(text=word, ends=index == len(words), is_plain=is_plain)
