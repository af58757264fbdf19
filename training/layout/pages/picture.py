"""What figures show: tints, plots, photographs, diagrams, screenshots, line art."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from PIL import Image, ImageDraw

from training.layout.pages.page import Page, Rect, colour
from training.layout.pages.sprites import NUM_PLOTS, plot
from training.layout.pages.typefaces import MONO, width
from training.layout.pages.words import WORDS


@lru_cache(40)
def clouds(seed: int) -> np.ndarray:
    """Coloured 1/f noise: a stand-in for photographs, 512 x 512 x 3."""
    g = np.random.default_rng(seed)
    fy, fx = np.meshgrid(np.fft.fftfreq(512), np.fft.rfftfreq(512), indexing="ij")
    amp = 1 / np.maximum(np.hypot(fy, fx), 1 / 512) ** g.uniform(0.9, 1.9)
    base = [np.fft.irfft2(amp * np.exp(2j * np.pi * g.random(amp.shape))) for _ in range(3)]
    mix = np.stack(base, -1) @ (np.full((3, 3), g.uniform(0, 1)) + np.eye(3))
    return np.clip(128 + g.uniform(35, 70) * (mix - mix.mean()) / mix.std(), 0, 255).astype(np.uint8)


def picture(p: Page, box: Rect, depth: int = 0) -> None:
    """Fill a box with a tint, a plot, a photograph, a diagram, a screenshot, line art, or a grid of these."""
    r, (x0, y0, x1, y1) = p.r, tuple(round(v) for v in box)
    w, h, kind = max(8, x1 - x0), max(8, y1 - y0), p.r.random()
    if kind < 0.06:
        _flat(p, (x0, y0, x1, y1))
    elif kind < 0.32:
        p.im.paste(plot(r.randrange(NUM_PLOTS)).resize((w, h), Image.Resampling.BILINEAR), (x0, y0))
    elif kind < 0.56:
        _photograph(p, x0, y0, w, h)
    elif kind < 0.8 or (kind < 0.9 and depth):
        _diagram(p, x0, y0, w, h)
    elif kind < 0.9:
        _panels(p, x0, y0, w, h)
    elif kind < 0.95:
        _screenshot(p, (x0, y0, x1, y1), w, h)
    else:
        _line_art(p, x0, y0, w, h)
    if r.random() < 0.2:
        p.d.rectangle((x0, y0, x1, y1), None, p.ink)


def _flat(p: Page, box: tuple[int, ...]) -> None:
    """One tint, as where a picture was left out; perhaps framed, crossed out or named."""
    r, (x0, y0, x1, y1) = p.r, box
    tint = (r.randint(150, 235),) * 3 if r.random() < 0.7 else colour(r, 120, 235)
    p.d.rectangle(box, tint, p.ink if p.paper != (255, 255, 255) else r.choice((None, p.ink, (130, 130, 130))))
    if r.random() < 0.2:
        p.d.line((x0, y0, x1, y1), (130, 130, 130))
        p.d.line((x0, y1, x1, y0), (130, 130, 130))
    if r.random() < 0.2:
        p.d.text(((x0 + x1) / 2, (y0 + y1) / 2), r.choice(WORDS), p.ink, p.f(0, 0.9), anchor="mm")


def _photograph(p: Page, x0: int, y0: int, w: int, h: int) -> None:
    """A cut of clouds with a few shapes before it."""
    r = p.r
    a, k = clouds(r.randrange(40)), r.uniform(0.3, 1)
    cx, cy = r.randint(0, int(511 - 510 * k)), r.randint(0, int(511 - 510 * k))
    im = Image.fromarray(a[cy : cy + int(510 * k), cx : cx + int(510 * k)]).resize((w, h), Image.Resampling.BILINEAR)
    d = ImageDraw.Draw(im)
    for _ in range(r.randint(0, 6)):
        ax, ay, s = r.uniform(0, w), r.uniform(0, h), r.uniform(0.05, 0.4) * min(w, h)
        shape = r.choice((d.ellipse, d.rectangle))
        shape((ax - s, ay - s * r.uniform(0.5, 2), ax + s, ay + s), tuple(r.randint(0, 255) for _ in range(3)))
    p.im.paste(im if r.random() < 0.6 else im.convert("L").convert("RGB"), (x0, y0))


def _diagram(p: Page, x0: int, y0: int, w: int, h: int) -> None:
    """Boxes or ovals in rows, joined by lines, most with a word."""
    r, fill = p.r, p.r.choice((None, (235, 240, 250), (250, 240, 220), (225, 225, 225)))
    cols, rows = r.randint(1, max(1, min(5, w // 60))), r.randint(1, max(1, min(5, h // 40)))
    f = p.f(0, r.uniform(0.6, 0.95))
    cw, ch, last = w / cols, h / rows, None
    shape = r.choice((p.d.rectangle, p.d.ellipse, p.d.rectangle))
    for k in range(cols * rows):
        if k and r.random() < 0.15:
            continue
        b = (
            x0 + k % cols * cw + 0.12 * cw * (k % cols > 0),
            y0 + k // cols * ch + 0.2 * ch * (k >= cols),
            x0 + k % cols * cw + 0.88 * cw,
            y0 + k // cols * ch + (0.8 if k < cols * rows - cols else 1) * ch - 1,
        )
        mid = ((b[0] + b[2]) / 2, (b[1] + b[3]) / 2)
        if last:
            p.d.line((*last, *mid), p.ink, r.randint(1, 2))
        shape(b, fill or p.paper, p.ink)
        s = r.choice(WORDS)
        if width(f, s) < b[2] - b[0] and f.size < b[3] - b[1]:
            p.d.text(mid, s, (0, 0, 0) if fill else p.ink, f, anchor="mm")
        last = mid


def _panels(p: Page, x0: int, y0: int, w: int, h: int) -> None:
    """Pictures in a grid, each with its letter below."""
    n, m = p.r.choice(((1, 2), (2, 1), (2, 2), (1, 3), (2, 3)))
    f = p.f(0, 0.8)
    for k in range(n * m):
        bx, by = x0 + k % m * w / m, y0 + k // m * h / n
        picture(p, (bx, by, bx + w / m - 0.03 * w * (k % m < m - 1), by + h / n - 1.6 * f.size), 1)
        p.d.text((bx + w / m / 2, by + h / n), f"({chr(97 + k)})", p.ink, f, anchor="ms")


def _screenshot(p: Page, box: tuple[int, ...], w: int, h: int) -> None:
    """A window with a bar above and lines of code."""
    r, (x0, y0, x1, y1) = p.r, box
    p.d.rectangle((x0, y0, x1, y1), r.choice(((255, 255, 255), (30, 30, 40), (240, 240, 240))), (120, 120, 120))
    p.d.rectangle((x0, y0, x1, y0 + min(h // 3, int(1.4 * p.pt))), r.choice(((70, 100, 160), (200, 200, 200))))
    for yy in range(y0 + 2 * round(p.pt), y1 - round(p.pt), max(8, round(1.3 * p.pt))):
        s = " ".join(p.words(6))[: int(w / p.pt * r.uniform(0.3, 1.2))]
        p.d.text((x0 + 5, yy), s, (128, 128, 128), p.f(0, 0.8, MONO[0]), anchor="lt")


def _line_art(p: Page, x0: int, y0: int, w: int, h: int) -> None:
    """Curves across the box."""
    r = p.r
    for _ in range(r.randint(3, 14)):
        a, b = r.uniform(0, 6), r.uniform(1, 5)
        pts = [
            (x0 + w / 2 * (1 + math.cos(a + t * b)), y0 + h / 2 * (1 + math.sin(a * b + t * 1.3)))
            for t in np.linspace(0, 3, 30)
        ]
        p.d.line(pts, p.ink, r.randint(1, 3))
