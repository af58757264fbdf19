"""Tables with captions and notes."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
from PIL import ImageFont

from training.layout.classes import TAB_CAP, TAB_NOTE, TABLE
from training.layout.pages.figure import caption
from training.layout.pages.page import Page, Rect
from training.layout.pages.typefaces import font, reach, width


class _Grid(NamedTuple):
    """Where the lines between cells lie (pixels), and how the cells are set."""

    xs: list[float]
    ys: list[float]
    pad: float  # height of a row of one line
    style: str
    font: ImageFont.FreeTypeFont
    numeric: list[bool]  # of each column


def table(p: Page, x: float, y: float, w: float, y1: float) -> float:
    r, f = p.r, p.f(0, p.r.choice((0.75, 0.85, 0.95)))
    cols, rows, pad = r.randint(2, max(2, min(8, int(w / f.size / 4)))), r.randint(2, 18), r.uniform(1.25, 2.0) * f.size
    rows = min(rows, int((y1 - y - 6 * p.pt) / pad))
    if rows < 2:
        return y
    tw = w * r.choice((1.0, 1.0, r.uniform(0.5, 1.0)))
    tx, kind = x + (w - tw) / 2 * r.choice((0, 1, 1)), r.random()
    style = r.choice(("grid", "grid", "book", "book", "none", "rows", "stripe"))
    y += 0.6 * p.pt
    if p.tab_cap_top and kind < 0.8:
        y = caption(p, x, y, w, TAB_CAP, r.choice(("Table", "Table", "Tab.", "TABLE")), y1) + r.uniform(0.3, 0.7) * p.pt
    cuts = np.cumsum([0, *(r.uniform(0.6, 1.6) + (k == 0) * 0.5 for k in range(cols))])
    tall = [r.choice((1, 1, 1, 2)) if style in ("grid", "rows") and r.random() < 0.3 else 1 for _ in range(rows)]
    ys = [y + pad * s for s in np.cumsum([0, *tall])]
    while ys[-1] > y1 - 2 * p.pt and len(ys) > 3:
        ys.pop()
    numeric = [k > 0 and r.random() < 0.6 for k in range(cols)]
    grid = _Grid([tx + tw * c / cuts[-1] for c in cuts], ys, pad, style, f, numeric)
    p.label(TABLE, _drawn(p, grid))
    y = ys[-1] + 0.4 * p.pt
    if r.random() < 0.45:
        words = [r.choice(("Note:", "Notes:", "Note.", "*", "Source:", "a", "†")), *p.words(r.choice((4, 10, 24)))]
        y = p.text(tx, y, tw, words, p.f(0, 0.78), cls=TAB_NOTE, lead=1.15, y1=y1) + 0.3 * p.pt
    if not p.tab_cap_top and kind < 0.8:
        y = caption(p, x, y + 0.3 * p.pt, w, TAB_CAP, "Table", y1)
    return y + r.uniform(0.9, 1.6) * p.pt


def _drawn(p: Page, grid: _Grid) -> Rect:
    """Draw shade, cells and rules; returns what a person would call the table."""
    shade = p.r.choice(((225, 230, 240), (235, 235, 235), (205, 220, 205)))
    where = [p.r.choice("lcr") if n else "l" for n in grid.numeric]
    dark = p.ink if sum(p.paper) > 380 else (0, 0, 0)
    whole = (grid.xs[0], grid.ys[0], grid.xs[-1], grid.ys[-1])
    if grid.style == "stripe" or sum(p.paper) <= 380:
        for k in range(len(grid.ys) - 1):
            stripe = (whole[0], grid.ys[k], whole[2], grid.ys[k + 1])
            p.d.rectangle(stripe, shade if k % 2 == 0 else (255, 255, 255))
    elif p.r.random() < 0.25:
        p.d.rectangle((whole[0], grid.ys[0], whole[2], grid.ys[1]), shade)
    inked = _cells(p, grid, where, dark)
    _rules(p, grid, dark)
    return inked if grid.style == "none" else whole


def _cells(p: Page, grid: _Grid, where: list[str], dark: tuple[int, ...]) -> Rect:
    """Write the cells, each cut to its width; returns the box of their ink."""
    r, f, up, box = p.r, grid.font, reach(grid.font)[0], [1e9, 1e9, 0.0, 0.0]
    for j, k in product(range(len(grid.ys) - 1), range(len(grid.numeric))):
        if r.random() < 0.06:
            continue
        cw = grid.xs[k + 1] - grid.xs[k] - 0.7 * f.size
        if grid.numeric[k] and j:
            s = f"{r.uniform(0, 10 ** r.randint(0, 5)):.{r.randint(0, 2)}f}"
        else:
            s = " ".join(p.words(r.randint(1, 3)))
        g = font(p.body, 1, f.size) if j == 0 and r.random() < 0.7 else f
        for line in range(2 if grid.ys[j + 1] - grid.ys[j] > 1.5 * grid.pad else 1):
            while width(g, s) > cw and len(s) > 1:
                s = s[:-1]
            free = cw - width(g, s)
            a = grid.xs[k] + 0.35 * f.size + {"l": 0, "c": free / 2, "r": free}[where[k]]
            base = grid.ys[j] + grid.pad * line + (grid.pad + 0.72 * up) / 2
            p.d.text((a, base), s, dark, g, anchor="ls")
            box = [min(box[0], a), min(box[1], base - up), max(box[2], a + width(g, s)), max(box[3], base + 0.25 * up)]
    return box[0], box[1], box[2], box[3]


def _rules(p: Page, grid: _Grid, dark: tuple[int, ...]) -> None:
    style, xs, ys = grid.style, grid.xs, grid.ys
    if style == "grid":
        for v in xs:
            p.d.line((v, ys[0], v, ys[-1]), dark)
    if style in ("grid", "rows", "book"):
        for k, v in enumerate(ys):
            if style != "book" or k in (0, 1, len(ys) - 1):
                p.d.line((xs[0], v, xs[-1], v), dark, 2 if style == "book" and k != 1 and p.r.random() < 0.6 else 1)
