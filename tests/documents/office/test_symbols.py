"""Characters of symbol fonts are read as what they draw, in every format that has fonts."""

from __future__ import annotations

import openpyxl
import pytest
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.styles import Font
from pptx import Presentation
from pptx.oxml import parse_xml
from pptx.util import Inches

from tests.documents.office.drawn import WORD, docx, odt, parsed, regions_of, related, saved

DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"


def texts_of(content: bytes, name: str = "") -> list[str]:
    return [region.text for region in regions_of(content, name)]


def with_styles(faces: str, styles: str) -> str:
    """What stands before the body of an ODT."""
    faces = f"<office:font-face-decls>{faces}</office:font-face-decls>"
    return f"{faces}<office:automatic-styles>{styles}</office:automatic-styles>"


@pytest.mark.parametrize(
    ("font", "code", "sign"),
    [
        ("Wingdings", "F0FE", "☑"),
        ("Wingdings", "00A8", "☐"),
        ("Wingdings 2", "F052", "☑"),
        ("Wingdings 3", "F070", "▲"),
        ("Webdings", "F061", "✔"),
        ("Symbol", "F0A3", "≤"),
        ("Segoe UI Symbol", "2610", "☐"),
    ],
)
def test_a_symbol_of_a_docx_is_one_of_its_font(font: str, code: str, sign: str) -> None:
    """Guards against letters for ticks: the same code is another sign in each font."""
    body = f'<w:p><w:r><w:sym w:font="{font}" w:char="{code}"/><w:t>yes</w:t></w:r></w:p>'
    assert texts_of(docx(body)) == [f"{sign}yes"]


def test_symbols_that_no_table_has_are_left_out_and_reported() -> None:
    """Guards against the letter that stands at the symbol's key."""
    document = parsed(docx('<w:p><w:r><w:t>Close </w:t><w:sym w:font="Marlett" w:char="F072"/></w:r></w:p>'))
    assert [region.text for region in document.pages[0].regions] == ["Close"]
    assert [(w.code, "Marlett" in w.message) for w in document.warnings] == [("symbols_left_out", True)]


@pytest.mark.parametrize(
    "settings",
    ['<w:rFonts w:ascii="Symbol" w:hAnsi="Symbol"/>', '<w:rFonts w:hAnsi="Symbol"/>', '<w:rStyle w:val="Greek"/>'],
)
def test_letters_in_a_symbol_font_are_what_they_draw(settings: str) -> None:
    """Guards against `m` for µ: the run's font, or its style's, says what its letters are."""
    styles = f'<w:styles xmlns:w="{WORD}"><w:style w:type="character" w:styleId="Greek"><w:name w:val="Greek"/>'
    styles += '<w:rPr><w:rFonts w:ascii="Symbol"/></w:rPr></w:style></w:styles>'
    further = {"word/styles.xml": styles, "word/_rels/document.xml.rels": related("styles", "styles.xml")}
    body = f"<w:p><w:r><w:t>5 </w:t></w:r><w:r><w:rPr>{settings}</w:rPr><w:t>m</w:t></w:r><w:r><w:t>g</w:t></w:r></w:p>"
    assert texts_of(docx(body, further)) == ["5 μg"]


@pytest.mark.parametrize(
    ("font", "text", "marker"),
    [
        ("Wingdings", "\uf0a7", "▪"),
        ("Wingdings", "\uf0d8", "➢"),
        ("Wingdings", "\uf0fc", "✓"),
        ("Wingdings", "n", "■"),
        ("Symbol", "\uf0b7", "•"),
        ("Courier New", "o", "•"),
        ("Marlett", "\uf072", "•"),
    ],
)
def test_bullets_of_lists_are_those_of_their_fonts(font: str, text: str, marker: str) -> None:
    level = f'<w:numFmt w:val="bullet"/><w:lvlText w:val="{text}"/><w:rPr><w:rFonts w:ascii="{font}"/></w:rPr>'
    numbering = f'<w:numbering xmlns:w="{WORD}"><w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0">{level}</w:lvl>'
    numbering += '</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num></w:numbering>'
    further = {"word/numbering.xml": numbering, "word/_rels/document.xml.rels": related("numbering", "numbering.xml")}
    listed = '<w:p><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>first</w:t></w:r></w:p>'
    assert texts_of(docx(listed, further)) == [f"{marker} first"]

    slides = Presentation()
    slide = slides.slides.add_slide(slides.slide_layouts[6])
    paragraph = slide.shapes.add_textbox(0, 0, Inches(5), Inches(1)).text_frame.paragraphs[0]
    paragraph.text = "first"
    settings = paragraph._p.get_or_add_pPr()
    settings.append(parse_xml(f'<a:buFont xmlns:a="{DRAWING}" typeface="{font}"/>'))
    settings.append(parse_xml(f'<a:buChar xmlns:a="{DRAWING}" char="{text}"/>'))
    assert texts_of(saved(slides)) == [f"{marker} first"]

    styles = f'<text:list-style style:name="L"><text:list-level-style-bullet text:level="1" text:bullet-char="{text}">'
    styles += '<style:text-properties style:font-name="F1"/></text:list-level-style-bullet></text:list-style>'
    face = f'<style:font-face style:name="F1" svg:font-family="{font}"/>'
    body = '<text:list text:style-name="L"><text:list-item><text:p>first</text:p></text:list-item></text:list>'
    assert texts_of(odt(body, with_styles(face, styles))) == [f"{marker} first"]


