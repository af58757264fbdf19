"""Tokenizes text for full-text search: words at spaces; pairs of characters in Chinese, Japanese and Thai."""

from __future__ import annotations

import re
import unicodedata

# Thai, Lao, Myanmar, Khmer, kana, Han, Hangul: words stand side by side, or carry their particles with them
UNSPACED_RUN = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
    r"\uf900-\ufaff\U00020000-\U0003ffff]+"
)
WORD = re.compile(r"\w{2,}")


def indexed_text(text: str) -> str:
    """What the index keeps of a text to look in: every letter of a run without spaces, and every pair of neighbours."""
    whole = unicodedata.normalize("NFKC", text)
    return UNSPACED_RUN.sub(lambda run: f" {' '.join([*run[0], *_pairs(run[0])])} ", whole)


def fulltext_query(text: str) -> str:
    """What is looked for: pairs, which say more than letters; a letter where it stands alone."""
    whole = unicodedata.normalize("NFKC", text)
    return UNSPACED_RUN.sub(lambda run: f" {' '.join(_pairs(run[0]) or run[0])} ", whole)


def words_of(text: str) -> set[str]:
    """The words and pairs of a text, without regard to case."""
    return set(query_words(text))


def query_words(text: str) -> list[str]:
    """The words and pairs of a text in their order, each once, without regard to case."""
    return list(dict.fromkeys(WORD.findall(fulltext_query(text).casefold())))


def word_positions(text: str) -> list[tuple[str, int, int]]:
    """The words of a text as `words_of` has them, with their offsets in it; a run without spaces by its pairs."""
    positions: list[tuple[str, int, int]] = []
    for match in WORD.finditer(text):
        start = match.start()
        word = match[0].casefold()
        positions.append((word, start, match.end()))
        for run in UNSPACED_RUN.finditer(match[0]):
            places = range(start + run.start(), start + run.end() - 1)
            positions += [(text[place : place + 2], place, place + 2) for place in places]
    return positions


def _pairs(run: str) -> list[str]:
    return [run[k : k + 2] for k in range(len(run) - 1)]
