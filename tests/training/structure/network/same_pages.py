"""Whether two training pages are the same."""

from __future__ import annotations

import numpy as np

from training.structure.network.examples import Example


def same(one: Example, other: Example) -> bool:
    """Whether two examples are equal to the bit."""
    truths = all(
        np.array_equal(getattr(one, name), getattr(other, name)) for name in ("role", "block", "place", "rank")
    )
    names = ("kind", "box", "size", "style", "colour")
    tokens = all(np.array_equal(getattr(one.tokens, name), getattr(other.tokens, name)) for name in names)
    return truths and tokens and one.tokens.texts == other.tokens.texts
