"""Lines to measure on, cut from real pages."""

import numpy as np
import pymupdf
import pytest
from PIL import Image

from training.ocr.sets import blanks, printed, scanned

LINES = ("The first line of a page", "and a second line below it", "and one that ends the page")


@pytest.fixture
def corpus(tmp_path):
    """A born-digital page, a level scan of it, and one that was fed upside down."""
    (tmp_path / "pages").mkdir()
    with pymupdf.open() as pdf:
        page = pdf.new_page(width=400, height=300)
        for k, line in enumerate(LINES):
            page.insert_text((40, 60 + 40 * k), line, fontsize=14)
        pdf.save(tmp_path / "pages" / "order_one.pdf")
        pixels = page.get_pixmap(dpi=100, colorspace=pymupdf.csGRAY)
    sheet = Image.frombytes("L", (pixels.width, pixels.height), pixels.samples)
    sheet.save(tmp_path / "pages" / "scan_level.png", dpi=(100, 100))
    sheet.rotate(180).save(tmp_path / "pages" / "scan_turned.png", dpi=(100, 100))
    rows = ["file,kind,truth", "pages/order_one.pdf,order,truth/order_one.md"]
    rows += [f"pages/{name}.png,scan,truth/order_one.md" for name in ("scan_level", "scan_turned")]
    (tmp_path / "manifest.csv").write_text("\n".join(rows) + "\n")
    return tmp_path


def test_printed_lines_carry_their_text(corpus):
    """A truth that belongs to another line counts errors that nobody made."""
    lines = printed([corpus / "pages" / "order_one.pdf"], 10, 144)
    assert sorted(line.text for line in lines) == sorted(LINES)
    for line in lines:
        assert all(square.shape == (256, 256, 3) for square in line.squares)


def test_a_scan_is_cut_where_its_page_has_lines_and_left_out_where_it_was_turned(corpus):
    """Lines cut from an upside-down scan would be measured against the wrong text."""
    lines = scanned(corpus, 10, 144)
    assert sorted(line.text for line in lines) == sorted(LINES)
    assert all(np.asarray(square).min() < 100 for line in lines for square in line.squares)


def test_blank_lines_have_no_text():
    assert {line.text for line in blanks(3)} == {""}
