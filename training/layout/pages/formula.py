"""Displayed formulas with their numbers."""

from __future__ import annotations

from PIL import Image

from training.layout.classes import FORM_CAP, FORMULA
from training.layout.pages.page import Page
from training.layout.pages.sprites import NUM_FORMULAS, formula_mask
from training.layout.pages.typefaces import reach, width


def formula(p: Page, x: float, y: float, w: float, y1: float) -> float:
    r, rows, at, right, left = p.r, p.r.choice((1, 1, 1, 2, 3)), y + 0.5 * p.pt, 0.0, x + w
    top, align = at, r.random() < 0.3
    for _ in range(rows):
        s = formula_mask(r.randrange(NUM_FORMULAS))
        k = p.pt / 24 * r.uniform(1.0, 1.2)
        k = min(k, 0.82 * w / s.width)
        s = s.resize((max(4, round(s.width * k)), max(4, round(s.height * k))), Image.Resampling.LANCZOS)
        if at + s.height > y1:
            break
        sx = x + (w * 0.15 if align or rows > 1 else (w - s.width) / 2 if r.random() < 0.85 else 2 * p.pt)
        p.im.paste(p.ink, (round(sx), round(at)), s)
        left, right, at = min(left, sx), max(right, sx + s.width), at + s.height + 0.45 * p.pt
    if not right:
        return y
    bottom = at - 0.45 * p.pt
    p.label(FORMULA, (left, top, right, bottom))
    tag = r.choice(("({})", "({}.{})", "(A{})")).format(p.count[0], r.randint(1, 40))
    if r.random() < 0.65 and x + w - width(p.f(), tag) - 4 > right:
        up, down = reach(p.f())
        p.text(x, (top + bottom - up - down) / 2, w, [tag], p.f(), cls=FORM_CAP, align="r")
    return bottom + r.uniform(0.5, 1.0) * p.pt
