"""Lists and code."""

from __future__ import annotations

from training.layout.classes import TEXT
from training.layout.pages.page import Page
from training.layout.pages.typefaces import MONO, reach, width
from training.layout.pages.words import WORDS


def listing(p: Page, x: float, y: float, w: float, y1: float) -> float:
    """A list: items set apart get a box each, tight ones share one."""
    r, apart, step = p.r, p.r.random() < 0.6, p.r.uniform(1.2, 2.5) * p.pt
    mark = r.choice(("•", "–", "{}.", "({})", "[{}]", "•", "■", "*"))
    left, top, start = x + step * r.choice((0, 1)), y, len(p.boxes)
    for k in range(r.randint(2, 8)):
        words = [mark.format(k + 1), *p.words(r.randint(3, 30 if apart else 12))]
        new = p.text(left, y, x + w - left, words, p.f(), align=p.align, hang=step * (mark != "–"), y1=y1)
        if new == y:
            break
        y = new + (r.uniform(0.4, 0.7) * p.pt if apart else (p.lead - 0.98) * p.pt)
    if not apart and len(p.boxes) > start:
        parts = [b for _, b in p.boxes[start:]]
        del p.boxes[start:]
        p.label(TEXT, (min(b[0] for b in parts), top, max(b[2] for b in parts), parts[-1][3]))
    return y + 0.5 * p.pt


def code(p: Page, x: float, y: float, w: float, y1: float) -> float:
    r, f, n = (
        p.r,
        p.f(0, p.r.choice((0.85, 0.9, 1.0)), p.r.choice(MONO)),
        p.r.choice((1, 1, p.r.randint(2, 16), p.r.randint(2, 30))),
    )
    n = min(n, int((y1 - y) / f.size / 1.2) - 1)
    if n < 1:
        return y
    x, y, up, right = x + r.choice((0, 1, 2)) * p.pt, y + 0.4 * p.pt, reach(f)[0], x
    bottom = y + (n - 1) * 1.2 * f.size + sum(reach(f))
    if shaded := r.random() < 0.4:
        y, bottom, x = y + 4, bottom + 4, x + 6
        p.d.rectangle(
            (x - 6, y - 5, x + w - 2 * p.pt, bottom + 5),
            r.choice(((240, 240, 240), (245, 245, 230), (230, 238, 245))),
            r.choice((None, (160, 160, 160))),
        )
    for k in range(n):
        line = " " * r.choice((0, 2, 4, 4, 8)) + r.choice(
            ("{} = {}({})", "def {}({}):", "$ {} --{} {}", "<{} {}='{}'>", "{}.{}[{}];")
        )
        line = line.format(*(s.strip(".,()").lower() for s in r.sample(WORDS, 3)))[
            : max(4, int((w - 3 * p.pt) / width(f, "m")))
        ]
        p.d.text((x, y + up + k * 1.2 * f.size), line, (0, 0, 0) if shaded else p.ink, f, anchor="ls")
        right = max(right, x + width(f, line))
    p.label(TEXT, (x, y, right, bottom))
    return bottom + 0.9 * p.pt
