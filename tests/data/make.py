"""Writes the three documents of this folder, the same bytes each time: `python tests/data/make.py`.

`columns.pdf` has two pages of two columns under a title, with running heads and page numbers; `letter.pdf` one page of
one column with a list; `scan.png` is the letter as a scanner would give it, without any text layer. Texts are ours.
"""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pymupdf
from PIL import Image

HERE = Path(__file__).parent
COLUMNS = ((60, 296), (316, 552))  # left and right edges, in points
PARAGRAPHS = (
    "A mill that turns pages into text has to know where each page begins and where it ends. It reads the columns one "
    "after the other, and it never mixes the lines of one column with the lines of its neighbour.",
    "When a page arrives, the renderer opens it in a process of its own. If the page is damaged, only that process is "
    "lost, and the next page is drawn by another one.",
    "The layout network looks at a small picture of the page. It says where the paragraphs, the titles, the figures "
    "and the tables stand, but it does not read a single word.",
    "Words come from the text layer where the page has one that can be trusted. Where it has none, the lines are cut "
    "out of the picture and read one by one.",
    "Reading order is found by cutting the page along its widest gaps. A title that spans both columns is read first, "
    "then the left column, then the right one.",
    "Running heads and page numbers repeat from page to page. They help a person who holds the paper, but they would "
    "only disturb a person who searches the text.",
    "A hyphen at the end of a line is taken away when the word goes on in the next line, so that a search for the "
    "whole word finds it.",
    "At the end all pages are put together. The document says for each line on which page it stands and where, and a "
    "citation can point at the very spot.",
)
LIST = ("Bring the ladder back to the barn.", "Close the gate behind the sheep.", "Write down how much flour is left.")


def columns_pdf() -> bytes:
    pdf = pymupdf.open()
    for number in (1, 2):
        page = pdf.new_page(width=612, height=792)
        page.insert_text((60, 40), "Notes from the Mill", fontsize=8, fontname="helv")
        page.insert_text((303, 765), str(number), fontsize=8, fontname="helv")
        if number == 1:
            page.insert_text((60, 84), "How Pages Become Text in a Small Mill", fontsize=18, fontname="hebo")
        texts = PARAGRAPHS[:4] if number == 1 else PARAGRAPHS[4:]
        for (left, right), pair in reversed(list(zip(COLUMNS, (texts[:2], texts[2:]), strict=True))):
            y = 130.0
            for text in pair:
                y = _flow(page, text, left, right, y) + 8
    return _saved(pdf)


def letter_pdf() -> bytes:
    pdf = pymupdf.open()
    page = pdf.new_page(width=595, height=842)
    page.insert_text((72, 90), "A Letter to the Miller", fontsize=16, fontname="hebo")
    y = 120.0
    for text in (PARAGRAPHS[1], PARAGRAPHS[5]):
        y = _flow(page, text, 72, 520, y) + 10
    for number, item in enumerate(LIST, 1):
        y += 14
        page.insert_text((86, y), f"{number}. {item}", fontsize=11, fontname="tiro")
    _flow(page, PARAGRAPHS[7], 72, 520, y + 14)
    return _saved(pdf)


def scan_png(letter: bytes) -> bytes:
    pixmap = pymupdf.open(stream=letter, filetype="pdf")[0].get_pixmap(dpi=150, colorspace=pymupdf.csGRAY)
    paper = np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.width)
    worn = np.clip(paper.astype(np.int16) * 0.86 + 18, 0, 255) // 16 * 16  # grey paper, pale ink, few shades
    out = io.BytesIO()
    Image.fromarray(worn.astype(np.uint8)).save(out, "PNG", dpi=(150, 150), optimize=True)
    return out.getvalue()


def _flow(page: pymupdf.Page, text: str, left: float, right: float, y: float, size: float = 11) -> float:
    """Set a paragraph from `y` down; returns the baseline of its last line."""
    line = ""
    for word in [*text.split(), None]:
        longer = f"{line} {word}".strip() if word else ""
        if word and pymupdf.get_text_length(longer, "tiro", size) <= right - left:
            line = longer
            continue
        y += 1.25 * size
        page.insert_text((left, y), line, fontsize=size, fontname="tiro")
        line = word or ""
    return y


def _saved(pdf: pymupdf.Document) -> bytes:
    return pdf.tobytes(garbage=3, deflate=True, no_new_id=True)


def main() -> None:
    letter = letter_pdf()
    (HERE / "columns.pdf").write_bytes(columns_pdf())
    (HERE / "letter.pdf").write_bytes(letter)
    (HERE / "scan.png").write_bytes(scan_png(letter))


if __name__ == "__main__":
    main()
