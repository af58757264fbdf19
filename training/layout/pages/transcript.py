"""Transcripts and manuscripts: lines far apart, numbered down the margin."""

from __future__ import annotations

import math

from training.layout.classes import ABANDON
from training.layout.pages.page import Page
from training.layout.pages.running import running
from training.layout.pages.text import heading
from training.layout.pages.typefaces import MONO, reach, width


def transcript(p: Page) -> None:
    """Speech by speech, or paragraphs to be corrected; what stands in the middle is a region of its own."""
    r, mx, my = p.r, p.w * p.r.uniform(0.13, 0.2), p.h * p.r.uniform(0.07, 0.11)
    if p.lang == "latin" and r.random() < 0.6:
        p.body = r.choice(MONO)
    p.lead = r.uniform(1.7, 2.6)
    p.skip, p.indent = (p.lead - 0.98) * p.pt, r.choice((0, 2, 5)) * p.pt
    running(p, my)
    y, y1, step, f = my + p.pt, p.h - my - p.pt, p.lead * p.pt, p.f()
    top, pitch = y, p.lead * f.size
    while y < y1 - 1.5 * step:
        kind, before, spare = r.random(), y, 0.3  # of a pitch that a line may be above the grid
        if kind < 0.12:
            y = p.text(mx, y, p.w - 2 * mx, p.words(r.randint(1, 5))[:6], f, align="c", y1=y1) + p.skip
        elif kind < 0.18:
            y, spare = heading(p, mx, y, p.w - 2 * mx, y1), 0.0
        else:
            lead = [r.choice(("Q.", "A.", "THE COURT:", "MR. GRAY:"))] if r.random() < 0.4 else []
            words = [*lead, *p.words(r.choice((3, 12, 30, 70)))]
            y = p.text(mx, y, p.w - 2 * mx, words, f, indent=p.indent, y1=y1) + p.skip
        if y <= before:
            break
        y = top + math.ceil((y - top) / pitch - spare) * pitch  # all lines but headings keep to one grid
        if not p.indent or r.random() < 0.1:
            y += pitch  # else nothing parts two paragraphs
    if r.random() < 0.7:
        _numbers(p, mx - p.pt * r.uniform(1.5, 3), top, y1, pitch)
    if r.random() < 0.3:
        p.d.line((mx - p.pt, my * 0.6, mx - p.pt, p.h - my * 0.6), p.ink)


def _numbers(p: Page, right: float, top: float, y1: float, pitch: float) -> None:
    """1, 2, 3, ... down the margin, flush right; one region, to be abandoned."""
    f, first = p.f(0, p.r.uniform(0.8, 1.0)), p.r.choice((1, 1, p.r.randint(1, 400)))
    up, down = reach(p.f())
    count = max(1, int((y1 - top - up - down) / pitch) + 1)
    for k in range(count):
        p.d.text((right, top + up + k * pitch), str(first + k), p.ink, f, anchor="rs")
    p.label(ABANDON, (right - width(f, str(first + count - 1)), top, right, top + (count - 1) * pitch + up + down))
