"""What an author struck out is marked as such in every format, and nothing else is."""

from __future__ import annotations

import io
import zipfile

import docx as python_docx
import openpyxl
import pptx
import pytest
from docx.enum.style import WD_STYLE_TYPE
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.styles import Font
from pptx.util import Inches

from documents.exports.markdown import markdown
from documents.values import Document
from tests.documents.office.drawn import WORD, docx, pages_of, saved

OPEN = "urn:oasis:names:tc:opendocument:xmlns:"
NAMES = " ".join(
    f'xmlns:{prefix}="{OPEN}{name}:1.0"'
    for prefix, name in {
        "office": "office", "text": "text", "style": "style", "table": "table", "draw": "drawing",
        "svg": "svg-compatible", "fo": "xsl-fo-compatible",
    }.items()
)  # fmt: skip


def shown(content, name=""):
    return markdown(Document(id="d", revision=1, pages=tuple(pages_of(content, name))))


def open_document(kind, styles, body):
    """An OpenDocument file with these automatic styles."""
    content = (
        f"<office:document-content {NAMES}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body>{body}</office:body></office:document-content>"
    )
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:  # stored: what it is can be seen at its beginning
        archive.writestr("mimetype", f"application/vnd.oasis.opendocument.{kind}")
        archive.writestr("content.xml", content)
    return file.getvalue()


def struck_style(name, line, family="text", parent=""):
    base = f' style:parent-style-name="{parent}"' if parent else ""
    return (
        f'<style:style style:name="{name}" style:family="{family}"{base}><style:text-properties {line}/></style:style>'
    )


def test_runs_of_a_docx_are_struck_out_once_or_twice():
    """Guards against the old price of a contract read as valid beside the new one, in text, lists, titles and cells."""
    document = python_docx.Document()
    document.add_heading("", 1).add_run("Old title").font.strike = True
    text = document.add_paragraph("The fee is ")
    text.add_run("4,200 ").font.strike = True
    text.add_run("euros").font.double_strike = True
    text.add_run(" 3,650 euros.")
    item = document.add_paragraph(style="List Bullet")
    item.add_run("gone").font.strike = True
    cell = document.add_table(2, 2).cell(1, 1).paragraphs[0]
    cell.add_run("180").font.strike = True
    cell.add_run(" 150")
    assert shown(saved(document)) == (
        "# ~~Old title~~\n\nThe fee is ~~4,200 euros~~ 3,650 euros.\n\n- ~~gone~~\n\n"
        "|  |  |\n| --- | --- |\n|  | ~~180~~ 150 |\n"
    )


def test_styles_of_a_docx_strike_out_and_runs_turn_it_off():
    """Guards against strikes that only a style has, and against a run struck out that says it is not.

    A character style within a struck paragraph style turns the strike off, as the two toggle it.
    """
    document = python_docx.Document()
    gone = document.styles.add_style("Gone", WD_STYLE_TYPE.PARAGRAPH)
    gone.font.strike = True
    document.styles.add_style("Gone too", WD_STYLE_TYPE.PARAGRAPH).base_style = gone
    document.styles.add_style("Out", WD_STYLE_TYPE.CHARACTER).font.strike = True
    text = document.add_paragraph("All of it ", style="Gone too")
    text.add_run("but this").font.strike = False
    text.add_run(" and ")
    text.add_run("this", style="Out")
    document.add_paragraph("Kept ").add_run("out", style="Out")
    document.add_table(1, 2).cell(0, 0).paragraphs[0].style = gone
    document.tables[0].cell(0, 0).paragraphs[0].add_run("cell")
    assert shown(saved(document)).split("\n\n")[:2] == ["~~All of it~~ but this ~~and~~ this", "Kept ~~out~~"]
    assert "| ~~cell~~ |  |" in shown(saved(document))


def test_notes_and_links_of_a_docx_keep_their_places_and_strikes():
    """Guards against marks that are off by the number of a note or the author of a comment."""
    struck = "<w:r><w:rPr><w:strike/></w:rPr><w:t>void</w:t></w:r>"
    body = '<w:p><w:r><w:t>Text</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>'
    notes = f'<w:footnotes xmlns:w="{WORD}"><w:footnote w:id="2"><w:p>{struck}</w:p></w:footnote></w:footnotes>'
    relations = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" '
        'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes" Target="footnotes.xml"/>'
        "</Relationships>"
    )
    further = {"word/footnotes.xml": notes, "word/_rels/document.xml.rels": relations}
    assert "[1\\] ~~void~~" in shown(docx(body, further))


