"""What a reader is measured on: synthetic strips by kind, printed lines of real pages and scans, and blank strips."""

from __future__ import annotations

import csv
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pymupdf
from PIL import Image

from documents.strips import cut, square
from training.ocr.blanks import BlankPress
from training.ocr.characters import CHARS
from training.ocr.kinds import KINDS
from training.ocr.read import Squares
from training.ocr.strips import StripPress

SEED = 10_000_019  # of no training run
LONGEST = 70  # characters of a synthetic text
PRINTED = ("real", "order", "table")  # kinds of corpus files that are born digital
MAX_PAGES = 3  # of a PDF
ALIKE = 0.5  # correlation from which on a scan shows its page upright and level
THUMB = (120, 160)  # pixels in which that is seen


class Line(NamedTuple):
    """A printed line and what it says."""

    text: str
    squares: Squares


def synthetic(count: int, *, held_out: bool = True, kind: str = "plain", hard: float = 1.0) -> list[Line]:
    """Strips as training draws them, of a seed that it never saw; `hard` 0: clean. Raises NoFonts."""
    press = StripPress(SEED, held_out=held_out, weights={kind: KINDS[kind].weight})
    return [Line(text, (square(rows),)) for text, rows, _ in (press.strip(LONGEST, hard) for _ in range(count))]


def blanks(count: int) -> list[Line]:
    press = BlankPress(SEED)
    return [Line("", (square(press.strip()),)) for _ in range(count)]


def printed(paths: list[Path], count: int, dpi: int) -> list[Line]:
    """Lines of PDFs that have a sound text layer, spread over all of them."""
    found: list[Line] = []
    for path in paths:
        with pymupdf.open(path) as pdf:
            pages = list(pdf)[:MAX_PAGES]
            of_file = [line for page in pages for line in lines_of(page, drawn(page, dpi))]
        found += random.Random(path.name).sample(of_file, min(len(of_file), max(1, 2 * count // len(paths))))
    return random.Random(0).sample(found, min(count, len(found)))


def scanned(corpus: Path, count: int, dpi: int) -> list[Line]:
    """Lines of the corpus' scans that lie as their pages do; what they say is told by the page that was scanned."""
    found: list[Line] = []
    for scan, source in _scans(corpus):
        with pymupdf.open(scan) as image, pymupdf.open(source) as pdf:
            page, (width, height) = drawn(pdf[0], dpi), _size(pdf[0], dpi)
            seen = np.asarray(Image.fromarray(drawn(image[0], 2 * dpi)).resize((width, height), Image.Resampling.BOX))
            if _alike(page, seen) > ALIKE:
                found += lines_of(pdf[0], seen)
    return random.Random(0).sample(found, min(count, len(found)))


def lines_of(page: pymupdf.Page, sheet: np.ndarray) -> Iterator[Line]:
    """Level lines of a page of known characters, cut from its picture `sheet`, uint8 grey (height, width).

    A line whose surroundings make it more than one strip, or none, is left out.
    """
    zoom, layer = sheet.shape[1] / page.rect.width, page.get_text("dict", flags=0)
    assert isinstance(layer, dict)
    lines: list[dict[str, Any]] = [line for block in layer["blocks"] for line in block.get("lines", ())]
    for line in lines:
        text = " ".join("".join(span["text"] for span in line["spans"]).split())
        left, top, right, bottom = (round(v * zoom) for v in line["bbox"])
        if line["dir"] == (1.0, 0.0) and len(text) > 2 and set(text) <= set(CHARS):
            strips = cut(sheet[max(0, top) : bottom, max(0, left - 3) : right + 3])
            if len(strips) == 1:
                yield Line(text, strips[0].squares)


def drawn(page: pymupdf.Page, dpi: int) -> np.ndarray:
    """Its picture, grey: uint8 (height, width)."""
    pixels = page.get_pixmap(dpi=dpi, colorspace=pymupdf.csGRAY)
    return np.frombuffer(pixels.samples, np.uint8).reshape(pixels.height, pixels.width)


def corpus_pdfs(corpus: Path) -> list[Path]:
    """The born-digital PDFs of the evaluation corpus."""
    rows = _manifest(corpus)
    return [corpus / row["file"] for row in rows if row["kind"] in PRINTED and row["file"].endswith(".pdf")]


def _scans(corpus: Path) -> list[tuple[Path, Path]]:
    """Each scan, and the page that it was made from."""
    rows = [row for row in _manifest(corpus) if row["kind"] == "scan"]
    return [(corpus / row["file"], corpus / "pages" / f"{Path(row['truth']).stem}.pdf") for row in rows]


def _manifest(corpus: Path) -> list[dict[str, str]]:
    if not (corpus / "manifest.csv").is_file():
        return []
    with (corpus / "manifest.csv").open(encoding="utf-8", newline="") as manifest:
        return [row for row in csv.DictReader(manifest) if row["truth"]]


def _size(page: pymupdf.Page, dpi: int) -> tuple[int, int]:
    return round(page.rect.width * dpi / 72), round(page.rect.height * dpi / 72)


def _alike(page: np.ndarray, scan: np.ndarray) -> float:
    """Correlation of two pictures of one page, seen from afar."""
    small = [np.asarray(Image.fromarray(each).resize(THUMB, Image.Resampling.BOX), float) for each in (page, scan)]
    return float(np.corrcoef(small[0].ravel(), small[1].ravel())[0, 1])
