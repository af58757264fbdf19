"""Characters that may be of formulas have the ink that their outlines draw; pages of prose have none."""

from __future__ import annotations

import pymupdf
import pytest

from documents.pdf.pdf_file import PdfFile
from documents.render_limits import RenderLimits
from documents.values import Source


def inspected(path):
    pdf = PdfFile(Source(path=str(path), media_type="application/pdf"), RenderLimits())
    page = pdf.inspect(1)
    pdf.close()
    return page


def test_large_signs_have_the_height_of_their_ink(data):
    """MuPDF gives every character the height of its type, a sum as well as a comma."""
    page = inspected(data / "displays.pdf")
    glyphs = {glyph.text: glyph for line in page.lines for glyph in line.glyphs}
    assert glyphs["∑"].box.height == pytest.approx(1.4 * glyphs["∑"].font_size, abs=0.1)  # of cmex10, in its metrics
    assert glyphs[","].box.height < 0.4 * glyphs[","].font_size


def test_bars_are_those_of_fractions_and_roots(data):
    page = inspected(data / "displays.pdf")
    assert len(page.bars) == 6  # of four fractions, a root, and what is marked by a line over it


def test_a_page_of_prose_has_none(tmp_path):
    document = pymupdf.open()
    document.new_page().insert_text((72, 100), "A line of prose, and no sign of mathematics in it.")
    document[0].draw_line((72, 110), (90, 110))
    document.save(tmp_path / "prose.pdf")
    page = inspected(tmp_path / "prose.pdf")
    assert not page.bars
    assert not any(line.glyphs for line in page.lines)
