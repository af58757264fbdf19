"""Superscripts and subscripts keep the value that a reader sees, in every format that has them."""

from __future__ import annotations

import openpyxl
import pytest
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from pptx import Presentation
from pptx.util import Inches

from documents.document.assemble_document import assemble
from documents.exports.html import to_html
from documents.exports.markdown import markdown
from documents.values import Opened
from tests.documents.office.drawn import WORD, docx, odt, pages_of, regions_of, related, saved

SUPER, SUB = '<w:vertAlign w:val="superscript"/>', '<w:vertAlign w:val="subscript"/>'


def run(text: str, settings: str = "") -> str:
    return f'<w:r><w:rPr>{settings}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def texts_of(content: bytes, name: str = "") -> list[str]:
    return [region.text for region in regions_of(content, name)]


@pytest.mark.parametrize(
    ("runs", "text"),
    [
        ([("3 × 10", ""), ("6", SUPER), (" cells", "")], "3 × 10⁶ cells"),
        ([("10", ""), ("−", SUPER), ("3", SUPER), (" mol", "")], "10⁻³ mol"),
        ([("CO", ""), ("2", SUB)], "CO₂"),
        ([("", ""), ("14", SUPER), ("C", "")], "¹⁴C"),
        ([("14", ""), ("1", SUPER), (" days", "")], "14¹ days"),
        ([("Smith", ""), ("1, 2", SUPER)], "Smith¹, ²"),
        ([("10", ""), ("2", SUPER), ("k", SUPER)], "10^(2k)"),
        ([("x", ""), ("i+1", SUB)], "x_(i+1)"),
        ([("claim", ""), ("[12]", SUPER)], "claim[12]"),
        ([("the 4", ""), ("th", SUPER)], "the 4th"),
        ([("1", SUPER), ("/", ""), ("2", SUB), (" cup", "")], "1/2 cup"),
        ([("m", ""), ("2 ", SUPER), ("each", "")], "m² each"),
        ([("10", ""), ("9", '<w:position w:val="8"/><w:sz w:val="16"/>')], "10⁹"),
        ([("H", ""), ("2", '<w:position w:val="-6"/>'), ("O", "")], "H₂O"),
        ([("10", ""), ("7", '<w:rStyle w:val="Power"/>')], "10⁷"),
        ([("107", '<w:rStyle w:val="Power"/><w:vertAlign w:val="baseline"/>')], "107"),
        ([("Set in 2024", '<w:position w:val="6"/>')], "Set in 2024"),
    ],
)
def test_raised_and_lowered_runs_of_a_docx_are_no_plain_figures(runs: list[tuple[str, str]], text: str) -> None:
    """Guards against 10⁶ read as 106: a property of a run, or of the style that it names, was not read."""
    styles = (
        f'<w:styles xmlns:w="{WORD}"><w:style w:type="character" w:styleId="Up"><w:name w:val="Up"/>'
        f'<w:rPr>{SUPER}</w:rPr></w:style><w:style w:type="character" w:styleId="Power"><w:name w:val="Power"/>'
        '<w:basedOn w:val="Up"/></w:style></w:styles>'
    )
    further = {"word/styles.xml": styles, "word/_rels/document.xml.rels": related("styles", "styles.xml")}
    body = f"<w:p>{''.join(run(*one) for one in runs)}</w:p>"
    assert texts_of(docx(body, further)) == [text]
    cells = f"<w:tr><w:tc>{body}</w:tc><w:tc>{body}</w:tc></w:tr>"
    assert texts_of(docx(f"<w:tbl>{cells}</w:tbl>", further)) == [f"{text}\t{text}"]


def test_raised_text_of_a_slide_is_no_plain_figure() -> None:
    slides = Presentation()
    slide = slides.slides.add_slide(slides.slide_layouts[6])
    paragraph = slide.shapes.add_textbox(0, 0, Inches(5), Inches(1)).text_frame.paragraphs[0]
    for text, baseline in (("10", None), ("6", "30000"), (" H", "0"), ("2", "-25000"), ("O", None)):
        one = paragraph.add_run()
        one.text = text
        if baseline is not None:
            one.font._element.set("baseline", baseline)
    assert texts_of(saved(slides)) == ["10⁶ H₂O"]


def test_raised_text_of_a_sheets_cell_is_no_plain_figure() -> None:
    workbook = openpyxl.Workbook()
    up, down = InlineFont(vertAlign="superscript"), InlineFont(vertAlign="subscript")
    workbook.active.append(["Area", CellRichText("12 m", TextBlock(up, "2"))])
    workbook.active.append(["Gas", CellRichText("CO", TextBlock(down, "2"))])
    assert "Area\t12 m²\nGas\tCO₂" in texts_of(saved(workbook))


