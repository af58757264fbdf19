"""A PDF with a word of its own on each page: text with running heads, nothing, a picture, a table over two pages."""

from __future__ import annotations

import pymupdf

WORDS = {1: "Albatross", 3: "Cormorant", 5: "Egret", 6: "Fulmar", 7: "Gannet"}  # by page; 2 is blank, 4 is a picture
LINES = ("The harbour master keeps the log.", "Ships wait for the tide at night.", "Lamps burn until the morning.")
ROWS_PER_PAGE = 8
LEFT, RIGHT, ROW_HEIGHT = 72, 520, 24


def paged_pdf() -> bytes:
    """Seven pages; those with text have a running head and a page number."""
    document = pymupdf.open()
    for number in range(1, 8):
        page = document.new_page(width=595, height=842)
        if number == 4:
            page.insert_image(pymupdf.Rect(72, 120, 520, 600), pixmap=_picture())
        if number not in WORDS:
            continue
        page.insert_text((72, 40), "Log of the Northern Harbour", fontsize=9)
        page.insert_text((290, 815), str(number), fontsize=9)
        if number in (5, 6):
            _table(page, WORDS[number])
            continue
        page.insert_text((72, 100), f"{WORDS[number]} report", fontsize=20, fontname="hebo")
        for line, text in enumerate((f"This is the page of the {WORDS[number]}.", *LINES)):
            page.insert_text((72, 150 + 18 * line), text, fontsize=11)
    return document.tobytes(no_new_id=True)


def blank_pdf() -> bytes:
    """One page without text."""
    document = pymupdf.open()
    document.new_page(width=595, height=842)
    return document.tobytes(no_new_id=True)


def _picture() -> pymupdf.Pixmap:
    with pymupdf.open() as drawing:
        page = drawing.new_page(width=400, height=400)
        for radius in range(20, 180, 20):
            page.draw_circle((200, 200), radius, color=(0.2, 0.3, 0.6), fill=(1 - radius / 200, 0.6, radius / 200))
        return page.get_pixmap()


def _table(page: pymupdf.Page, word: str) -> None:
    """A closed grid from edge to edge of the text, at the same place on each page."""
    columns = [LEFT, 250, 400, RIGHT]
    for row in range(ROWS_PER_PAGE + 1):
        page.draw_line((LEFT, 90 + row * ROW_HEIGHT), (RIGHT, 90 + row * ROW_HEIGHT))
    for x in columns:
        page.draw_line((x, 90), (x, 90 + ROWS_PER_PAGE * ROW_HEIGHT))
    for row in range(ROWS_PER_PAGE):
        cells = ("Ship", "Berth", "Hour") if row == 0 else (f"{word} {row}", f"Quay {row}", f"0{row}:15")
        for x, text in zip(columns, cells, strict=False):
            page.insert_text((x + 6, 90 + (row + 0.7) * ROW_HEIGHT), text, fontsize=10)