@pytest.mark.parametrize(("kind", "text"), [("sym", "next \uf0e0 step"), ("latin", "\xe0")])
def test_symbols_of_a_slide_are_what_they_draw(kind: str, text: str) -> None:
    """Guards against private characters: PowerPoint writes an arrow so, and names the font beside the letters'."""
    slides = Presentation()
    slide = slides.slides.add_slide(slides.slide_layouts[6])
    run = slide.shapes.add_textbox(0, 0, Inches(5), Inches(1)).text_frame.paragraphs[0].add_run()
    run.text = text
    run._r.get_or_add_rPr().append(parse_xml(f'<a:{kind} xmlns:a="{DRAWING}" typeface="Wingdings"/>'))
    assert texts_of(saved(slides)) == [text.replace("\uf0e0", "→").replace("\xe0", "→")]


def test_a_span_of_an_odt_in_a_symbol_font_is_what_it_draws() -> None:
    face = '<style:font-face style:name="W1" svg:font-family="Wingdings"/>'
    style = '<style:style style:name="T1"><style:text-properties style:font-name="W1"/></style:style>'
    body = '<text:p>done <text:span text:style-name="T1">\xfc</text:span></text:p>'
    assert texts_of(odt(body, with_styles(face, style))) == ["done ✓"]


def test_a_cell_of_a_sheet_in_a_symbol_font_is_what_it_draws() -> None:
    """Guards against sheets that tick with ü: the font is the cell's."""
    workbook = openpyxl.Workbook()
    workbook.active.append(["paid", "\xfc"])
    workbook.active.append(["sent", "\xfb"])
    for cell in workbook.active["B"]:
        cell.font = Font(name="Wingdings")
    assert "paid\t✓\nsent\t✗" in texts_of(saved(workbook))


def test_letters_in_a_cell_of_a_symbol_font_that_have_a_font_of_their_own_stay() -> None:
    """Guards against words that become pictures: only what is in the cell's own font is drawn by it."""
    workbook = openpyxl.Workbook()
    letters = TextBlock(InlineFont(rFont="Calibri"), " done")
    workbook.active.append(["paid", CellRichText(["\xfc", letters])])
    workbook.active.append(["sent", CellRichText([TextBlock(InlineFont(rFont="Wingdings"), "\xfb"), letters])])
    for cell in workbook.active["B"]:
        cell.font = Font(name="Wingdings")
    assert "paid\t✓ done\nsent\t✗ done" in texts_of(saved(workbook))


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("Thanks <span style='font-family:Wingdings'>J</span>", "Thanks ☺"),
        ("<font face='Symbol'>a</font> = 30°", "α = 30°"),
        ("<span style='font-family:Symbol'>\xb7<span style='font:7.0pt \"Times New Roman\"'>\xa0 one</span></span> two",
         "• one two"),
        ("<b style='font-family: \"Segoe UI Symbol\"'>J</b>", "J"),
    ],
)  # fmt: skip
def test_a_web_page_says_what_its_symbol_fonts_draw(markup: str, text: str) -> None:
    """Guards against the J that mail programs write for a smile."""
    assert texts_of(f"<!doctype html><meta charset=utf-8><p>{markup}</p>".encode()) == [text]
