"""Invoices: a sender, a number and a date in a corner, the receiver, a table of what was bought, the sum."""

from __future__ import annotations

from training.layout.classes import ABANDON, FIGURE, TEXT, TITLE
from training.layout.pages.page import Page
from training.layout.pages.picture import picture
from training.layout.pages.table import table


def invoice(p: Page) -> None:
    r, m = p.r, p.w * p.r.uniform(0.06, 0.11)
    p.indent, p.skip, y, w = 0, 0.5 * p.pt, m, p.w - 2 * m
    if r.random() < 0.4:
        mark = (m, y, m + r.uniform(4, 9) * p.pt, y + r.uniform(2.5, 4) * p.pt)
        picture(p, mark)
        p.label(FIGURE, mark)
        y = mark[3] + 0.8 * p.pt
    title = r.choice((["INVOICE"], ["Invoice"], ["Rechnung"], ["Facture"], ["Credit", "note"], p.words(2)[:3]))
    align = r.choice("llr")
    bottom = p.text(m, y, w, title, p.f(1, r.uniform(1.4, 2.4), p.head), cls=TITLE, align=align, ink=p.accent)
    sides = (m, m + 0.58 * w)
    ends = [_block(p, x, bottom + p.pt, 0.4 * w) for x in (sides if r.random() < 0.8 else sides[:1])]
    y = max(ends) + r.uniform(1, 3) * p.pt
    p.tab_cap_top = False
    y = table(p, m, y, w, min(p.h - m - 12 * p.pt, y + p.h * r.uniform(0.25, 0.5))) + 0.5 * p.pt
    y = _sum(p, m + 0.55 * w, y, 0.45 * w) + r.uniform(1, 2.5) * p.pt
    for _ in range(r.randint(1, 3)):
        y = p.text(m, y, w, p.words(r.randint(5, 40)), p.f(), y1=p.h - 1.5 * m) + 0.8 * p.pt
    foot = r.choice((1, 3))
    for k in range(foot):
        words = p.words(r.randint(4, 12))
        p.text(m + k * w / foot, p.h - m * 0.8, w / foot * 0.9, words, p.f(0, 0.7), cls=ABANDON)


def _block(p: Page, x: float, y: float, w: float) -> float:
    """An address, or a number and dates, line below line: one region."""
    top, right, step = y, x, 1.25 * p.pt
    for _ in range(p.r.randint(3, 6)):
        words, start = p.words(p.r.randint(1, 3))[:4], len(p.boxes)
        p.text(x, y, w, words, p.f(p.r.choice((0, 0, 1))), y1=y + 1.5 * p.pt)
        for _, box in p.boxes[start:]:
            right = max(right, box[2])
        del p.boxes[start:]
        y += step
    p.label(TEXT, (x, top, right, y - step + 1.2 * p.pt))
    return y


def _sum(p: Page, x: float, y: float, w: float) -> float:
    """What is to be paid: names on the left, amounts on the right, the last ones bold."""
    top = y
    for k in range(count := p.r.randint(1, 4)):
        f, amount = p.f(int(k == count - 1)), f"{p.r.uniform(1, 9999):,.2f}"
        p.text(x, y, 0.6 * w, p.words(1)[:2], f, cls=None, y1=y + 1.5 * p.pt)
        p.text(x, y, w, [amount], f, cls=None, align="r", y1=y + 1.5 * p.pt)
        y += 1.4 * p.pt
    p.label(TEXT, (x, top, x + w, y))
    return y
