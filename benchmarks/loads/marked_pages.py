"""Forty pages in six PDFs whose paragraphs and tables hold words of their own, with the places where these are printed.

The places come from PyMuPDF, which reads the words of the same page drawn level, as a person sees it: neither cropped
nor turned, and no picture. A word is as high as its font size: PyMuPDF's default adds the font's own line gap, which in
Times is three points above each word that nobody sees.
"""

from __future__ import annotations

import contextlib
import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pymupdf

from benchmarks.loads.papers import SYLLABLES

WIDTH, HEIGHT, MARGIN = 595.0, 842.0, 72.0
TABLE = pymupdf.Rect(MARGIN, 420, WIDTH - MARGIN, 600)
CROP = pymupdf.Rect(60, 80, 520, 700)  # in the page as the file stores it
SCAN_DPI = 200
WORDS_PER_PARAGRAPH, ROWS, COLUMNS = 34, 6, 3
PAGES: dict[str, list[tuple[str, int, bool]]] = {  # per file: how a page is set, turned by, cropped
    "upright": [("paragraphs", 0, False)] * 8,
    "turned": [("paragraphs", angle, False) for angle in (90, 180, 270)] * 4,
    "cropped": [("paragraphs", angle, True) for angle in (0, 90, 180, 270, 0, 90, 180, 270, 0, 0)],
    "columns": [("columns", 0, False)] * 4,
    "tables": [("table", 0, False)] * 4,
    "scans": [("scan", 0, False)] * 2,
}


Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A paragraph or table; no other mark of the set has any of its words."""

    file: str
    page: int  # counts from 1
    text: str
    box: Box  # around the words, in points of the page as a person sees it, from its top left
    frame: Box | None  # of a table: its outer rule

    @property
    def words(self) -> frozenset[str]:
        return frozenset(self.text.lower().replace(".", "").split())


def marked_pages(folder: Path) -> list[Mark]:
    """Writes the PDFs and gives their marks."""
    words = _words()
    marks: list[Mark] = []
    for name, pages in PAGES.items():
        with pymupdf.open() as document:
            for setting, angle, cropped in pages:
                page = document.new_page(width=WIDTH, height=HEIGHT)
                placed = _draw(page, setting, angle, CROP if cropped else page.rect, words)
                if setting == "scan":
                    picture = page.get_pixmap(dpi=SCAN_DPI, colorspace=pymupdf.csGRAY).tobytes("png")
                    document.delete_page(-1)
                    document.new_page(width=WIDTH, height=HEIGHT).insert_image((0, 0, WIDTH, HEIGHT), stream=picture)
                file, number = f"{name}.pdf", len(document)
                marks += [Mark(file=file, page=number, text=text, box=box, frame=frame) for text, box, frame in placed]
            document.save(folder / f"{name}.pdf", deflate=True)
    return marks


def _draw(
    page: pymupdf.Page, setting: str, angle: int, view: pymupdf.Rect, words: Iterator[str]
) -> list[tuple[str, Box, Box | None]]:
    """Texts, boxes and frames; in the end the page is cropped to `view` and turned."""
    wide, high = (view.width, view.height) if angle % 180 == 0 else (view.height, view.width)
    areas = _areas(setting, wide)
    texts = [" ".join(itertools.islice(words, WORDS_PER_PARAGRAPH)).capitalize() + "." for _ in areas]
    cells = list(itertools.islice(words, ROWS * COLUMNS)) if setting == "table" else []
    size = 15 if setting == "scan" else 11
    with pymupdf.open() as level, small_glyph_heights():
        as_seen = level.new_page(width=wide, height=high)
        _set(as_seen, texts, areas, size, 0)
        _rule(as_seen, cells)
        printed: dict[str, Box] = {
            str(word).strip(".").lower(): (float(x0), float(y0), float(x1), float(y1))
            for x0, y0, x1, y1, word, *_ in as_seen.get_text("words")
        }
    _set(page, texts, [area * _to_stored(angle, view) for area in areas], size, angle)
    _rule(page, cells)
    if view != page.rect:
        page.set_cropbox(view)
    page.set_rotation(angle)
    frames: list[Box | None] = [None] * len(texts)
    if cells:
        texts.append(" ".join(cells))
        frames.append((TABLE.x0, TABLE.y0, TABLE.x1, TABLE.y1))
    boxes = [around([printed[word] for word in text.strip(".").lower().split()]) for text in texts]
    return list(zip(texts, boxes, frames, strict=True))


@contextlib.contextmanager
def small_glyph_heights() -> Iterator[None]:
    """Words as high as their font size."""
    before = pymupdf.TOOLS.set_small_glyph_heights()
    pymupdf.TOOLS.set_small_glyph_heights(True)
    try:
        yield
    finally:
        pymupdf.TOOLS.set_small_glyph_heights(before)


def around(boxes: Sequence[Sequence[float]]) -> Box:
    """The least box that holds all of them."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def _set(page: pymupdf.Page, texts: Sequence[str], areas: Sequence[pymupdf.Rect], size: int, angle: int) -> None:
    for text, area in zip(texts, areas, strict=True):
        room = page.insert_textbox(area, text, fontsize=size, fontname="tiro", rotate=angle)
        assert room >= 0, "the paragraph must fit"


def _areas(setting: str, page_width: float) -> list[pymupdf.Rect]:
    """Where the paragraphs go."""
    if setting == "columns":
        wide = (page_width - 2 * MARGIN - 24) / 2
        lefts = (MARGIN, MARGIN + wide + 24)
        return [pymupdf.Rect(x, y, x + wide, y + 200) for x in lefts for y in (90, 310, 530)]
    high, num_areas = (180, 3) if setting == "scan" else (110, 2 if setting == "table" else 3)
    tops = [70 + k * (high + 20) for k in range(num_areas)]
    return [pymupdf.Rect(48, top, page_width - 48, top + high) for top in tops]


def _rule(page: pymupdf.Page, cells: Sequence[str]) -> None:
    """A table of these cells, row by row, on a page that is not turned."""
    wide, high = TABLE.width / COLUMNS, TABLE.height / ROWS
    for k, text in enumerate(cells):
        x, y = TABLE.x0 + k % COLUMNS * wide, TABLE.y0 + k // COLUMNS * high
        page.draw_rect(pymupdf.Rect(x, y, x + wide, y + high), width=0.7)
        page.insert_text((x + 6, y + high - 10), text, fontsize=10)


def _to_stored(angle: int, view: pymupdf.Rect) -> pymupdf.Matrix:
    """From the page as it is seen to the page as it is stored: /Rotate turns clockwise what is in `view`."""
    turn = {
        0: pymupdf.Matrix(1, 0, 0, 1, 0, 0),
        90: pymupdf.Matrix(0, -1, 1, 0, 0, view.height),
        180: pymupdf.Matrix(-1, 0, 0, -1, view.width, view.height),
        270: pymupdf.Matrix(0, 1, -1, 0, view.width, 0),
    }[angle]
    return turn * pymupdf.Matrix(1, 0, 0, 1, view.x0, view.y0)


def _words() -> Iterator[str]:
    """Never the same one twice."""
    words = ["".join(parts) for parts in itertools.product(SYLLABLES, repeat=3)]
    random.Random(0).shuffle(words)  # reproducible, not secret
    return iter(dict.fromkeys(words))
