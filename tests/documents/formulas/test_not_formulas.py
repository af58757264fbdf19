"""What looks like mathematics and is none: prose, forms and code keep their text."""

from __future__ import annotations

import pytest
from page_making import box, inspection, line, printed

from documents.draft.page_draft import PageDraft
from documents.draft.text_source import Layer
from documents.formulas.displays import DisplayLimits, displays
from documents.formulas.find_formulas import find_formulas
from documents.formulas.prose import is_prose
from documents.inspection import Glyph
from documents.pdf.pdf_file import PdfFile
from documents.render_limits import RenderLimits
from documents.segments.blocks import SegmentBlock
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


def formulas_of(lines, *blocks):
    """The texts of the formulas of a page, by blocks that are a role and the numbers of its lines."""
    page_inspection = inspection(*lines)
    read = tuple(SegmentBlock(segments=tuple(own), role=role, score=0.9) for role, *own in blocks)
    page = PageDraft(inspection=page_inspection, layer=Layer(page_inspection), blocks=read)
    return [[one.text for one in part.lines] for part in find_formulas(page, DisplayLimits()).parts]


def test_an_item_of_a_list_is_text_whatever_it_says():
    """Guards against lists of cases in formulas, which were no items any more."""
    lines = [equation(100, 100, "(a) x<y"), equation(100, 140, "(b) y<x")]
    assert formulas_of(lines, ("list_item", 0), ("list_item", 1)) == []
    assert formulas_of(lines, ("formula", 0), ("formula", 1)) == [["(a) x<y"], ["(b) y<x"]]
    assert formulas_of([equation(100, 100)], ("list_item", 0)) == [["a=b"]], "no mark begins it"


def test_a_row_of_a_paragraph_is_text_where_wide_gaps_part_it():
    """Guards against ends of justified lines, which were read before their paragraph."""
    prose = printed("In each of the clusters we define the voltage", 72, 60)
    lines = [prose, equation(300, 100)]
    assert formulas_of(lines, ("text", 0, 1)) == []
    assert formulas_of(lines, ("formula", 0, 1)) == [["a=b"]]
    assert formulas_of(lines, ("text", 0), ("text", 1)) == [["a=b"]]


def test_letters_of_the_mathematical_alphabets_are_no_words():
    """Guards against formulas of word processors cut where several letters in a row name one value."""
    assert not is_prose(printed("(𝑉𝑚𝑎𝑥, 𝑉𝑢𝑙, 𝑗) = 𝑁𝐺𝑀", 60, 100))
    assert is_prose(printed("(Vmax, Vul, j) = NGM", 60, 100))
