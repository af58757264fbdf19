"""Pages that are mostly tables or charts: appendices of reports, dashboards, one small table on an empty page."""

from __future__ import annotations

from training.layout.classes import TITLE
from training.layout.pages.chart import chart
from training.layout.pages.page import Page
from training.layout.pages.running import running
from training.layout.pages.statistics import statistics
from training.layout.pages.table import table
from training.layout.pages.text import heading, paragraph


def sheet(p: Page) -> None:
    """One to four tables or charts below or beside one another, with little text or none."""
    r, mx, my = p.r, p.w * p.r.uniform(0.05, 0.14), p.h * p.r.uniform(0.05, 0.1)
    if r.random() < 0.7:
        running(p, my)
    x, y, w, y1 = mx, my + p.pt, p.w - 2 * mx, p.h - my - p.pt
    if r.random() < 0.3:
        title = p.words(r.randint(2, 10))[:12]
        f = p.f(1, r.uniform(1.2, 2), p.head)
        y = p.text(x, y, w, title, f, cls=TITLE, align=r.choice("lc"), ink=p.accent, y1=y1) + p.pt
    kinds = r.choice(
        ((statistics,), (statistics,), (table,), (chart,), (statistics, chart), (statistics, table, chart))
    )
    bands = r.choice((1, 1, 2, 2, 3, 4))
    for k in range(bands):
        if r.random() < 0.35:
            y = r.choice((paragraph, paragraph, heading))(p, x, y, w, y1) + 0.4 * p.pt
        foot = y1 if r.random() < 0.5 or bands == 1 else y + (y1 - y) / (bands - k)
        cols = r.choice((1, 1, 1, 2, 3)) if w > 45 * p.pt else r.choice((1, 1, 2))
        gap = r.uniform(1.2, 2.5) * p.pt
        width = (w - gap * (cols - 1)) / cols
        y = max(r.choice(kinds)(p, x + c * (width + gap), y, width, foot) for c in range(cols))
        y += r.uniform(0, 2) * p.pt