@pytest.mark.parametrize(
    ("line", "is_struck"),
    [
        ('style:text-line-through-style="solid"', True),
        ('style:text-line-through-style="dash" style:text-line-through-type="double"', True),
        ('style:text-line-through-type="single"', True),
        ('style:text-line-through-style="none"', False),
        ('style:text-line-through-style="none" style:text-line-through-type="none"', False),
        ('style:text-underline-style="solid"', False),
    ],
)
def test_spans_of_an_odt_are_struck_out_by_their_styles(line, is_struck):
    styles = struck_style("T1", line) + struck_style("T2", "", parent="T1")
    body = "<text:p>Due in <text:span text:style-name='T2'>ninety</text:span> thirty days</text:p>"
    table = (
        "<table:table><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell>"
        "<text:p><text:span text:style-name='T1'>old</text:span> new</text:p></table:table-cell></table:table-row>"
        "</table:table>"
    )
    text = shown(open_document("text", styles, f"<office:text>{body}{table}</office:text>"))
    assert ("Due in ~~ninety~~ thirty days" in text) == is_struck
    assert ("| a | ~~old~~ new |" in text) == is_struck


def test_a_span_of_an_odt_turns_off_the_strike_of_its_paragraph():
    through = 'style:text-line-through-style="solid"'
    styles = struck_style("P1", through, "paragraph") + struck_style("T1", 'style:text-line-through-style="none"')
    body = "<text:p text:style-name='P1'>All <text:span text:style-name='T1'>but this</text:span> goes</text:p>"
    assert shown(open_document("text", styles, f"<office:text>{body}</office:text>")) == "~~All~~ but this ~~goes~~\n"


def test_lines_of_an_odp_and_cells_of_an_ods_are_struck_out():
    through = 'style:text-line-through-style="solid"'
    frame = (
        "<draw:page><draw:frame svg:x='1cm' svg:y='1cm' svg:width='9cm' svg:height='9cm'><draw:text-box><text:p>one "
        "<text:span text:style-name='T1'>two</text:span></text:p></draw:text-box></draw:frame></draw:page>"
    )
    slides = open_document(
        "presentation", struck_style("T1", through), f"<office:presentation>{frame}</office:presentation>"
    )
    assert shown(slides) == "one ~~two~~\n"
    cells = "<table:table-cell table:style-name='ce1'><text:p>old</text:p></table:table-cell>"
    cells += "<table:table-cell><text:p>new</text:p></table:table-cell>"
    sheet = f"<table:table table:name='S'><table:table-row>{cells}</table:table-row></table:table>"
    file = open_document(
        "spreadsheet", struck_style("ce1", through, "table-cell"), f"<office:spreadsheet>{sheet}</office:spreadsheet>"
    )
    assert "| ~~old~~ | new |" in shown(file)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>Pay <s>310 euros</s> 275 euros</p>", "Pay ~~310 euros~~ 275 euros"),
        ("<p>Pay <del>310</del><ins>275</ins></p>", "Pay ~~310~~275"),
        ("<p>Pay <strike><b>310</b> euros</strike>.</p>", "Pay ~~310 euros~~."),
        ('<p>Pay <span style="color:red; TEXT-DECORATION: line-through">310</span> 275</p>', "Pay ~~310~~ 275"),
        ('<p>Pay <span style="text-decoration-line:underline line-through">310</span> 275</p>', "Pay ~~310~~ 275"),
        ('<p>Pay <del style="text-decoration:none">310</del></p>', "Pay 310"),
        ('<p>Pay <span style="text-decoration:underline">310</span></p>', "Pay 310"),
        ("<del><p>One</p><p>Two</p></del><p>Three</p>", "~~One~~\n\n~~Two~~\n\nThree"),
        ('<div style="text-decoration:line-through">One<p>Two</p></div>Three', "~~One~~\n\n~~Two~~\n\nThree"),
        ("<h2>A <s>B</s></h2>", "## A ~~B~~"),
        ("<ul><li><s>one</s></li><li>two</li></ul>", "- ~~one~~\n- two"),
        ("<pre>a = 1\n<s>b = 2</s></pre>", "```\na = 1\n~~b = 2~~\n```"),
        (
            "<table><tr><th>Was</th><th>Is</th></tr><tr style='text-decoration:line-through'><td>1</td><td>2</td></tr>"
            "<tr><td><s>3</s> 4</td><td>5</td></tr></table>",
            "| Was | Is |\n| --- | --- |\n| ~~1~~ | ~~2~~ |\n| ~~3~~ 4 | 5 |",
        ),
        ('<p>Read <a href="https://a.example/">the <s>old</s> terms</a></p>', None),
    ],
)
def test_struck_words_of_a_web_page_are_struck_out(html, expected):
    """Guards against an offer's old price in a mail or page that reads as the price."""
    text = shown(f"<!DOCTYPE html><html><body>{html}</body></html>".encode(), "page.html")
    if expected is None:
        link = "](https://a.example/)"
        expected = f"Read [the {link}~~[old{link}~~[ terms{link}"
    assert text == expected + "\n"


