"""Character error rates: edits over the length of the truth; dot leaders are equal however they are spaced."""

from __future__ import annotations

import re

import numpy as np

SHAPES = str.maketrans("“”„’‘`–—−", "\"\"\"'''---")


def distance(a: str, b: str) -> int:
    """Levenshtein's distance."""
    row, codes, steps = np.arange(len(b) + 1), np.array([ord(c) for c in b], dtype=np.int64), np.arange(len(b) + 1)
    for k, c in enumerate(a, 1):
        fresh = np.concatenate(([k], np.minimum(row[1:] + 1, row[:-1] + (codes != ord(c)))))
        row = np.minimum.accumulate(fresh - steps) + steps
    return int(row[-1])


def leaders(text: str) -> str:
    """A table of contents' dots, however they are spaced, are as good as two."""
    return re.sub(r"(\s?\.){4,}\s?", " .. ", text).strip()


def loosely(text: str) -> str:
    """What is left where a truth keeps no case, no spaces, and no shapes of quotation marks and dashes."""
    return "".join(leaders(text).translate(SHAPES).casefold().split())
