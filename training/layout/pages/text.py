"""Running text: paragraphs, quotations, definitions, headings."""

from __future__ import annotations

from training.layout.classes import TEXT, TITLE
from training.layout.pages.page import Page
from training.layout.pages.typefaces import MONO


def paragraph(p: Page, x: float, y: float, w: float, y1: float) -> float:
    r = p.r
    n = int(
        min(r.choice((r.randint(8, 40), r.randint(40, 160), r.randint(40, 160))), 14 * (y1 - y) / p.pt / p.lead + 3)
    )
    new = p.text(x, y, w, p.words(n), p.f(2 if r.random() < 0.03 else 0), align=p.align, indent=p.indent, y1=y1)
    return new + (p.skip or (p.lead - 0.98) * p.pt)


def definition(p: Page, x: float, y: float, w: float, y1: float) -> float:
    """A term and its indented explanation, as manuals have; one box where no gap parts the two."""
    r, step, start, top = p.r, p.r.uniform(1.5, 4) * p.pt, len(p.boxes), y
    weight, scale, family = r.choice(((1, 1.0, ""), (0, 0.95, r.choice(MONO)), (2, 1.0, "")))
    f, close = p.f(weight, scale, family), r.random() < 0.5
    at = p.text(x, y, w, p.words(r.randint(1, 6))[:8], f, y1=y1 - 3 * p.pt)
    if at == y:
        return y
    y = p.text(
        x + step,
        at + ((p.lead - 0.98) if close else r.uniform(0.5, 0.9)) * p.pt,
        w - step,
        p.words(r.randint(5, 60)),
        p.f(),
        align=p.align,
        y1=y1,
    )
    if close and len(p.boxes) == start + 2:
        (_, a), (_, b) = p.boxes[start:]
        p.boxes[start:] = [(TEXT, (min(a[0], b[0]), top, max(a[2], b[2]), b[3]))]
    return y + max(p.skip, r.uniform(0.4, 0.9) * p.pt)


def quotation(p: Page, x: float, y: float, w: float, y1: float) -> float:
    """An indented, perhaps italic passage: quotations, theorems, remarks."""
    r, side = p.r, p.r.choice((0, 1.5, 3)) * p.pt
    new = p.text(
        x + side,
        y + 0.4 * p.pt,
        w - 2 * side,
        p.words(r.randint(12, 80)),
        p.f(r.choice((0, 2)), r.choice((0.9, 1.0))),
        align=p.align,
        y1=y1,
    )
    return new + r.uniform(0.5, 1.0) * p.pt


def heading(p: Page, x: float, y: float, w: float, y1: float) -> float:
    r, level = p.r, p.r.choice((0, 0, 1, 1, 2))
    if y1 - y < 5 * p.pt * p.lead:
        return y
    p.count = [p.count[0] + 1, 0] if level == 0 else [p.count[0], p.count[1] + 1]
    words = p.words(r.randint(1, 8))[:8]
    if p.numbered:
        words.insert(0, f"{p.count[0]}." if level == 0 else f"{p.count[0]}.{p.count[1]}")
    if r.random() < 0.2 and level == 0:
        words = [s.upper() for s in words]
    f = p.f(1 if r.random() < 0.85 else 2 * (level > 0), max(1.0, p.head_size - 0.15 * level), p.head)
    y += p.pt * r.uniform(0.4, 1.3)
    new = p.text(x, y, w, words, f, cls=TITLE, align=p.head_align, ink=p.accent, lead=1.15, y1=y1)
    if r.random() < 0.06:
        p.d.line((x, new + 3, x + w, new + 3), p.accent, r.randint(1, 2))
        new += 4
    return new + p.pt * r.uniform(0.3, 0.9)
