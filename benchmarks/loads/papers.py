"""Documents for the benchmarks, drawn from a seed: any number of pages, born-digital or scanned, no two alike."""

from __future__ import annotations

import random
from pathlib import Path

import pymupdf

WIDTH, HEIGHT, MARGIN, GAP = 612.0, 792.0, 54.0, 18.0
SCAN_DPI = 150
SYLLABLES = (
    "ba",
    "con",
    "de",
    "fer",
    "gra",
    "hi",
    "jus",
    "ka",
    "lo",
    "men",
    "ni",
    "or",
    "pre",
    "qua",
    "ri",
    "sta",
    "tor",
    "un",
    "xe",
)


def paper(file: Path, num_pages: int, seed: int = 0) -> Path:
    """A born-digital PDF: headings, two columns, a ruled table and its caption on each third page, page numbers."""
    chance = random.Random(seed)  # reproducible, not secret
    with pymupdf.open() as document:
        for number in range(1, num_pages + 1):
            _draw(document.new_page(width=WIDTH, height=HEIGHT), number, chance)
        document.save(file, garbage=3, deflate=True)
    return file


def scan(file: Path, num_pages: int, seed: int = 0) -> Path:
    """The same pages as pictures of 150 dpi, without a text layer."""
    born = paper(file.with_suffix(".born.pdf"), num_pages, seed)
    with pymupdf.open(born) as source, pymupdf.open() as document:
        for page in source:
            picture = page.get_pixmap(dpi=SCAN_DPI, colorspace=pymupdf.csGRAY)
            document.new_page(width=WIDTH, height=HEIGHT).insert_image(
                pymupdf.Rect(0, 0, WIDTH, HEIGHT), stream=picture.tobytes("jpeg")
            )
        document.save(file)
    born.unlink()
    return file


def table_picture(seed: int = 0) -> bytes:
    """A PNG of one ruled table, as a client sends it to be read."""
    chance = random.Random(seed)
    with pymupdf.open() as document:
        page = document.new_page(width=320, height=150)
        _table(page, pymupdf.Rect(10, 10, 310, 140), chance)
        return page.get_pixmap(dpi=SCAN_DPI).tobytes("png")


def _draw(page: pymupdf.Page, number: int, chance: random.Random) -> None:
    page.insert_text((MARGIN, 70), f"{number}. {_words(chance, 4).capitalize()}", fontsize=16, fontname="hebo")
    top, bottom, width = 90.0, HEIGHT - 80, (WIDTH - 2 * MARGIN - GAP) / 2
    for column in range(2):
        left, at = MARGIN + column * (width + GAP), top
        if column and number % 3 == 0:
            _table(page, pymupdf.Rect(left, at, left + width, at + 110), chance)
            page.insert_text((left, at + 124), f"Table {number}: {_words(chance, 4)}", fontsize=8)
            at += 140
        while at < bottom - 60:
            used = min(chance.choice((80.0, 110.0, 150.0)), bottom - at)
            page.insert_textbox(
                pymupdf.Rect(left, at, left + width, at + used),
                f"{_words(chance, int(used / 11) * 7).capitalize()}.",
                fontsize=9,
                fontname="tiro",
            )
            at += used + 6
    page.insert_text((WIDTH / 2, HEIGHT - 40), str(number), fontsize=9)


def _table(page: pymupdf.Page, area: pymupdf.Rect, chance: random.Random, rows: int = 6, columns: int = 4) -> None:
    high, wide = area.height / rows, area.width / columns
    for row in range(rows):
        for column in range(columns):
            x, y = area.x0 + column * wide, area.y0 + row * high
            page.draw_rect(pymupdf.Rect(x, y, x + wide, y + high), width=0.5)
            text = _words(chance, 1) if row == 0 or column == 0 else f"{chance.uniform(0, 1000):.1f}"
            page.insert_text((x + 3, y + high - 6), text, fontsize=8)


def _words(chance: random.Random, count: int) -> str:
    return " ".join("".join(chance.choices(SYLLABLES, k=chance.randint(1, 3))) for _ in range(count))
