"""Slides."""

from __future__ import annotations

from training.layout.classes import ABANDON, TITLE
from training.layout.pages.figure import figure
from training.layout.pages.formula import formula
from training.layout.pages.listing import code, listing
from training.layout.pages.page import Page, colour
from training.layout.pages.table import table
from training.layout.pages.text import paragraph


def slide(p: Page) -> None:
    r, m = p.r, p.w * p.r.uniform(0.04, 0.08)
    if r.random() < 0.5:
        dark = r.random() < 0.45
        p.paper = colour(r, 0, 90) if dark else colour(r, 200, 255)
        p.ink = (255, 255, 255) if dark else p.ink
        p.accent = p.ink if dark else p.accent
        p.d.rectangle((0, 0, p.w, p.h), p.paper)
    p.indent, p.skip, y, ink = 0, p.pt * r.uniform(0.5, 1.2), m, p.accent
    strips = [r.random() < 0.2, r.random() < 0.2]  # of navigation, above and below
    if strips[0]:
        y, m = y + 0.8 * p.pt, m + 0.8 * p.pt
    if r.random() < 0.3:
        band, ink = tuple(r.randint(0, 110) for _ in range(3)), (255, 255, 255)
        p.d.rectangle((0, 0, p.w, m + 3.2 * p.pt), band)
    for edge in (0, 1):
        if strips[edge]:
            f, at = p.f(0, 0.5), edge * (p.h - p.pt)
            p.d.rectangle((0, at, p.w, at + p.pt), tuple(r.randint(0, 90) for _ in range(3)))
            for align in r.choice(("l", "lr", "lcr", "c")):
                p.text(
                    0.4 * p.pt,
                    at + 0.2 * p.pt,
                    p.w - 0.8 * p.pt,
                    p.words(r.randint(1, 3))[:3],
                    f,
                    cls=ABANDON,
                    align=align,
                    ink=(230, 230, 240),
                )
    if r.random() < 0.12:  # a title slide
        y = (
            p.text(
                m,
                p.h * r.uniform(0.25, 0.4),
                p.w - 2 * m,
                p.words(r.randint(2, 9))[:12],
                p.f(1, r.uniform(1.8, 2.6)),
                cls=TITLE,
                align="c",
                ink=p.accent,
            )
            + 2 * p.pt
        )
        p.text(m, y, p.w - 2 * m, p.words(r.randint(2, 8)), p.f(), align="c")
    else:
        y = p.text(
            m,
            y * r.uniform(0.5, 1),
            p.w - 2 * m,
            p.words(r.randint(1, 7))[:9],
            p.f(r.choice((0, 1)), r.uniform(1.3, 1.9), p.head),
            cls=TITLE,
            align=r.choice("llc"),
            ink=ink,
            y1=m + 5 * p.pt,
        )
        y, bottom = max(y, m + 3.2 * p.pt) + r.uniform(0.3, 2) * p.pt, p.h - m - p.pt
        cols, gap = r.choice((1, 1, 2, 2)), m
        cw = (p.w - 2 * m - gap * (cols - 1)) / cols
        for k in range(cols):
            at = y
            for block in r.choices(
                (listing, listing, paragraph, figure, figure, table, formula, code), k=r.randint(1, 5)
            ):
                at = block(p, m + k * (cw + gap), at, cw, bottom)
    small = p.f(0, 0.55)
    for align in r.choice(("r", "lr", "lcr", "")) if not strips[1] else "":
        p.text(
            m / 2,
            p.h - m * 0.5,
            p.w - m,
            p.words(r.randint(1, 4))[:6] if align != "r" else [str(r.randint(1, 80))],
            small,
            cls=ABANDON,
            align=align,
        )
