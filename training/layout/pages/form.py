"""Forms to fill in."""

from __future__ import annotations

from training.layout.classes import TEXT, TITLE
from training.layout.pages.page import Page
from training.layout.pages.running import running
from training.layout.pages.table import table
from training.layout.pages.text import heading, paragraph
from training.layout.pages.typefaces import width


def form(p: Page) -> None:
    r, m = p.r, p.w * p.r.uniform(0.06, 0.1)
    running(p, m)
    p.indent, p.skip, y = 0, 0.5 * p.pt, m + p.pt
    y = (
        p.text(
            m,
            y,
            p.w - 2 * m,
            p.words(r.randint(2, 7))[:9],
            p.f(1, r.uniform(1.3, 2), p.head),
            cls=TITLE,
            align=r.choice("lc"),
        )
        + p.pt
    )
    while y < p.h - m - 4 * p.pt:
        kind, cols = r.random(), r.choice((1, 1, 2, 3))
        if kind < 0.55:
            for k in range(cols):
                cw = (p.w - 2 * m) / cols
                x, words = m + k * cw, p.words(r.randint(1, 4))[:4]
                end = p.text(x, y, cw * 0.6, words, p.f(r.choice((0, 0, 1))), cls=None, y1=y + 1.3 * p.pt)
                tail = x + min(cw * 0.6, sum(width(p.f(), s + " ") for s in words)) + 0.3 * p.pt
                p.d.line((tail, end, x + cw * 0.95, end), p.ink)
                p.label(TEXT, (x, y, x + cw * 0.95, end + 1))
            y += r.uniform(1.7, 2.4) * p.pt
        elif kind < 0.7:
            y = table(p, m, y, p.w - 2 * m, p.h - m)
        elif kind < 0.8:
            y = heading(p, m, y, p.w - 2 * m, p.h - m) + 0.2 * p.pt
        elif kind < 0.9:
            x = m
            p.d.rectangle((x, y, x + p.pt, y + p.pt), None, p.ink)
            y = p.text(x + 1.6 * p.pt, y, p.w - 2 * m, p.words(r.randint(3, 12)), p.f()) + 0.6 * p.pt
        else:
            y = paragraph(p, m, y, p.w - 2 * m, p.h - m) + 0.3 * p.pt
