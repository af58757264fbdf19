"""Levels of headings: which of their looks stands above which, and the levels that most pairs agree with."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from documents.document.document_styles import NUMBERED_HEADING, Style, StyledText, decimal_parts
from documents.rotated_boxes import unrotate
from documents.text.word_count import num_words
from documents.values import Page

MAX_LEVEL = 6
MAX_STYLES = 32  # maximum number of heading styles per document that are compared: the most frequent ones
MAX_CENTRED_WIDTH = 0.8  # a wider heading (share of the page's width) fills its line and has no middle
# maximum distance between the middles of a centred heading and of the page, as a share of its width
MAX_OFF_CENTRE = 0.03
# share of a type size; a heading of twice the size counts little more than one that is a few steps larger
SIZE_STEP = 0.08
ROMAN_FORM = 7  # codes of the forms of numbers; the code of a decimal number is the count of its parts
LETTER_FORM = 8
WORD_FORM = 9
STYLE_FEATURES = (
    "size",
    "bold",
    "capitals",
    "colour",
    "centred",
    "roman",
    "letter",
    "word",
    "decimal",
    "count",
    "words",
)
TIE_FEATURES = ("any", "same_style")
PAIR_FEATURES = (*STYLE_FEATURES, "larger", "depth", "stacked", "next", "begins", "first")


class Look(NamedTuple):
    """How headings of one level look: their style, and the form of their number, as `number_form` has it."""

    style: Style
    form: int


def number_form(text: str) -> int:
    """How many parts a decimal number has that a text begins with, or one of the other forms; 0: none."""
    match = NUMBERED_HEADING.match(text)
    if match is None:
        return 0
    if match[1]:
        return len(decimal_parts(match[1]))
    if match[3]:
        return WORD_FORM
    return ROMAN_FORM if set(match[2]) <= set("IVX") else LETTER_FORM


def number_depth(form: int) -> int:
    """How many parts a decimal number has, by its form; 0 of other forms."""
    return form if form < ROMAN_FORM else 0


def looks_of(headings: Sequence[StyledText]) -> tuple[list[Look], list[int]]:
    """The looks of headings in the order in which they come first, and of each heading its look, by index.

    What looks like few others in a document of very many looks counts as the one of the nearest size.
    """
    own = [Look(text.style, number_form(text.region.text)) for text in headings]
    counts = Counter(own)
    kept = {look for look, _ in counts.most_common(MAX_STYLES)}
    looks = [look for look in counts if look in kept]
    places = {look: k for k, look in enumerate(looks)}
    for look in counts:
        if look not in kept:
            places[look] = min(range(len(looks)), key=lambda k: abs(looks[k].style.size - look.style.size))
    return looks, [places[look] for look in own]


def pair_features(
    headings: Sequence[StyledText], looks: Sequence[Look], own: Sequence[int], pages: Sequence[Page], body: Style | None
) -> np.ndarray:
    """float (looks, looks, PAIR_FEATURES), antisymmetric: how the first look of a pair differs from the second."""
    count = len(looks)
    sums = np.zeros((count, 3))  # size in points' logarithm, centred, words
    for text, k in zip(headings, own, strict=True):
        sums[k] += (math.log(text.size), _is_centred(text, pages[text.page]), math.log1p(num_words(text.region.text)))
    totals = np.maximum(1, np.bincount(own, minlength=count))
    size, centred, words = (sums / totals[:, None]).T
    forms = np.array([look.form for look in looks])
    is_decimal = (forms > 0) & (forms < ROMAN_FORM)
    columns = [
        size,
        [look.style.bold for look in looks],
        [look.style.capitals for look in looks],
        [body is not None and look.style.colour != body.colour for look in looks],
        centred,
        *(forms == form for form in (ROMAN_FORM, LETTER_FORM, WORD_FORM)),
        is_decimal,
        np.log(totals),
        words,
    ]
    of_look = np.stack([np.asarray(column, float) for column in columns], 1)
    depth = np.where(is_decimal[:, None] & is_decimal[None, :], forms[None, :] - forms[:, None], 0)
    stacked, following = np.zeros((count, count)), np.zeros((count, count))
    for (a, one), (b, other) in pairwise(zip(own, headings, strict=True)):
        following[a, b] += 1
        stacked[a, b] += one.page == other.page and other.index == one.index + 1
    next_to = (following - following.T) / (following + following.T + 1)
    rank = np.arange(count)
    begins = (rank == 0).astype(float)
    larger = np.tanh((size[:, None] - size[None, :]) / SIZE_STEP)
    pairs = [larger, depth, np.log1p(stacked) - np.log1p(stacked.T), next_to, begins[:, None] - begins[None, :]]
    pairs.append(np.sign(rank[None, :] - rank[:, None]))
    return np.concatenate([of_look[:, None] - of_look[None, :], np.stack(pairs, 2)], 2)


def tie_features(looks: Sequence[Look]) -> np.ndarray:
    """float (looks, looks, TIE_FEATURES): what makes two looks one level, though they differ."""
    alike = [[float(a.style == b.style) for b in looks] for a in looks]
    return np.stack([np.ones((len(looks), len(looks))), np.array(alike)], 2)


def decoded(above: np.ndarray, same: np.ndarray, weight: np.ndarray) -> list[int]:
    """Of each look its place among the levels, 0 the highest: those of all that the probabilities say is likeliest.

    `above` and `same` are float (looks, looks): that the first stands above the second, or on its level; `weight` says
    how much each pair counts. Looks stand in one order, cut into levels.
    """
    count = len(above)
    order = np.argsort(-(weight * (above - above.T)).sum(1), kind="stable")
    gain = weight * (np.log(same + 1e-9) - np.log(above + 1e-9))
    gain = gain[np.ix_(order, order)]
    within = np.zeros((count + 1, count + 1))  # [a, b]: what it is worth that looks a to b - 1 are one level
    for a in range(count):
        for b in range(a + 1, count + 1):
            within[a, b] = within[a, b - 1] + gain[a : b - 1, b - 1].sum()
    best, cut = [0.0], [0]
    for b in range(1, count + 1):
        worth = [best[a] + within[a, b] for a in range(b)]
        cut.append(int(np.argmax(worth)))
        best.append(worth[cut[-1]])
    starts: list[int] = []
    end = count
    while end:
        starts.append(cut[end])
        end = cut[end]
    starts.reverse()
    places = np.zeros(count, int)
    for level, (start, end) in enumerate(pairwise((*starts, count))):
        places[order[start:end]] = level
    return places.tolist()


def _is_centred(text: StyledText, page: Page) -> bool:
    box = unrotate(text.region.box, text.region.angle)
    middle = page.size[0] / 2 if text.region.angle % 180 == 0 else page.size[1] / 2
    return abs(box.center[0] - middle) <= MAX_OFF_CENTRE * 2 * middle and box.width < MAX_CENTRED_WIDTH * 2 * middle
