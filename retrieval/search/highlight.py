"""Chooses the sentence of a passage to highlight for a query, and its boxes on the page."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

from retrieval.chunking.chunk import ChunkKind
from retrieval.index.fulltext_terms import query_words, word_positions, words_of

SENTENCE_END = re.compile(r"[.!?…][\"'”’)\]]*\s+(?=[\"'“‘(\[]?[A-ZÀ-ÖØ-Þ0-9])|[。！？]\s*|\n(?=[-•*]\s)")
ABBREVIATION = re.compile(
    r"(?:\b[A-Za-z]|\b(?:e\.g|i\.e|cf|vs|etc|Fig|Figs|Eq|Eqs|Sec|No|Nos|Dr|Mr|Mrs|Prof|St|al|pp|p))\.\s*\Z"
)
MAX_SENTENCE_CHARACTERS = 400  # longer text without a full stop is split at its lines
MIN_STEM_LETTERS = 4  # minimum number of letters that two forms of one word share
MIN_STEM_SHARE = 0.7  # minimum length of the stem, as a share of the longer form
MAX_SHORT_WORD_LETTERS = 3  # so short a word seldom says what a query is about
MAX_TERMS = 64  # maximum terms per query: each is compared with every word of a passage
Extent = tuple[int, int]


def matched_terms(text: str, query: str) -> tuple[str, ...]:
    """The words of `text` that are words of the query, or forms of them, as they are printed; each once."""
    terms = _terms(query)
    printed = (text[start:end] for word, start, end in word_positions(text) if _matches(word, terms))
    return tuple({word.casefold(): word for word in printed}.values())


def best_sentence(text: str, kind: ChunkKind, headings: Sequence[str], query: str) -> Extent | None:
    """Where the sentence (of a table: the row) lies that holds most of the query; None where none holds any of it."""
    terms = _terms(query)
    body = _after_headings(text, headings)
    units = _lines(text, body) if kind == "table" else list(_sentences(text, body))
    words = [_terms_in(words_of(text[start:end]), terms) for start, end in units]
    if not any(words):
        return None
    weights = {term: math.log1p(len(units) / sum(term in present for present in words)) for term in set().union(*words)}
    best = max(range(len(units)), key=lambda number: sum(weights[term] for term in words[number]))
    return units[best]


def spans_within(spans: Sequence[Mapping[str, Any]], extent: Extent) -> list[int]:
    """The numbers of the spans that hold a part of the text between two offsets."""
    start, end = extent
    return [number for number, span in enumerate(spans) if span["text_start"] < end and span["text_end"] > start]


def _terms(query: str) -> tuple[str, ...]:
    """The first words of the query, without the short ones, unless there are no others."""
    words = query_words(query)
    long_words = [
        word for word in words if len(word) > MAX_SHORT_WORD_LETTERS or not word.isascii() or word.isdecimal()
    ]
    return tuple((long_words or words)[:MAX_TERMS])


def _matches(word: str, terms: Sequence[str]) -> bool:
    return any(_same_stem(word, term) for term in terms)


def _same_stem(word: str, term: str) -> bool:
    if word[:MIN_STEM_LETTERS] != term[:MIN_STEM_LETTERS]:  # most pairs
        return False
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(word, term, strict=False)))
    return word == term or shared >= max(MIN_STEM_LETTERS, MIN_STEM_SHARE * max(len(word), len(term)))


def _terms_in(words: Collection[str], terms: Sequence[str]) -> set[str]:
    """Those of the terms that are among the words of a text, or of which a form is."""
    return {term for term in terms if any(_same_stem(word, term) for word in words)}


def _after_headings(text: str, headings: Sequence[str]) -> int:
    """The offset at which the text goes on after headings that stand in it as well; 0 where it is nothing else."""
    offset = 0
    for heading in headings:
        printed = re.compile(r"\s*" + r"\s+".join(re.escape(word) for word in heading.split()) + r"\s*\n")
        if heading and (match := printed.match(text, offset)) is not None:
            offset = match.end()
    return offset if text[offset:].strip() else 0


def _sentences(text: str, begin: int) -> Iterator[Extent]:
    start = begin
    for end in SENTENCE_END.finditer(text, begin):
        if not ABBREVIATION.search(text, start, end.end()):
            yield from _parted(text, start, end.end())
            start = end.end()
    yield from _parted(text, start, len(text))


def _parted(text: str, start: int, end: int) -> Iterator[Extent]:
    """A sentence without the space around it, in whole lines where it is too long."""
    first = start
    while (
        end - first > MAX_SENTENCE_CHARACTERS
        and (cut := text.rfind("\n", first, first + MAX_SENTENCE_CHARACTERS)) > first
    ):
        yield from _trimmed(text, first, cut)
        first = cut
    yield from _trimmed(text, first, end)


def _lines(text: str, begin: int) -> list[Extent]:
    lines: list[Extent] = []
    start = begin
    for line in text[begin:].splitlines(keepends=True):
        lines += _trimmed(text, start, start + len(line))
        start += len(line)
    return lines


def _trimmed(text: str, start: int, end: int) -> Iterator[Extent]:
    words = text[start:end]
    if words.strip():
        yield start + len(words) - len(words.lstrip()), end - len(words) + len(words.rstrip())
