"""Formulas and plots by Matplotlib, each drawn when it is first wanted, and pasted many times."""

from __future__ import annotations

import io
import random
from functools import lru_cache
from typing import Any

import numpy as np
from PIL import Image

from training.layout.pages.words import MATHS, WORDS

NUM_FORMULAS, NUM_PLOTS = 420, 150
SEED = 7
FONT_SETS = ("cm", "cm", "stix", "dejavuserif")
STYLES = ("default", "ggplot", "bmh", "seaborn-v0_8-whitegrid", "classic", "grayscale")


@lru_cache(NUM_FORMULAS)
def formula_mask(number: int) -> Image.Image:
    """One of `NUM_FORMULAS` formulas, its ink as an alpha mask, 24 points high."""
    plt, r = _pyplot(), random.Random(f"{SEED} formula {number}")
    with plt.rc_context({"mathtext.fontset": r.choice(FONT_SETS)}):
        text = r"\;".join(r.choices(MATHS, k=r.choice((1, 1, 2, 2, 3)))) + r.choice(("", ",", "."))
        figure, out = plt.figure(figsize=(0.1, 0.1)), io.BytesIO()
        figure.text(0, 0, f"${text}$", fontsize=24)
        figure.savefig(out, dpi=72, bbox_inches="tight", pad_inches=0)
        plt.close(figure)
    return Image.eval(Image.open(out).convert("L"), lambda v: 255 - v)


@lru_cache(NUM_PLOTS)
def plot(number: int) -> Image.Image:
    """One of `NUM_PLOTS` pictures of plots, alone or in a small grid."""
    plt, r, g = _pyplot(), random.Random(f"{SEED} plot {number}"), np.random.default_rng((SEED, number))
    with plt.style.context(r.choice(STYLES)):
        rows, cols = r.choice(((1, 1), (1, 1), (1, 1), (1, 2), (2, 1), (2, 2)))
        figure, axes = plt.subplots(rows, cols, figsize=(r.uniform(4, 9), r.uniform(3, 6)), squeeze=False)
        for ax in axes.flat:
            _fill(ax, r, g)
        out = io.BytesIO()
        figure.savefig(out, dpi=r.choice((50, 70, 90)), bbox_inches="tight", pad_inches=0.02)
        plt.close(figure)
    return Image.open(out).convert("RGB")


def _fill(ax: Any, r: random.Random, g: np.random.Generator) -> None:
    """Lines, bars, dots, a matrix, a pie or a histogram, perhaps with labels."""
    n, kind = r.randint(4, 40), r.randrange(8)
    y = g.normal(size=(r.randint(1, 5), n)).cumsum(1)
    if kind < 3:
        ax.plot(y.T, r.choice(("-", "--", "o-", ".")), label=r.choice(WORDS))
    elif kind == 3:
        ax.bar(range(n), abs(y[0]), color=r.choice(("C0", "gray", "C3")))
    elif kind == 4:
        ax.scatter(g.normal(size=200), g.normal(size=200), s=r.uniform(2, 30), c=g.random(200))
    elif kind == 5:
        ax.imshow(g.random((r.randint(4, 20), r.randint(4, 20))), cmap=r.choice(("viridis", "gray", "Blues")))
    elif kind == 6:
        ax.pie(g.random(r.randint(2, 6)), labels=None)
    else:
        ax.hist(g.normal(size=500), bins=n)
    if r.random() < 0.6:
        ax.set(xlabel=" ".join(r.sample(WORDS, 2)), ylabel=r.choice(WORDS))
    if r.random() < 0.3:
        ax.set_title(" ".join(r.sample(WORDS, 3)))
    if kind < 3 and r.random() < 0.5:
        ax.legend()


def _pyplot() -> Any:
    """Imported late: only few pages want it, and it takes a second."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    return plt