def test_a_mail_in_html_keeps_what_was_struck_out():
    mail = (
        b"From: a@b.example\nSubject: Offer\nMIME-Version: 1.0\nContent-Type: text/html; charset=utf-8\n\n"
        b"<p>Now <s>99</s> 79 euros</p>\n"
    )
    assert "Now ~~99~~ 79 euros" in shown(mail, "offer.eml")


def test_runs_of_a_slide_are_struck_out():
    presentation = pptx.Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[6])
    words = slide.shapes.add_textbox(0, 0, Inches(5), Inches(1)).text_frame.paragraphs[0]
    for text, strike in (
        ("from ", None),
        ("May", "sngStrike"),
        (" ", None),
        ("June", "dblStrike"),
        (" July", "noStrike"),
    ):
        run = words.add_run()
        run.text = text
        if strike:
            run.font._element.set("strike", strike)
    cell = slide.shapes.add_table(1, 2, 0, Inches(2), Inches(5), Inches(1)).table.cell(0, 0).text_frame.paragraphs[0]
    run = cell.add_run()
    run.text = "gone"
    run.font._element.set("strike", "sngStrike")
    text = shown(saved(presentation))
    assert "from ~~May June~~ July" in text
    assert "~~gone~~" in text


def test_cells_of_a_workbook_are_struck_out_by_their_font_or_in_parts():
    """Guards against a price list whose old prices count; a part with a font of its own is as that has it."""
    book = openpyxl.Workbook()
    sheet = book.active
    out = InlineFont(strike=True)
    rows = [
        ["Item", "Price"],
        ["gone", 12],
        [CellRichText(TextBlock(out, "180"), " 150"), CellRichText("kept ", TextBlock(InlineFont(b=True), "too"))],
        [CellRichText("out ", TextBlock(InlineFont(b=True), "in")), "plain"],
    ]
    for row in rows:
        sheet.append(row)
    for name in ("A2", "B2", "A4"):
        sheet[name].font = Font(strike=True)
    text = shown(saved(book))
    assert "| ~~gone~~ | ~~12~~ |" in text
    assert "| ~~180~~ 150 | kept too |" in text
    assert "| ~~out~~ in | plain |" in text


def test_a_markdown_file_keeps_its_strikes():
    table = "| Was | Is |\n| --- | --- |\n| ~~1~~ | 2 |"
    text = f"# A ~~B~~\n\nPay ~~310 *euros*~~ 275 <del>now</del> later.\n\n{table}\n\n- [ ] ~~done~~\n"
    assert shown(text.encode(), "terms.md") == (
        f"# A ~~B~~\n\nPay ~~310 euros~~ 275 ~~now~~ later.\n\n{table}\n\n- ☐ ~~done~~\n"
    )


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b"<!DOCTYPE html><p>There is more, see <a href='https://a.example/'>here</a>.</p>", "page.html"),
        (b"There is more, see [here](https://a.example/).", "page.md"),
    ],
)
def test_a_link_stands_where_its_file_has_it(content, name):
    """Guards against `here` linked inside "There", because its letters stand there first."""
    assert shown(content, name) == "There is more, see [here](https://a.example/).\n"
