"""What a reader is measured on: synthetic strips by kind, printed lines of real pages and scans, and blank strips."""

from __future__ import annotations

import csv
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
import pymupdf
from PIL import Image, ImageDraw, ImageFont

from documents.inspection import Inspection
from documents.media_types import PDF
from documents.ocr_input.line_strips import cut
from documents.ocr_input.strip_folding import square
from documents.pdf.pdf_file import PdfFile
from documents.render_limits import RenderLimits
from documents.values import Source
from training.fonts import NoFonts, font_files
from training.ocr.blanks import BlankPress
from training.ocr.characters import CHARS
from training.ocr.kinds import KINDS
from training.ocr.read import Squares
from training.ocr.strips import StripPress

SEED = 10_000_019  # of no training run
LONGEST = 70  # characters of a synthetic text
PRINTED = ("real", "order", "table")  # kinds of corpus files that are born digital
MAX_PAGES = 3  # of a PDF
ALIKE = 0.5  # correlation from which on a scan shows a line where its page has it
FOREIGN = (  # a pattern of file names, and a line in a script that no recipe draws
    ("DejaVuSerif.ttf", "Все счастливые семьи похожи друг на друга"),
    ("DejaVuSans.ttf", "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι"),
    ("DejaVuSans.ttf", "Բոլոր մարդիկ ծնվում են ազատ ու հավասար"),
    ("DejaVuSans.ttf", "ყველა ადამიანი იბადება თავისუფალი"),
    ("DejaVuSans.ttf", "يولد جميع الناس أحرارا متساوين"),
    ("NotoSansDevanagari-Regular", "सभी मनुष्यों को गौरव और अधिकारों"),
    ("NotoSansThai-Regular", "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกัน"),
    ("NotoSansCJK-Regular", "人人生而自由在尊严和权利上一律平等"),
)


class Line(NamedTuple):
    """A printed line and what it says."""

    text: str
    squares: Squares  # none of a line that could not be cut out of its page as one strip


def synthetic(count: int, *, held_out: bool = True, kind: str = "plain", hard: float = 1.0) -> list[Line]:
    """Strips as training draws them, of a seed that it never saw; `hard` 0: clean. Raises NoFonts."""
    press = StripPress(SEED, held_out=held_out, weights={kind: KINDS[kind].weight})
    return [Line(text, (square(rows),)) for text, rows, _ in (press.strip(LONGEST, hard) for _ in range(count))]


def blanks(count: int) -> list[Line]:
    press = BlankPress(SEED)
    return [Line("", (square(press.strip()),)) for _ in range(count)]


def foreign() -> list[Line]:
    """Lines in scripts that the checkpoint has not learnt, as far as fonts for them are installed. Raises NoFonts."""
    lines: list[Line] = []
    for pattern, text in FOREIGN:
        path = next((file for file in font_files() if re.match(pattern, file.name)), None)
        if path is None:
            continue
        for size in (18, 24, 32):
            font = ImageFont.truetype(path, size)
            sheet = Image.new("L", (40 + round(font.getlength(text)), 2 * size + 10), 255)
            ImageDraw.Draw(sheet).text((20, 8), text, font=font, fill=0)
            lines += [Line(text, strip.squares) for strip in cut(np.asarray(sheet))]
    if not lines:
        raise NoFonts("no font for another script is installed")
    return lines


def printed(paths: list[Path], count: int, dpi: int) -> list[Line]:
    """Lines of PDFs that have a sound text layer, spread over all of them."""
    lines: list[Line] = []
    for path in paths:
        file = PdfFile(Source(path=str(path), media_type=PDF), RenderLimits())
        of_file: list[Line] = []
        for number in range(1, min(MAX_PAGES, file.opened().num_pages) + 1):
            of_file += lines_of(file.inspect(number), file.picture(number, None, dpi, None, 0))
        file.close()
        lines += random.Random(path.name).sample(of_file, min(len(of_file), max(1, 2 * count // len(paths))))
    return random.Random(0).sample(lines, min(count, len(lines)))


def scanned(corpus: Path, count: int, dpi: int) -> list[Line]:
    """Lines of the corpus' scans that lie where their pages have them; those pages have their text."""
    lines: list[Line] = []
    for scan, source in _scans(corpus):
        file = PdfFile(Source(path=str(source), media_type=PDF), RenderLimits())
        page = file.picture(1, None, dpi, None, 0)
        with pymupdf.open(scan) as image:
            sheet = image[0].get_pixmap(dpi=2 * dpi, colorspace=pymupdf.csGRAY)
        picture = Image.frombytes("L", (sheet.width, sheet.height), sheet.samples)
        resized = np.asarray(picture.resize((page.shape[1], page.shape[0]), Image.Resampling.BOX))
        lines += lines_of(file.inspect(1), resized, page[..., 0])
        file.close()
    return random.Random(0).sample(lines, min(count, len(lines)))


def lines_of(page: Inspection, sheet: np.ndarray, like: np.ndarray | None = None) -> Iterator[Line]:
    """Level lines of a page of known characters, cut from its picture, uint8 (height, width) or (height, width, 3).

    Of a scan, `like` is the page itself in as many pixels: a line that does not look like it there lies elsewhere.
    """
    zoom = sheet.shape[1] / page.width
    for line in page.lines:
        text = " ".join(line.text.split())
        if line.angle or line.hidden is not None or len(text) <= 2 or not set(text) <= set(CHARS):
            continue
        box = line.box
        left, top, right, bottom = (round(v * zoom) for v in (box.x0, box.y0, box.x1, box.y1))
        place = np.s_[max(0, top - 1) : bottom + 1, max(0, left - 3) : right + 3]
        if like is not None and _alike(like[place], sheet[place]) < ALIKE:
            continue
        strips = cut(sheet[place])
        yield Line(text, strips[0].squares if len(strips) == 1 else ())


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


def _alike(page: np.ndarray, scan: np.ndarray) -> float:
    """Correlation of two pictures of one line, a little blurred: ink of one may be finer than that of the other."""
    one, other = (cv2.GaussianBlur(picture.astype(np.float32), (5, 5), 0).ravel() for picture in (page, scan))
    return float(np.corrcoef(one, other)[0, 1]) if one.std() > 0 and other.std() > 0 else 0.0
