"""Lists that fill pages: references, indexes, contents."""

from __future__ import annotations

from training.layout.classes import TEXT, TITLE
from training.layout.pages.page import Page
from training.layout.pages.typefaces import MONO, reach, width


def entries(p: Page, x: float, y: float, w: float, y1: float) -> float:
    """References: hanging entries, a box each."""
    f, style = p.f(0, 0.9), p.r.random() < 0.6
    for k in range(p.r.randint(4, 30)):
        words = ([f"[{k + 1}]"] if style else []) + p.words(p.r.randint(10, 32))
        new = p.text(x, y, w, words, f, align=p.align, hang=1.8 * f.size, y1=y1)
        if new == y:
            break
        y = new + max(0.25 * p.pt, (p.lead - 0.98) * p.pt)
    return y


def index(p: Page, x: float, y: float, w: float, y1: float) -> float:
    """An index: short unjustified lines, a box for each run between gaps."""
    r, f = p.r, p.f(0, 0.9, p.r.choice((p.body, p.body, p.body, MONO[0])))
    while y < y1 - 3 * p.pt:
        top, right, up = y, x, reach(f)[0]
        for _ in range(r.randint(2, 20)):
            if y > y1 - 1.5 * p.pt:
                break
            s, left = " ".join([*p.words(r.randint(1, 4)), str(r.randint(1, 400))]), x + r.choice((0, 0, 0, 1.2)) * p.pt
            while width(f, s) > w - 1.3 * p.pt:
                s = s[1:]
            p.d.text((left, y + up), s, p.ink, f, anchor="ls")
            right, y = max(right, left + width(f, s)), y + p.lead * f.size
        p.label(TEXT, (x, top, right, y - p.lead * f.size + sum(reach(f))))
        y += r.uniform(0.6, 1.4) * p.pt
        if r.random() < 0.3:
            y = p.text(x, y, w, [chr(r.randint(65, 90))], p.f(1, 1.2, p.head), cls=TITLE, y1=y1) + 0.5 * p.pt
    return y


def contents(p: Page, x: float, y: float, w: float, y1: float) -> float:
    """A table of contents: leaders or white space, one box for each unbroken run."""
    r, f, dots, up = p.r, p.f(), p.r.random() < 0.7, reach(p.f())[0]
    while y < y1 - 3 * p.pt:
        top, n = y, r.randint(3, 14)
        for _ in range(n):
            if y > y1 - 2 * p.pt:
                break
            s, level = " ".join(p.words(r.randint(1, 7))), r.choice((0, 1.5, 1.5, 3)) * p.pt
            end = str(r.randint(1, 400))
            while width(f, s) > w * 0.8 - level:
                s = s[:-2]
            p.d.text((x + level, y + up), s, p.ink, f, anchor="ls")
            p.d.text((x + w, y + up), end, p.ink, f, anchor="rs")
            if dots:
                room = w - level - width(f, s) - width(f, end) - p.pt
                p.d.text(
                    (x + w - width(f, end) - 4, y + up), "." * max(0, int(room / width(f, "."))), p.ink, f, anchor="rs"
                )
            y += p.lead * f.size
        p.label(TEXT, (x, top, x + w, y - p.lead * f.size + sum(reach(f))))
        y += r.uniform(0.6, 1.2) * p.pt
    return y
