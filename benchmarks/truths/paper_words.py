"""Words of a page against a person's truth, their order left aside."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

WORD = re.compile(r"[^\W_]+")
LIKENESS = 0.5  # of a misread word with the printed one: 1 minus their edit distance over the longer one's length


@dataclass(frozen=True, slots=True, kw_only=True)
class WordScore:
    """Of one page or many: how many words the truth has, how many were read, and what became of them."""

    num_true: int = 0
    num_read: int = 0
    num_right: int = 0
    num_invented: int = 0
    num_pages: int = 1

    @property
    def precision(self) -> float:
        return self.num_right / self.num_read if self.num_read else 1.0

    @property
    def recall(self) -> float:
        return self.num_right / self.num_true if self.num_true else 1.0

    @property
    def f1(self) -> float:
        both = self.num_true + self.num_read
        return 2 * self.num_right / both if both else 1.0

    def figures(self) -> dict[str, float]:
        return {
            "precision": round(self.precision, 4),
            "recall": round(self.recall, 4),
            "f1": round(self.f1, 4),
            "invented_per_page": round(self.num_invented / self.num_pages, 3),
            "wrong_per_page": round((self.num_read - self.num_right) / self.num_pages, 3),
        }


def words_of(text: str) -> list[str]:
    """Runs of letters and digits, compatibility forms resolved, case folded."""
    return WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def score(truth: str, text: str) -> WordScore:
    """Of one page. Right are the words that both texts have, as multisets.

    Of the others that were read, one that is at least by `LIKENESS` like a true word that was not read is misread (each
    true word excuses one, long words first); the rest are invented.
    """
    true_words, read = Counter(words_of(truth)), Counter(words_of(text))
    right = true_words & read
    missed = list((true_words - read).elements())
    num_invented = 0
    for word in sorted((read - true_words).elements(), key=lambda word: (-len(word), word)):
        best = process.extractOne(
            word, missed, scorer=Levenshtein.normalized_similarity, score_cutoff=LIKENESS, processor=None
        )
        if best is None:
            num_invented += 1
        else:
            del missed[best[2]]
    return WordScore(
        num_true=true_words.total(), num_read=read.total(), num_right=right.total(), num_invented=num_invented
    )


def total(scores: Sequence[WordScore]) -> WordScore:
    """All pages as one: every word weighs the same."""
    return WordScore(
        num_true=sum(score.num_true for score in scores),
        num_read=sum(score.num_read for score in scores),
        num_right=sum(score.num_right for score in scores),
        num_invented=sum(score.num_invented for score in scores),
        num_pages=max(1, sum(score.num_pages for score in scores)),
    )
