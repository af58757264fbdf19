"""What full text looks for: words as blanks part them; where a script has none, its letters and pairs of them."""

from __future__ import annotations

import re
import unicodedata

# Thai, Lao, Myanmar, Khmer, kana, Han, Hangul: words stand side by side, or carry their particles with them
UNPARTED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
    r"\uf900-\ufaff\U00020000-\U0003ffff]+"
)
WORD = re.compile(r"\w{2,}")


def kept(text: str) -> str:
    """What the index keeps of a text to look in: every letter of a run without blanks, and every pair of neighbours."""
    whole = unicodedata.normalize("NFKC", text)
    return UNPARTED.sub(lambda run: f" {' '.join([*run[0], *_pairs(run[0])])} ", whole)


def asked(text: str) -> str:
    """What is looked for: pairs, which say more than letters; a letter where it stands alone."""
    whole = unicodedata.normalize("NFKC", text)
    return UNPARTED.sub(lambda run: f" {' '.join(_pairs(run[0]) or run[0])} ", whole)


def words_of(text: str) -> set[str]:
    """The words and pairs of a text, without regard to case."""
    return set(WORD.findall(asked(text).casefold()))


def _pairs(run: str) -> list[str]:
    return [run[k : k + 2] for k in range(len(run) - 1)]
