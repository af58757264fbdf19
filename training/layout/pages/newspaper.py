"""Newspapers: stories in many narrow columns."""

from __future__ import annotations

from training.layout.classes import TITLE
from training.layout.pages.figure import figure
from training.layout.pages.page import Page
from training.layout.pages.running import running
from training.layout.pages.text import heading, paragraph


def newspaper(p: Page) -> None:
    r, m = p.r, p.w * p.r.uniform(0.03, 0.06)
    p.align, p.indent, p.skip, p.lead = "j", p.pt, 0.0, r.uniform(1.1, 1.25)
    running(p, m)
    y, w, rule = m + p.pt, p.w - 2 * m, r.random() < 0.5
    if r.random() < 0.3:
        y = p.text(m, y, w, p.words(r.randint(1, 3))[:4], p.f(1, r.uniform(4, 7), p.head), cls=TITLE, align="c") + p.pt
        p.d.line((m, y, p.w - m, y), p.ink, 2)
    while y < p.h - m - 12 * p.pt:
        cols, h, gap = r.randint(2, 6), r.uniform(0.25, 0.6) * p.h, 1.4 * p.pt
        bottom = min(y + h, p.h - m - p.pt)
        top = (
            p.text(
                m,
                y + p.pt,
                w,
                p.words(r.randint(3, 9))[:12],
                p.f(1, r.uniform(2, 4), p.head),
                cls=TITLE,
                align=r.choice("lc"),
                lead=1.1,
            )
            + p.pt
        )
        cw, k = (w - gap * (cols - 1)) / cols, 0
        if r.random() < 0.6:
            span = r.randint(1, cols)
            sw, limit = span * cw + (span - 1) * gap, top + (bottom - top) * r.uniform(0.5, 0.9)
            low = figure(p, m, top, sw, limit)
        else:
            span, low = 0, top
        for k in range(cols):
            cx, at = m + k * (cw + gap), low if k < span else top
            while at < bottom - 1.5 * p.pt:
                new = paragraph(p, cx, at, cw, bottom) if r.random() < 0.93 else heading(p, cx, at, cw, bottom)
                if new <= at + 0.5:
                    break
                at = new
            if rule and k:
                p.d.line((cx - gap / 2, top, cx - gap / 2, bottom), (140, 140, 140))
        y = bottom + 0.5 * p.pt
        if r.random() < 0.5:
            p.d.line((m, y, p.w - m, y), p.ink)
