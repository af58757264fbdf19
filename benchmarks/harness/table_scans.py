"""Pages of PDFs as scans that OCR reads: pictures alone, drawn at a scanner's resolution, clean or worn."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from pathlib import Path

import pymupdf
from PIL import Image

from benchmarks.loads.drawn_scans import worn

DPI = (100, 150)
JPEG_QUALITY = 70


def write_scan(source: Path, pages: Sequence[int], target: Path, *, is_worn: bool) -> None:
    """These pages of a PDF (counted from 1; none: all) as pictures in the same size, always of the same wear."""
    with pymupdf.open(source) as pdf, pymupdf.open() as scan:
        for number in pages or range(1, pdf.page_count + 1):
            page = pdf[number - 1]
            way = int.from_bytes(hashlib.sha256(f"{source.name} {number}".encode()).digest()[:4])
            sheet = scan.new_page(width=page.rect.width, height=page.rect.height)
            sheet.insert_image(sheet.rect, stream=picture_of(page, way, is_worn=is_worn))
        target.write_bytes(scan.tobytes())


def picture_of(page: pymupdf.Page, way: int, *, is_worn: bool) -> bytes:
    """The page as a JPEG; `way` is that of its resolution and its wear."""
    dpi = DPI[way // 3 % len(DPI)]  # wear goes by thirds
    pixmap = page.get_pixmap(dpi=dpi, colorspace=pymupdf.csGRAY)
    picture = Image.frombytes("L", (pixmap.width, pixmap.height), pixmap.samples)
    if is_worn:
        picture = worn(picture, dpi, way)
    content = io.BytesIO()
    picture.save(content, "JPEG", quality=JPEG_QUALITY)
    return content.getvalue()
