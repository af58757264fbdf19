"""Articles, mathematics, books, manuals, reports, references, contents, indexes: columns of one kind of matter."""

from __future__ import annotations

import math

from training.layout.classes import ABANDON, TITLE
from training.layout.pages.figure import figure
from training.layout.pages.flow import flow
from training.layout.pages.page import Page
from training.layout.pages.running import running
from training.layout.pages.table import table
from training.layout.pages.typefaces import width


def prose(p: Page, kind: str, cols: int) -> None:
    """Columns of one kind of matter, perhaps under a title block or a float as wide as the page."""
    r, mx, my = p.r, p.w * p.r.uniform(0.06, 0.15), p.h * p.r.uniform(0.055, 0.1)
    running(p, my)
    x, y, w, y1 = mx, my + p.pt, p.w - 2 * mx, p.h - my - p.pt
    if kind in ("manual", "report") and r.random() < 0.2:
        x, w = x + w * 0.18, w * 0.82
    if kind == "contents" or r.random() < (0.22 if kind != "book" else 0.12):
        align = r.choice("ccl")
        y = (
            p.text(
                x,
                y + r.uniform(0, 4) * p.pt,
                w,
                p.words(r.randint(1, 13))[:16],
                p.f(r.choice((0, 1, 1)), r.uniform(1.5, 2.6), p.head),
                cls=TITLE,
                align=align,
                lead=1.15,
                ink=p.accent,
            )
            + p.pt
        )
        if kind in ("article", "maths") and r.random() < 0.8:
            y = p.text(x, y, w, p.words(r.randint(3, 14)), p.f(0, 1.1), align=align) + 0.5 * p.pt
            y = p.text(x, y, w, p.words(r.randint(5, 20)), p.f(2, 0.9), align=align) + 1.2 * p.pt
            if r.random() < 0.6:
                ax = x + (w * 0.08 if r.random() < 0.5 else 0)
                if r.random() < 0.7:
                    y = p.text(ax, y, x + w - ax - (ax - x), ["Abstract"], p.f(1), cls=TITLE, align=align) + 0.5 * p.pt
                y = p.text(ax, y, w - 2 * (ax - x), p.words(r.randint(60, 170)), p.f(0, 0.92), align="j") + 1.5 * p.pt
    gap = r.uniform(1.6, 3) * p.pt
    if cols > 1 and r.random() < 0.35:
        wide, limit = r.choice((figure, table)), y + (y1 - y) * r.uniform(0.3, 0.55)
        y = wide(p, x, y, w, limit) + 0.6 * p.pt
    if r.random() < 0.15:
        y1 = y + (y1 - y) * r.uniform(0.2, 0.95)
    cw = (w - gap * (cols - 1)) / cols
    for k in range(cols):
        cx = x + k * (cw + gap)
        end = footnotes(p, cx, cw, y1) if k in (0, cols - 1) else y1
        flow(p, kind, cx, y, cw, end if k < cols - 1 or r.random() < 0.7 else y + (end - y) * r.uniform(0.3, 1))


def footnotes(p: Page, x: float, w: float, y1: float) -> float:
    """Notes at the foot of a column; returns where they begin."""
    if p.r.random() > 0.2:
        return y1
    f, words = p.f(0, 0.8), [p.r.choice(("1", "*", "2", "†")), *p.words(p.r.choice((6, 15, 40)))]
    h = (math.ceil(width(f, " ".join(words)) / w * (2 if p.lang == "cjk" else 1.08)) + 0.2) * f.size * 1.15
    p.d.line((x, y1 - h - 4, x + w * 0.35, y1 - h - 4), p.ink)
    p.text(x, y1 - h, w, words, f, cls=ABANDON, lead=1.15, y1=y1 + f.size)
    return y1 - h - 1.2 * p.pt
