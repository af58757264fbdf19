"""What looks like mathematics and is none: prose, forms and code keep their text."""

from __future__ import annotations

import pytest
from page_making import box, line

from documents.formulas.displays import DisplayLimits, displays
from documents.inspection import Glyph
from documents.pdf.pdf_file import PdfFile
from documents.render_limits import RenderLimits
from documents.values import Source

UPRIGHT = (
    "Date: 12.03.2024", "Tel: +49 30 1234", "VAT: 19%", "URL: http://a.example", "John 3:16", "Company | 2024",
    "[ ] <10 FTEs", "10:15 - 11:45", "2023: 14%", "A = 5 pieces",
)  # fmt: skip


@pytest.mark.parametrize("text", UPRIGHT)
def test_upright_text_with_a_colon_or_a_bar_is_none(text, tmp_path, pdf_of):
    """Lines of invoices and forms became LaTeX in sans-serif letters."""
    source = pdf_of(lambda sheet: sheet.insert_text((200, 300), text, fontname="helv"))
    page = inspected(source)
    assert displays(page.lines, page.bars, DisplayLimits()) == []


def test_lines_of_ocr_under_a_scan_have_no_glyphs(pdf_of):
    """What an OCR layer says of a formula is no structure."""
    page = inspected(
        pdf_of(lambda sheet: sheet.insert_text((72, 300), "x = 1 \u2264 2", fontname="tiit", render_mode=3))
    )
    assert not any(one.glyphs for one in page.lines)


def inspected(source: Source):
    pdf = PdfFile(source, RenderLimits())
    page = pdf.inspect(1)
    pdf.close()
    return page


def equation(x, y, text="a=b"):
    glyphs = tuple(
        Glyph(text=one, box=box(x + 8 * k, y - 7, x + 8 * k + 6, y), baseline=y, font_size=10, font="CMMI10")
        for k, one in enumerate(text)
    )
    return line(text, x=x, y=y - 8, width=8 * len(text), glyphs=glyphs)


def test_a_number_is_of_one_formula():
    """In two columns, formulas on one level both had the number of the first."""
    lines = [equation(100, 100), equation(200, 100, "(1)"), equation(400, 100), equation(500, 100, "(2)")]
    numbers = {display.lines: display.number for display in displays(lines, (), DisplayLimits())}
    assert numbers == {(0,): 1, (2,): 3}


def test_pieces_in_one_place_are_not_compared_without_end():
    """A page may hold thousands of lines; those that all lie on one another are no formulas."""
    lines = [equation(100, 100) for _ in range(400)]
    assert displays(lines, (), DisplayLimits()) == []
