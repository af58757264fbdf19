"""BM25 as LanceDB scores a text, from the statistics of any number of tables (Robertson, Zaragoza, 2009)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import lancedb

BM25_K1 = 1.2
BM25_B = 0.75


class Term(NamedTuple):
    """A word as the full-text index counts it, and as it is printed; only the latter can be searched."""

    stem: str
    word: str


def terms_of(text: str) -> list[Term]:
    """All but English stop words, in their order."""
    words = lancedb.tokenize(text, lower_case=False, stem=False, remove_stop_words=False, ascii_folding=False)
    return [Term(token.text, word.text) for word in words for token in lancedb.tokenize(word.text)]


@dataclass(frozen=True, slots=True)
class TermCounts:
    """What BM25 knows of one text."""

    counts: Mapping[str, int]
    num_terms: int

    @classmethod
    def of(cls, text: str) -> TermCounts:
        stems = [token.text for token in lancedb.tokenize(text)]
        return cls(Counter(stems), len(stems))


@dataclass(frozen=True, slots=True)
class TermStatistics:
    """What BM25 knows of all texts among which one is searched."""

    num_texts: int
    mean_terms: float  # terms per text
    num_texts_with: Mapping[str, int]  # by stem

    def score(self, stems: Iterable[str], text: TermCounts) -> float:
        """Of a text for a query of these stems; one that is repeated counts as often."""
        return sum(self.rarity(stem) * self.saturation(text.counts[stem], text.num_terms) for stem in stems)

    def rarity(self, stem: str) -> float:
        """Inverse document frequency."""
        return math.log((self.num_texts + 1) / (self.num_texts_with[stem] + 0.5))

    def saturation(self, count: int, num_terms: int) -> float:
        """How much a term says that occurs `count` times among `num_terms`; at most BM25_K1 + 1."""
        return count * (BM25_K1 + 1) / (count + BM25_K1 * (1 - BM25_B + BM25_B * num_terms / self.mean_terms))


def joined(parts: Iterable[TermStatistics]) -> TermStatistics:
    """The statistics of all texts of several tables, each of them in one."""
    tables = list(parts)
    num_texts = sum(table.num_texts for table in tables)
    num_terms = sum(round(table.num_texts * table.mean_terms) for table in tables)
    num_texts_with = Counter[str]()
    for table in tables:
        num_texts_with.update(table.num_texts_with)
    return TermStatistics(num_texts, num_terms / num_texts if num_texts else 1.0, num_texts_with)
