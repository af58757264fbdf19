"""Running heads and feet, page numbers, side stamps: all to be abandoned."""

from __future__ import annotations

from PIL import Image, ImageDraw

from training.layout.classes import ABANDON
from training.layout.pages.page import Page
from training.layout.pages.typefaces import reach, width


def running(p: Page, m: float) -> None:
    """Heads, feet, page numbers, side stamps: all to be abandoned."""
    r, f = p.r, p.f(p.r.choice((0, 0, 2)), p.r.uniform(0.7, 0.95))
    hy, fy = m * r.uniform(0.35, 0.6), p.h - m * r.uniform(0.35, 0.65)
    number = r.choice(("{}", "{}", "Page {}", "– {} –", "{}/312")).format(r.randint(1, 300))
    capitals = r.random() < 0.25
    for y, chance in ((hy, 0.65), (fy, 0.75)):
        if r.random() < chance:
            for align in r.choice(("l", "c", "r", "lr", "lr", "lcr")):
                words = [number] if r.random() < 0.5 else p.words(r.randint(1, 7))[:8]
                words = [word.upper() for word in words] if capitals else words
                p.text(
                    m,
                    y,
                    p.w - 2 * m,
                    words,
                    f,
                    cls=ABANDON,
                    align=align,
                    ink=r.choice((p.ink, (120, 120, 120))),
                    y1=y + 2 * f.size,
                )
            if r.random() < 0.3:
                v = y + (1.6 if y == hy else -0.6) * f.size
                p.d.line((m, v, p.w - m, v), p.ink)
    if r.random() < 0.05:
        s, g = "arXiv:" + " ".join(p.words(4)), p.f(0, 1.3)
        up, down = reach(g)
        strip = Image.new("L", (round(width(g, s)) + 2, round(up + down) + 2))
        ImageDraw.Draw(strip).text((0, up), s, 255, g, anchor="ls")
        strip = strip.rotate(90, expand=True)
        x, y = max(2, round(m * 0.35)), p.h // 2 - strip.height // 2
        p.im.paste((120, 120, 120), (x, y), strip)
        p.label(ABANDON, (x, y, x + strip.width, y + strip.height))
