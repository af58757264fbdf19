"""Tables with captions and notes."""

from __future__ import annotations

import numpy as np

from training.layout.classes import TAB_CAP, TAB_NOTE, TABLE
from training.layout.pages.figure import caption
from training.layout.pages.page import Page
from training.layout.pages.typefaces import font, reach, width


def table(p: Page, x: float, y: float, w: float, y1: float) -> float:
    r, f = p.r, p.f(0, p.r.choice((0.75, 0.85, 0.95)))
    cols, rows, pad = r.randint(2, max(2, min(8, int(w / f.size / 4)))), r.randint(2, 18), r.uniform(1.25, 2.0) * f.size
    rows = min(rows, int((y1 - y - 6 * p.pt) / pad))
    if rows < 2:
        return y
    tw = w * r.choice((1.0, 1.0, r.uniform(0.5, 1.0)))
    tx, kind, up = x + (w - tw) / 2 * r.choice((0, 1, 1)), r.random(), reach(f)[0]
    style = r.choice(("grid", "grid", "book", "book", "none", "rows", "stripe"))
    y += 0.6 * p.pt
    if p.tab_cap_top and kind < 0.8:
        y = caption(p, x, y, w, TAB_CAP, r.choice(("Table", "Table", "Tab.", "TABLE")), y1) + r.uniform(0.3, 0.7) * p.pt
    cuts = np.cumsum([0, *(r.uniform(0.6, 1.6) + (k == 0) * 0.5 for k in range(cols))])
    xs = [tx + tw * c / cuts[-1] for c in cuts]
    tall = [r.choice((1, 1, 1, 2)) if style in ("grid", "rows") and r.random() < 0.3 else 1 for _ in range(rows)]
    ys = [y + pad * s for s in np.cumsum([0, *tall])]
    while ys[-1] > y1 - 2 * p.pt and len(ys) > 3:
        ys.pop()
    numeric, shade = (
        [k and r.random() < 0.6 for k in range(cols)],
        r.choice(((225, 230, 240), (235, 235, 235), (205, 220, 205))),
    )
    where, box = [r.choice("lcr") if n else "l" for n in numeric], [1e9, 1e9, 0.0, 0.0]
    dark = p.ink if sum(p.paper) > 380 else (0, 0, 0)
    if style == "stripe" or sum(p.paper) <= 380:
        for k in range(len(ys) - 1):
            p.d.rectangle((tx, ys[k], tx + tw, ys[k + 1]), shade if k % 2 == 0 else (255, 255, 255))
    elif r.random() < 0.25:
        p.d.rectangle((tx, ys[0], tx + tw, ys[1]), shade)
    for j in range(len(ys) - 1):
        for k in range(cols):
            if r.random() < 0.06:
                continue
            cw = xs[k + 1] - xs[k] - 0.7 * f.size
            s = (
                f"{r.uniform(0, 10 ** r.randint(0, 5)):.{r.randint(0, 2)}f}"
                if numeric[k] and j
                else " ".join(p.words(r.randint(1, 3)))
            )
            g = font(p.body, 1, f.size) if j == 0 and r.random() < 0.7 else f
            for line in range(2 if ys[j + 1] - ys[j] > 1.5 * pad else 1):
                while width(g, s) > cw and len(s) > 1:
                    s = s[:-1]
                a = xs[k] + 0.35 * f.size + {"l": 0, "c": (cw - width(g, s)) / 2, "r": cw - width(g, s)}[where[k]]
                base = ys[j] + pad * line + (pad + 0.72 * up) / 2
                p.d.text((a, base), s, dark, g, anchor="ls")
                box = [
                    min(box[0], a),
                    min(box[1], base - up),
                    max(box[2], a + width(g, s)),
                    max(box[3], base + 0.25 * up),
                ]
    if style == "grid":
        for v in xs:
            p.d.line((v, ys[0], v, ys[-1]), dark)
    if style in ("grid", "rows", "book"):
        for k, v in enumerate(ys):
            if style != "book" or k in (0, 1, len(ys) - 1):
                p.d.line((tx, v, tx + tw, v), dark, 2 if style == "book" and k != 1 and r.random() < 0.6 else 1)
    if style != "none":
        box = [tx, ys[0], tx + tw, ys[-1]]
    p.label(TABLE, (box[0], box[1], box[2], box[3]))
    y = ys[-1] + 0.4 * p.pt
    if r.random() < 0.3:
        words = [r.choice(("Note:", "*", "Source:", "a", "†")), *p.words(r.choice((4, 10, 24)))]
        y = p.text(tx, y, tw, words, p.f(0, 0.78), cls=TAB_NOTE, lead=1.15, y1=y1) + 0.3 * p.pt
    if not p.tab_cap_top and kind < 0.8:
        y = caption(p, x, y + 0.3 * p.pt, w, TAB_CAP, "Table", y1)
    return y + r.uniform(0.9, 1.6) * p.pt
