"""`documents/text/ink_extent.py`: the type size that the ink of a line tells, against lines that MuPDF draws."""

from __future__ import annotations

import numpy as np
import pymupdf
import pytest

from documents.text.ink_extent import ink_extent, type_size_of_ink

ZOOM = 4
TEXTS = (
    "On the Common Defence",
    "It is interesting to contemplate an entangled bank, clothed",
    "States, in Order to form a more",
    "are seen no more",
    "can grow, as any crop may",
    "CAPITALS ALONE",
    "1914 1918",
    "vous avez même",
    "nous avons reçu",
    "maße",
)
SCRIPTS = ("Τα μικρά γράμματα", "Широкая электрификация южных губерний")


def ink_height(text: str, font: str, size: float) -> float:
    """In points, of a line as it is drawn."""
    page = pymupdf.open().new_page(width=900, height=100)
    writer = pymupdf.TextWriter(page.rect)
    writer.append((20, 60), text, font=pymupdf.Font(font), fontsize=size)
    writer.write_text(page)
    pixels = page.get_pixmap(matrix=pymupdf.Matrix(ZOOM, ZOOM), colorspace=pymupdf.csGRAY)
    rows = np.frombuffer(pixels.samples, np.uint8).reshape(pixels.height, pixels.width).min(1) < 128
    dark = np.flatnonzero(rows)
    return float(dark[-1] - dark[0] + 1) / ZOOM


@pytest.mark.parametrize("font", ["tiro", "helv", "cour"])
@pytest.mark.parametrize("text", TEXTS)
def test_the_type_size_is_told_by_the_ink(text, font):
    """Guards against titles without descenders that are read as half as large again as they are small."""
    size = type_size_of_ink(text, ink_height(text, font, 12))
    assert size == pytest.approx(12, rel=0.18)


@pytest.mark.parametrize("text", SCRIPTS)
def test_other_scripts_with_capitals_are_measured_alike(text):
    assert type_size_of_ink(text, ink_height(text, "tiro", 12)) == pytest.approx(12, rel=0.18)


def test_a_script_without_capitals_fills_the_line():
    assert ink_extent("本文書") == ink_extent("نص عربي") == ink_extent("Ag")
    assert ink_extent("") == ink_extent("—"), "what has no letters is no more than low"
