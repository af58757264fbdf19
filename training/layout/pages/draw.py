"""The page of a seed: kind, language, size, and whether it looks scanned."""

from __future__ import annotations

import random

from training.layout.pages.form import form
from training.layout.pages.invoice import invoice
from training.layout.pages.letter import letter
from training.layout.pages.newspaper import newspaper
from training.layout.pages.page import Page
from training.layout.pages.prose import prose
from training.layout.pages.receipt import receipt
from training.layout.pages.scan import scanned
from training.layout.pages.sheet import sheet
from training.layout.pages.slide import slide
from training.layout.pages.transcript import transcript

KINDS = {  # parts of all pages
    "article": 24,
    "maths": 8,
    "book": 9,
    "manual": 13,
    "report": 9,
    "references": 4,
    "contents": 3,
    "index": 2,
    "newspaper": 6,
    "slide": 16,
    "form": 5,
    "letter": 6,
    "invoice": 5,
    "receipt": 2,
    "transcript": 3,
    "sheet": 22,
}


def draw(seed: int) -> Page:
    """The page of a seed: the same seed and fonts give the same page."""
    r = random.Random(seed)
    kind, lang = r.choices(list(KINDS), list(KINDS.values()))[0], r.choices(("latin", "cjk", "other"), (84, 12, 4))[0]
    tall, ratio = 1120, r.choice((1.414, 1.414, 1.294, 1.5, 1.33))
    h, w = tall, round(tall / ratio)
    size = r.uniform(8.5, 12.5) / 842 * tall
    if kind == "slide":
        h, w, size = round(tall / r.choice((1.333, 1.778, 1.6))), tall, r.uniform(19, 40)
    elif kind == "newspaper":
        size = r.uniform(5.5, 9)
    elif kind == "receipt":
        w, size = round(tall / r.uniform(1.6, 2.6)), r.uniform(16, 30)
    elif r.random() < 0.08:
        h, w = w, h
    elif r.random() < 0.1:
        size *= r.uniform(1.2, 1.8)
    p = Page(r, w, h, lang=lang, pt=size)
    special = {"newspaper": newspaper, "slide": slide, "form": form, "letter": letter, "receipt": receipt}
    special |= {"invoice": invoice, "transcript": transcript, "sheet": sheet}
    if kind in special:
        special[kind](p)
    else:
        p.align = "j" if lang == "cjk" else p.align
        wide = w > h
        cols = {
            "article": r.choice((1, 2, 2, 2, 3)),
            "references": r.choice((1, 2)),
            "index": r.choice((2, 2, 3)),
            "maths": r.choice((1, 1, 2)),
            "report": r.choice((1, 1, 2, 3)),
        }.get(kind, 1)
        prose(p, kind, cols + (wide and cols < 3 and r.random() < 0.7))
    if r.random() < 0.35:
        scanned(p)
    return p
