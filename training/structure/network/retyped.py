"""Makes of a drawn page one whose type says less: sizes that differ from block to block, headings no larger than text.

So are pages that were put together again from recognised text, and many that people lay out by hand.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

import numpy as np

from documents.segments.page_tokens import SEGMENT, PageTokens
from documents.segments.roles import ROLES
from training.structure.network.examples import Example

BOLD, ITALIC, MONOSPACED, SERIF = range(4)  # columns of `PageTokens.style`
HEADINGS = (ROLES.index("title"), ROLES.index("heading"))


@dataclass(frozen=True, slots=True)
class Retype:
    """How much is changed; sizes as natural logarithms."""

    size_error: float = 0.1  # standard deviation per block
    smallest_heading: float = 0.7  # of its size that a heading keeps, at least
    flat: float = 0.6  # probability that the headings of a page shrink
    bold: float = 0.8  # probability that these are bold then
    other_face: float = 0.5  # probability that text has serifs and headings have none, or the other way round
    shake: float = 0.04  # standard deviation of an edge, in type sizes
    keeps_graphics: float = 0.5


def retyped(example: Example, seed: int, limits: Retype = Retype()) -> Example:
    """The page with other type; the same seed gives the same page."""
    chance = random.Random(seed)
    tokens = example.tokens
    count = tokens.num_segments
    is_heading = np.isin(example.role, HEADINGS)
    factor = _factors(example, chance, limits.size_error)
    style = tokens.style[:count].copy()
    if chance.random() < limits.flat:
        factor = np.where(is_heading, factor * chance.uniform(limits.smallest_heading, 1.0), factor)
        if chance.random() < limits.bold:
            style[is_heading, BOLD] = 1.0
    if chance.random() < limits.other_face:
        serif = float(chance.random() < 0.7)
        style[:, SERIF] = np.where(is_heading, 1 - serif, serif)
    size = tokens.size[:count] * factor
    kept = np.flatnonzero(tokens.kind != SEGMENT)
    if chance.random() > limits.keeps_graphics:
        kept = kept[:0]
    chosen = np.concatenate([np.arange(count), kept])
    changed = PageTokens(
        width=tokens.width,
        height=tokens.height,
        texts=tokens.texts,
        kind=tokens.kind[chosen],
        box=tokens.box[chosen].copy(),
        size=tokens.size[chosen].copy(),
        style=tokens.style[chosen].copy(),
        colour=np.zeros((len(chosen), 3), np.float32) if chance.random() < 0.5 else tokens.colour[chosen],
    )
    changed.box[:count] = _boxes(tokens.box[:count], size, factor, style[:, -1] > 0, chance, limits.shake)
    changed.size[:count], changed.style[:count] = size, style
    return replace(example, tokens=changed)


def _factors(example: Example, chance: random.Random, deviation: float) -> np.ndarray:
    """By what the size of each segment is multiplied: one number per block."""
    by_block = {int(block): float(np.exp(chance.gauss(0, deviation))) for block in np.unique(example.block)}
    return np.array([by_block[int(block)] for block in example.block], np.float32)


def _boxes(
    box: np.ndarray, size: np.ndarray, factor: np.ndarray, sideways: np.ndarray, chance: random.Random, shake: float
) -> np.ndarray:
    """Level boxes as high as their new type, their edges shaken."""
    noise = np.array([[chance.gauss(0, shake) for _ in range(4)] for _ in range(len(box))], np.float32).reshape(-1, 4)
    moved = box + noise * size[:, None]
    middle = (box[:, 1] + box[:, 3]) / 2
    half = (box[:, 3] - box[:, 1]) / 2 * factor
    moved[:, 1] = np.where(sideways, moved[:, 1], middle - half)
    moved[:, 3] = np.where(sideways, moved[:, 3], middle + half)
    moved[:, 2] = np.maximum(moved[:, 2], moved[:, 0] + 1)
    return moved