def test_raised_text_of_an_odt_is_no_plain_figure() -> None:
    def style(name: str, position: str, parent: str = "") -> str:
        settings = f'<style:text-properties style:text-position="{position}"/>' if position else ""
        return f'<style:style style:name="{name}" style:parent-style-name="{parent}">{settings}</style:style>'

    styles = style("up", "super 58%") + style("less", "-33% 58%") + style("child", "", "up") + style("no", "0% 100%")
    body = "<text:p>10<text:span text:style-name='child'>6</text:span> H<text:span text:style-name='less'>2</text:span>"
    body += "O <text:span text:style-name='no'>7</text:span></text:p>"
    assert texts_of(odt(body, f"<office:automatic-styles>{styles}</office:automatic-styles>")) == ["10⁶ H₂O 7"]


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p>3 × 10<sup>6</sup> H<sub>2</sub>O</p>", "3 × 10⁶ H₂O"),
        ("<p>10<sup>−<b>3</b></sup> mol</p>", "10⁻³ mol"),
        ("<p>note<sup><a href='#n'>[1]</a></sup> and the 4<sup>th</sup></p>", "note[1] and the 4th"),
        ("<table><tr><th>a</th><th>b</th></tr><tr><td>m<sup>2</sup></td><td>x<sub>2k</sub></td></tr></table>",
         "a\tb\nm²\tx_(2k)"),
        ("<p>x<span style='vertical-align: super; font-size:70%'>2</span></p>", "x²"),
        ("<p>see<sup><a href='https://e.org/'>12</a></sup> there</p>", "see¹² there"),
    ],
)  # fmt: skip
def test_raised_text_of_a_web_page_is_no_plain_figure(markup: str, text: str) -> None:
    assert texts_of(f"<!doctype html><body>{markup}</body>".encode()) == [text]


def test_a_link_on_raised_words_stays_on_them() -> None:
    """Guards against a link that is lost because its words are written in other characters."""
    (region,) = regions_of(b"<!doctype html><p>see<sup><a href='https://e.org/'>12</a></sup> there</p>")
    assert [(link.text, link.uri) for link in region.links] == [("¹²", "https://e.org/")]


def test_a_mark_of_a_note_stays_in_brackets_though_its_style_is_raised() -> None:
    """Guards against marks in two forms: Word's own style for them is a superscript."""
    notes = f'<w:footnotes xmlns:w="{WORD}"><w:footnote w:id="7"><w:p>{run("See.")}</w:p></w:footnote></w:footnotes>'
    body = f'<w:p>{run("Text")}<w:r><w:rPr>{SUPER}</w:rPr><w:footnoteReference w:id="7"/></w:r></w:p>'
    further = {"word/_rels/document.xml.rels": related("footnotes", "footnotes.xml"), "word/footnotes.xml": notes}
    assert texts_of(docx(body, further)) == ["Text[1]", "[1] See."]


def scripts_of(marked) -> list[tuple[str, str]]:
    return [(marked.text[script.start : script.end], script.rise) for script in marked.scripts]


@pytest.mark.parametrize(
    ("runs", "scripts"),
    [
        ([("3 × 10", ""), ("6", SUPER), (" cells", "")], [("⁶", "super")]),
        ([("CO", ""), ("2", SUB), ("  and  x", ""), ("i+1", SUB)], [("₂", "sub"), ("_(i+1)", "sub")]),
        ([("Smith", ""), ("1, 2", SUPER)], [("¹, ²", "super")]),
        ([("1", SUPER), ("/", ""), ("2", SUB), (" cup", "")], []),
        ([("all of it", SUPER)], []),
        ([("x", ""), (" ", SUPER), ("y", "")], []),
    ],
)
def test_what_is_raised_in_a_docx_is_marked_in_texts_lists_and_cells(runs, scripts) -> None:
    """Guards against HTML without `<sup>`, which PDFs have."""
    body = "".join(run(*one) for one in runs)
    numbered = f'<w:p><w:pPr><w:pStyle w:val="ListBullet"/></w:pPr>{body}</w:p>'
    table = f"<w:tbl><w:tr><w:tc><w:p>{body}</w:p></w:tc><w:tc><w:p>{body}</w:p></w:tc></w:tr></w:tbl>"
    first, second = regions_of(docx(f"<w:p>{body}</w:p>{table}{numbered}"))[:2]
    assert scripts_of(first) == scripts
    assert [scripts_of(cell) for cell in second.table.cells] == [scripts, scripts]


def test_a_marker_of_a_list_moves_what_is_raised() -> None:
    (region,) = regions_of(b"<!doctype html><ul><li>one</li><li>a m<sup>2</sup></li></ul>")
    assert scripts_of(region) == [("²", "super")]


def test_raised_text_of_a_web_page_is_raised_in_html_and_set_off_in_markdown() -> None:
    content = b"<!doctype html><p>E = mc<sup>2</sup>, U<sub>ij</sub> [a]<sup>[3]</sup></p>"
    content += b"<table><tr><th>a<sub>n</sub></th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>"
    pages = pages_of(content)
    document = assemble("d", 1, Opened(num_pages=len(pages)), pages)
    assert "mc<sup>2</sup>, U<sub>ij</sub> [a]<sup>[3]</sup>" in to_html(document, {})
    assert "<th>a<sub>n</sub></th>" in to_html(document, {})
    text = markdown(document).replace("\\", "")
    assert "mc², U_ij [a][3]" in text
    assert "| a_n | b |" in text
