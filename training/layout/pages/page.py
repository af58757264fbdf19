"""One bitmap, and the boxes and classes of all that was drawn on it."""

from __future__ import annotations

import random

from PIL import Image, ImageDraw, ImageFont

from training.layout.classes import TEXT
from training.layout.pages.typefaces import CJK, FAMILIES, font, reach, width
from training.layout.pages.words import WORDS

Ink = tuple[int, int, int]
Rect = tuple[float, float, float, float]


def colour(r: random.Random, darkest: int, lightest: int) -> Ink:
    return r.randint(darkest, lightest), r.randint(darkest, lightest), r.randint(darkest, lightest)


class Page:
    """One bitmap and the boxes of what was drawn on it; a region is drawn before its box is recorded."""

    def __init__(self, r: random.Random, w: int, h: int, *, lang: str, pt: float) -> None:
        self.r, self.w, self.h, self.pt = r, w, h, pt
        self.paper: Ink = (255, 255, 255)
        self.ink: Ink = r.choice(((0, 0, 0),) * 4 + ((30, 30, 30), (60, 60, 60), (20, 20, 60)))
        if r.random() < 0.08:
            self.paper = colour(r, 215, 255)
        self.im = Image.new("RGB", (w, h), self.paper)
        self.d = ImageDraw.Draw(self.im)
        self.boxes: list[tuple[int, Rect]] = []
        self.lang, fonts = lang, CJK if lang == "cjk" else FAMILIES
        self.body = r.choice(fonts)
        self.head = self.body if r.random() < 0.5 else r.choice(fonts)
        self.lead = r.uniform(1.12, 1.45) if r.random() < 0.85 else r.uniform(1.5, 2.1)
        self.align = r.choice("jjjjll")
        self.indent = r.choice((0, 0, 1.0, 1.5, 2.0)) * pt
        self.skip = (r.uniform(0.35, 1.0) if self.indent == 0 or r.random() < 0.25 else 0.0) * pt
        self.accent: Ink = self.ink if r.random() < 0.6 else colour(r, 0, 150)
        self.numbered, self.count = r.random() < 0.5, [r.randint(1, 9), r.randint(0, 5)]
        self.head_align, self.head_size = r.choice("lllc"), r.uniform(1.05, 1.6)
        self.tab_cap_top, self.cap_bold = r.random() < 0.75, r.random() < 0.5

    def f(self, weight: int = 0, scale: float = 1.0, family: str = "") -> ImageFont.FreeTypeFont:
        return font(family or self.body, weight, round(self.pt * scale))

    def words(self, n: int) -> list[str]:
        r = self.r
        if self.lang == "cjk":
            return [
                chr(r.randint(0x4E00, 0x7FFF)) if r.random() < 0.93 else r.choice("，。、0123") for _ in range(2 * n)
            ]
        if self.lang == "other":
            lo, hi = r.choice(((0x430, 0x44F), (0x3B1, 0x3C9)))
            return ["".join(chr(r.randint(lo, hi)) for _ in range(r.randint(2, 9))) for _ in range(n)]
        k = r.randrange(len(WORDS) - n - 1)
        out = WORDS[k : k + n]
        for _ in range(n // 14):
            out[r.randrange(n)] = r.choice(
                ("[12]", "(2019)", "x", "3.5%", "α", "n", "Fig. 2", "x=0", "e.g.", "[4,7]", "T")
            )
        return out

    def label(self, cls: int, box: Rect) -> None:
        x0, y0, x1, y1 = max(0, box[0]), max(0, box[1]), min(self.w, box[2]), min(self.h, box[3])
        if x1 - x0 > 2 and y1 - y0 > 2:
            self.boxes.append((cls, (x0, y0, x1, y1)))

    def text(
        self,
        x: float,
        y: float,
        w: float,
        words: list[str],
        f: ImageFont.FreeTypeFont,
        *,
        cls: int | None = TEXT,
        align: str = "l",
        lead: float = 0,
        indent: float = 0,
        hang: float = 0,
        ink: Ink | None = None,
        y1: float = 1e9,
    ) -> float:
        """Break words into lines from (x, y) down to y1 and record one box; return the bottom, or y where none fits."""
        up, down = reach(f)
        step, gap, i, top = (lead or self.lead) * f.size, width(f, " ") if self.lang != "cjk" else 0, 0, y
        box = [1e9, y, 0.0, y]
        while i < len(words) and y + up + down <= min(y1, self.h):
            left = x + (indent if not i else hang)
            room, n, used = x + w - left, 0, -gap
            while i + n < len(words) and (not n or used + gap + width(f, words[i + n]) <= room):
                used += gap + width(f, words[i + n])
                n += 1
            row, last, base = words[i : i + n], i + n >= len(words), y + up
            left += {"c": (room - used) / 2, "r": room - used}.get(align, 0)
            if align == "j" and not last and n > 1 and used > 0.6 * room:
                extra, at = gap + (room - used) / (n - 1), left
                for word in row:
                    self.d.text((at, base), word, self.ink if ink is None else ink, f, anchor="ls")
                    at += width(f, word) + extra
                used = room
            else:
                self.d.text(
                    (left, base),
                    ("" if self.lang == "cjk" else " ").join(row),
                    self.ink if ink is None else ink,
                    f,
                    anchor="ls",
                )
            box = [min(box[0], left), top, max(box[2], left + used), base + down]
            i, y = i + n, y + step
        if not i:
            return top
        if cls is not None:
            self.label(cls, (box[0], box[1], box[2], box[3]))
        return box[3]
