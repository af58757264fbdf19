"""Boxes of half-turned text lie where its ink is, as those of any other text."""

from __future__ import annotations

import numpy as np
import pymupdf
import pytest

from documents.pdf.pdf_file import PdfFile
from documents.render_limits import RenderLimits
from documents.values import Source

MIRROR = pymupdf.Matrix(-1, 0, 0, 1, 0, 0)
SIZE = 40.0  # so that a box on the wrong side of its baseline misses the ink


def drawn(page: pymupdf.Page, way: str) -> None:
    if way == "mirrored":
        point = pymupdf.Point(300, 400)
        page.insert_text(point, "ALONE", fontsize=SIZE, morph=(point, MIRROR))
    else:
        page.insert_text((300, 400), "ALONE", fontsize=SIZE, rotate=int(way))


def ink(page: pymupdf.Page) -> tuple[int, int, int, int]:
    """What a person sees, by the pixels of the page at one per point."""
    pixels = page.get_pixmap()
    dark = np.frombuffer(pixels.samples, np.uint8).reshape(pixels.height, pixels.width, pixels.n)[..., 0] < 128
    rows, columns = np.nonzero(dark)
    return columns.min(), rows.min(), columns.max() + 1, rows.max() + 1


@pytest.mark.parametrize("rotation", [0, 180])
@pytest.mark.parametrize("way", ["0", "180", "mirrored"])
def test_the_box_of_a_line_is_where_its_ink_is(tmp_path, way: str, rotation: int):
    """Guards against highlights half a line beside the words of a page that was fed upside down."""
    document = pymupdf.open()
    page = document.new_page()
    drawn(page, way)
    page.set_rotation(rotation)
    document.save(tmp_path / "a.pdf")
    seen_ink = ink(page)
    (line,) = (
        PdfFile(Source(path=str(tmp_path / "a.pdf"), media_type="application/pdf"), RenderLimits()).inspect(1).lines
    )
    for box in (line.box, *(word.box for word in line.words)):
        assert box.y0 - 2 <= seen_ink[1] < seen_ink[3] <= box.y1 + 2
        assert abs(box.x0 - seen_ink[0]) < 6
        assert abs(box.x1 - seen_ink[2]) < 6
