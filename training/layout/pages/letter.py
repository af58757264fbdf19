"""Letters."""

from __future__ import annotations

from training.layout.classes import ABANDON, TITLE
from training.layout.pages.listing import listing
from training.layout.pages.page import Page
from training.layout.pages.text import paragraph


def letter(p: Page) -> None:
    r, m = p.r, p.w * p.r.uniform(0.09, 0.13)
    p.indent, p.skip, y, w = 0, p.pt * 0.9, m, p.w - 2 * m
    for align in r.choice(("rl", "ll", "cl", "r")):
        words = p.words(r.randint(6, 14))
        x, bw = (p.w - m - 16 * p.pt, 16 * p.pt) if align == "r" else (m, 18 * p.pt if align == "l" else w)
        y = p.text(x, y, bw, words, p.f(), align="c" if align == "c" else "l") + r.uniform(1.5, 3) * p.pt
    y = p.text(m, y, w, p.words(3), p.f()) + 1.5 * p.pt
    if r.random() < 0.4:
        y = p.text(m, y, w, p.words(4)[:6], p.f(1), cls=TITLE) + p.pt
    y = p.text(m, y, w, p.words(3), p.f()) + p.pt
    for _ in range(r.randint(2, 6)):
        y = (paragraph if r.random() < 0.85 else listing)(p, m, y, w, p.h - m - 7 * p.pt)
    y = p.text(m, y + p.pt, w, p.words(2), p.f(), y1=p.h - m) + r.uniform(2, 4) * p.pt
    p.text(m, y, w, p.words(2), p.f(), y1=p.h - m)
    p.text(m, p.h - m * 0.6, w, p.words(r.randint(5, 16)), p.f(0, 0.75), cls=ABANDON, align="c")
