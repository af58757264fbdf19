"""Figures and captions."""

from __future__ import annotations

from training.layout.classes import FIG_CAP, FIGURE
from training.layout.pages.page import Page
from training.layout.pages.picture import picture
from training.layout.pages.typefaces import font, reach, width


def figure(p: Page, x: float, y: float, w: float, y1: float) -> float:
    if w > 30 * p.pt and p.r.random() < 0.15:
        return _beside(p, x, y, w, y1)
    if w > 30 * p.pt and p.r.random() < 0.15:
        return _pair(p, x, y, w, y1)
    r, fw = p.r, p.r.choice((1.0, 1.0, p.r.uniform(0.35, 1.0))) * w
    h = min(fw * r.uniform(0.3, 1.0), (y1 - y) * 0.8 - 5 * p.pt)
    if h < 3.5 * p.pt:
        return y
    y, fx, kind = y + 0.6 * p.pt, x + (w - fw) / 2, r.random()
    cx, cw = (x, w) if r.random() < 0.7 else (fx, max(fw, 10 * p.pt))
    if kind < 0.06:
        y = caption(p, cx, y, cw, FIG_CAP, "Figure", y1 - h) + 0.5 * p.pt
    picture(p, (fx, y, fx + fw, y + h))
    p.label(FIGURE, (fx, y, fx + fw, y + h))
    y += h
    if kind >= 0.2:
        y = caption(
            p,
            cx,
            y + r.uniform(0.3, 1.0) * p.pt,
            cw,
            FIG_CAP,
            r.choice(("Figure", "Fig.", "Figure", "Image", "Photo")),
            y1,
        )
    return y + r.uniform(0.8, 1.6) * p.pt


def _beside(p: Page, x: float, y: float, w: float, y1: float) -> float:
    """A figure whose caption stands at its side, level with its top or its foot."""
    r, fw = p.r, p.r.uniform(0.45, 0.7) * w
    h = min(fw * r.uniform(0.4, 1.5), (y1 - y) * 0.8 - 2 * p.pt)
    if h < 6 * p.pt:
        return y
    y, gap, right = y + 0.6 * p.pt, p.pt * r.uniform(0.7, 1.5), r.random() < 0.7
    fx, cx = (x, x + fw + gap) if right else (x + w - fw, x)
    picture(p, (fx, y, fx + fw, y + h))
    p.label(FIGURE, (fx, y, fx + fw, y + h))
    at = y if r.random() < 0.5 else y + h - min(h, 5 * p.pt)
    low = caption(p, cx, at, w - fw - gap, FIG_CAP, r.choice(("Figure", "Fig.", "Plate")), y + h + p.pt)
    return max(y + h, low) + r.uniform(0.8, 1.6) * p.pt


def _pair(p: Page, x: float, y: float, w: float, y1: float) -> float:
    """Two figures of one height next to each other, each with its caption below."""
    r, gap = p.r, p.pt * p.r.uniform(0.4, 2.5)
    left = (w - gap) * r.choice((0.5, 0.5, r.uniform(0.35, 0.65)))
    h = min(0.5 * w * r.uniform(0.4, 1.4), (y1 - y) * 0.8 - 5 * p.pt)
    if h < 4 * p.pt:
        return y
    y, low, after = y + 0.6 * p.pt, y, r.uniform(0.3, 1.2) * p.pt
    for fx, fw in ((x, left), (x + left + gap, w - gap - left)):
        picture(p, (fx, y, fx + fw, y + h))
        p.label(FIGURE, (fx, y, fx + fw, y + h))
        low = max(low, caption(p, fx, y + h + after, fw, FIG_CAP, r.choice(("Figure", "Fig.", "FIGURE")), y1))
    return low + r.uniform(0.8, 1.6) * p.pt


def caption(p: Page, x: float, y: float, w: float, cls: int, word: str, y1: float) -> float:
    r, f, n = p.r, p.f(0, p.r.choice((0.82, 0.9, 0.9, 1.0))), p.r.choice((4, 8, 12, 25, 45))
    lead = f"{word} {r.randint(1, 30)}{r.choice('.::')}"
    if p.lang == "cjk":
        lead = f"{'图' if cls == FIG_CAP else '表'}{r.randint(1, 30)}"
    words = p.words(n)
    if p.cap_bold:  # the label is drawn over by a bold one: same place, heavier
        b = font(p.body, 1, round(f.size))
        up, indent = reach(f)[0], width(b, lead) + width(f, " ")
        start, short = len(p.boxes), width(f, " ".join(words)) + indent < w
        bottom = p.text(x, y, w, words, f, cls=cls, align="l" if short else p.align, lead=1.15, indent=indent, y1=y1)
        if bottom > y:
            p.d.text((x, y + up), lead, p.accent, b, anchor="ls")
            c, box = p.boxes[start]
            p.boxes[start] = (c, (x, *box[1:]))
        return bottom
    return p.text(
        x,
        y,
        w,
        [*lead.split(), *words],
        f,
        cls=cls,
        align=r.choice("ccj") if n < 20 else p.align,
        lead=1.15,
        ink=p.ink if r.random() < 0.9 else p.accent,
        y1=y1,
    )
