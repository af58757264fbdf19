"""Receipts."""

from __future__ import annotations

from training.layout.classes import FIGURE, TITLE
from training.layout.pages.page import Page
from training.layout.pages.table import table
from training.layout.pages.typefaces import MONO


def receipt(p: Page) -> None:
    r, m = p.r, p.w * 0.07
    p.body = p.head = r.choice(MONO) if p.lang == "latin" and r.random() < 0.7 else p.body
    y, w = m, p.w - 2 * m
    y = p.text(m, y, w, p.words(2)[:3], p.f(1, 1.5), cls=TITLE, align="c") + 0.6 * p.pt
    y = p.text(m, y, w, p.words(r.randint(5, 14)), p.f(), align="c") + p.pt
    y = table(p, m, y, w, min(p.h * r.uniform(0.5, 0.8), p.h - 8 * p.pt))
    for _ in range(r.randint(1, 3)):
        y = p.text(m, y, w, p.words(r.randint(3, 16)), p.f(), align=r.choice("lc"), y1=p.h - m) + p.pt
    if y < p.h - 5 * p.pt and r.random() < 0.5:
        for k in range(round(m * 2), round(p.w - m * 2), 3):
            p.d.rectangle((k, y, k + r.randint(0, 2), y + 3 * p.pt), p.ink)
        p.label(FIGURE, (m * 2, y, p.w - m * 2, y + 3 * p.pt))
