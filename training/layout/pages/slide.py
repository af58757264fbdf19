"""Slides."""

from __future__ import annotations

from training.layout.classes import ABANDON, TITLE
from training.layout.pages.figure import figure
from training.layout.pages.formula import formula
from training.layout.pages.listing import code, listing
from training.layout.pages.page import Ink, Page, colour
from training.layout.pages.table import table
from training.layout.pages.text import paragraph


def slide(p: Page) -> None:
    r, m = p.r, p.w * p.r.uniform(0.04, 0.08)
    if r.random() < 0.5:
        _fill(p)
    p.indent, p.skip, y, ink = 0, p.pt * r.uniform(0.5, 1.2), m, p.accent
    strips = [r.random() < 0.2, r.random() < 0.2]  # of navigation, above and below
    if strips[0]:
        y, m = y + 0.8 * p.pt, m + 0.8 * p.pt
    if r.random() < 0.3:
        band, ink = tuple(r.randint(0, 110) for _ in range(3)), (255, 255, 255)
        p.d.rectangle((0, 0, p.w, m + 3.2 * p.pt), band)
    for edge in (0, 1):
        if strips[edge]:
            _navigation(p, edge * (p.h - p.pt))
    if r.random() < 0.12:
        _opening(p, m)
    else:
        _content(p, m, y, ink)
    if not strips[1]:
        _foot(p, m)


def _fill(p: Page) -> None:
    """Paper of a colour, with ink that can be seen on it."""
    dark = p.r.random() < 0.45
    p.paper = colour(p.r, 0, 90) if dark else colour(p.r, 200, 255)
    p.ink = (255, 255, 255) if dark else p.ink
    p.accent = p.ink if dark else p.accent
    p.d.rectangle((0, 0, p.w, p.h), p.paper)


def _navigation(p: Page, at: float) -> None:
    """A strip across the slide that names its parts."""
    r, f = p.r, p.f(0, 0.5)
    p.d.rectangle((0, at, p.w, at + p.pt), tuple(r.randint(0, 90) for _ in range(3)))
    for align in r.choice(("l", "lr", "lcr", "c")):
        words, ink = p.words(r.randint(1, 3))[:3], (230, 230, 240)
        p.text(0.4 * p.pt, at + 0.2 * p.pt, p.w - 0.8 * p.pt, words, f, cls=ABANDON, align=align, ink=ink)


def _opening(p: Page, m: float) -> None:
    """A title alone, with its author."""
    r, w = p.r, p.w - 2 * m
    y, words, f = p.h * r.uniform(0.25, 0.4), p.words(r.randint(2, 9))[:12], p.f(1, r.uniform(1.8, 2.6))
    y = p.text(m, y, w, words, f, cls=TITLE, align="c", ink=p.accent) + 2 * p.pt
    p.text(m, y, w, p.words(r.randint(2, 8)), p.f(), align="c")


def _content(p: Page, m: float, y: float, ink: Ink) -> None:
    """A title, and below it one or two columns of anything."""
    r, w = p.r, p.w - 2 * m
    y, words = y * r.uniform(0.5, 1), p.words(r.randint(1, 7))[:9]
    f, align = p.f(r.choice((0, 1)), r.uniform(1.3, 1.9), p.head), r.choice("llc")
    y = p.text(m, y, w, words, f, cls=TITLE, align=align, ink=ink, y1=m + 5 * p.pt)
    y, bottom = max(y, m + 3.2 * p.pt) + r.uniform(0.3, 2) * p.pt, p.h - m - p.pt
    cols, gap = r.choice((1, 1, 2, 2)), m
    cw = (w - gap * (cols - 1)) / cols
    for k in range(cols):
        at = y
        for block in r.choices((listing, listing, paragraph, figure, figure, table, formula, code), k=r.randint(1, 5)):
            at = block(p, m + k * (cw + gap), at, cw, bottom)


def _foot(p: Page, m: float) -> None:
    """A number, a name or both in the lowest margin, or nothing."""
    r, f = p.r, p.f(0, 0.55)
    for align in r.choice(("r", "lr", "lcr", "")):
        words = p.words(r.randint(1, 4))[:6] if align != "r" else [str(r.randint(1, 80))]
        p.text(m / 2, p.h - m * 0.5, p.w - m, words, f, cls=ABANDON, align=align)
