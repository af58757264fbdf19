"""No text of a document becomes markup, a picture or a link in any export; all of it is still shown."""

from __future__ import annotations

import io
import re
import zipfile
from urllib.parse import unquote

import pymupdf
import pytest
from docling_core.types.doc.document import DoclingDocument
from hostile_text import PIECES, SET_ADDRESS, documents, tables, texts
from hypothesis import example, given, settings
from hypothesis import strategies as st
from page_making import box, line, page, region
from rendered import AUTOLINK, markdown_renderings, rendered

from documents.document.assemble_document import assemble
from documents.exports.docling_json.docling_document import docling
from documents.exports.html import to_html
from documents.exports.json_export import from_json, to_json
from documents.exports.markdown import markdown
from documents.exports.markdown_text import escaped
from documents.exports.plain_text import plain_text
from documents.exports.text_blocks import figures
from documents.exports.zip_export import write_zip
from documents.formulas.display_latex import display_latex
from documents.inspection import Glyph
from documents.page.build_page import compose_page, draft_regions
from documents.region_values import InlineFormula, Link, Table, TableCell
from documents.text.latex import inert, written_latex
from documents.values import Detection, Document, Opened

PICTURE = "data:image/png;base64,AA=="
HEAD = re.compile(r'<!DOCTYPE html>\n<html>\n<head>\n<meta charset="UTF-8">\n<title>([^<]*)</title>\n</head>\n<body>\n')


def one(*regions):
    return Document(id="d", revision=1, pages=(page(*regions),))


def squeezed(text):
    return "".join(text.split())


def body_of(html):
    head = HEAD.match(html)
    assert head, html[:200]
    return html[head.end() :].removesuffix("\n</body>\n</html>\n")


def check_links(links, document, where):
    """Only what the file links, to where it says, and only addresses of the web and of mail."""
    uris = {unquote(link.uri) for page in document.pages for region in page.regions for link in region.links}
    for href in links.values("a", "href"):
        assert href.startswith((SET_ADDRESS, "mailto:us@set.example")), where
        assert squeezed(unquote(href)) in {squeezed(uri) for uri in uris}, where
    assert set(links.values("img", "src")) <= {PICTURE}, where
    if not any(region.struck for page in document.pages for region in page.regions):
        assert not {"s", "del"} & {element.name for element in links.elements}, where
    if where[0] != "no html":  # there, tables are text, and their addresses are broken by entities
        assert not AUTOLINK.search(links.loose_text), where


def check(document):
    pictures = dict.fromkeys((name for name, _, _ in figures(document)), PICTURE)
    for addresses in (None, pictures):
        source = markdown(document, addresses)
        for where, html in markdown_renderings(source):
            check_links(rendered(html, styled=where == "no html"), document, (where, source))
    html = rendered(body_of(to_html(document, pictures, title=document.metadata["title"])))
    assert {href for href in html.values("a", "href") if not href.startswith((SET_ADDRESS, "mailto:us@"))} == set()
    assert set(html.values("img", "src")) <= {PICTURE}
    file = io.BytesIO()
    write_zip(document, {}, file)
    with zipfile.ZipFile(file) as archive:
        assert archive.read("document.md").decode() == markdown(document)
    assert from_json(to_json(document)) == document  # data, without a loss
    assert squeezed(plain_text(document)) == squeezed(plain_text(document).replace("\r", "\n"))
    DoclingDocument.model_validate(docling(document))


@settings(max_examples=60, deadline=None)
@given(documents())
def test_nothing_of_a_document_becomes_markup_in_any_export(document):
    """Guards against a file that runs a script, loads a picture or leads away where its export is shown."""
    check(document)


@pytest.mark.slow
@settings(max_examples=3000, deadline=None)
@given(documents())
def test_nothing_of_many_documents_becomes_markup_in_any_export(document):
    """The same for longer."""
    check(document)


def shown_by(document):
    for where, html in markdown_renderings(markdown(document)):
        yield where, squeezed(rendered(html, styled=where == "no html").text)
    yield "export", squeezed(rendered(body_of(to_html(document, {}))).text)


@settings(max_examples=150, deadline=None)
@given(texts, st.sampled_from(["title", "plain text", "code", "note", "table", "figure_caption", "isolate_formula"]))
@example("1)", "plain text")
@example("2.", "plain text")
@example("C #", "title")
@example("a\n:-", "plain text")
@example("a\n-:", "table")
def test_all_of_a_text_is_shown(text, kind):
    """Guards against what is inert because it is gone."""
    more = {"code": {"code": True}, "note": {"note": "side", "items": ()}}.get(kind, {"items": ()})
    document = one(region(text, "plain text" if kind in ("code", "note") else kind, **more))
    if not text.strip():
        return
    for where, shown in shown_by(document):
        assert squeezed(text) in shown, (where, markdown(document))


def test_a_formula_behind_an_at_makes_no_address_of_mail():
    """Guards against a word that ends in `@`, whose address goes on behind the formula: `mailto:m@$x$vil.com`."""
    text = "mailto:m@\ufffcvil.com"
    formulas = (InlineFormula(start=9, end=10, latex=r"\lt x\gt"),)
    document = one(region(text, "plain text", items=(), formulas=formulas))
    for _, html in markdown_renderings(markdown(document)):
        assert not rendered(html).values("a", "href")


@settings(max_examples=80, deadline=None)
@given(tables())
def test_all_of_a_table_is_shown(table):
    """Guards against cells that a row or a tag of their own takes along."""
    document = one(region("x", "table", table=table))
    for where, shown in shown_by(document):
        for cell in table.cells if where != "no html" else ():
            assert squeezed(cell.text) in shown, (where, markdown(document))


def merged(text):
    cells = (TableCell(row=0, column=0, num_columns=2, text=text, box=box(0, 0, 9, 9)),)
    return Table(num_rows=1, num_columns=2, num_header_rows=1, cells=cells)


@pytest.mark.parametrize("piece", [f"x{piece}x" for piece in PIECES] + [f"see {piece} now" for piece in PIECES])
def test_a_piece_alone_is_inert_in_text_in_cells_and_in_headings(piece):
    """Guards against what is rare at random: an address alone, a cell of HTML that a renderer reads as Markdown."""
    cell = TableCell(row=0, column=0, text=piece, box=box(0, 0, 9, 9))
    plain = Table(num_rows=1, num_columns=1, num_header_rows=1, cells=(cell,))
    formulas = (InlineFormula(start=3, end=4, latex=piece),)
    formula_cell = cell.model_copy(update={"text": "so x is", "formulas": formulas})
    document = one(
        region(piece, items=()),
        region(piece, "title"),
        region("x", "table", table=plain),
        region("x", "table", table=merged(piece)),
        region(piece, "isolate_formula", latex=piece),
        region("so x is", formulas=formulas),
        region("so x is", "title", formulas=formulas),
        region("x", "table", table=Table(num_rows=1, num_columns=1, num_header_rows=1, cells=(formula_cell,))),
    )
    for where, html in markdown_renderings(markdown(document)):
        shown_parts = rendered(html, styled=where == "no html")
        assert not shown_parts.values("a", "href") + shown_parts.values("img", "src"), where


@settings(max_examples=80, deadline=None)
@given(texts, texts, st.booleans())
def test_all_of_a_link_is_shown_where_it_stands(before, words, in_title):
    """Guards against words that a link swallows, and an exclamation mark that makes a picture of it."""
    links = (Link(text=words, uri=SET_ADDRESS),)
    document = one(region(f"{before}!{words}", "title" if in_title else "plain text", links=links, items=()))
    for where, shown in shown_by(document):
        assert squeezed(before + "!" + words) in shown, (where, markdown(document))


def test_a_link_is_on_the_words_that_the_file_links_though_these_are_in_an_entity():
    """Guards against `lt`, linked by the file, that is found in the `&lt;` of the export."""
    document = one(region("1 < 2, that is lt", links=(Link(text="lt", uri=SET_ADDRESS),)))
    assert ', that is <a href="https://set.example/" rel="nofollow noreferrer">lt</a>' in to_html(document, {})


ATTACKS = {
    "image": "<img src=x onerror=alert(1)>=1",
    "script": "<script src=//a.b/c.js></script>=1",
    "outside": "<img src=//a.b/c>=1",
    "link": "[x](//a.b)=`id`",
    "close": "</p><b>x=1",
}


@pytest.mark.parametrize("name", ATTACKS)
@pytest.mark.parametrize("fonts", [("tiit",), ("tiit", "tiro")], ids=["one font", "fonts in turn"])
def test_a_printed_formula_is_no_markup(name, fonts, pdf_of, with_pool):
    """Guards against HTML that a file writes as a formula: each change of font begins a word, and words are short."""

    def draw(sheet):
        x = 72.0
        for k, sign in enumerate(ATTACKS[name]):
            font = fonts[k % len(fonts)]
            sheet.insert_text((x, 300), sign, fontname=font, fontsize=12)
            x += pymupdf.get_text_length(sign, fontname=font, fontsize=12)

    source = pdf_of(draw)
    page_inspection = with_pool(lambda pool: pool.inspect(source, 1)).inspection()
    drafts = draft_regions(page_inspection, [Detection(kind="isolate_formula", box=box(60, 280, 500, 310), score=0.9)])
    document = assemble("d", 1, Opened(num_pages=1), (compose_page(page_inspection, drafts, {}, {}),))
    for where, html in markdown_renderings(markdown(document)):
        assert not rendered(html).values("a", "href") + rendered(html).values("img", "src"), where
    words = re.findall(r"[a-z]{2,}", ATTACKS[name])
    assert all(word in squeezed(markdown(document)) for word in words), "the words are still there"


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from([sign for piece in PIECES for sign in (piece, *piece)]), max_size=12), st.booleans())
def test_a_formula_of_any_words_is_inert(pieces, spaced):
    """Guards against markup made of words that are each too short to be one."""
    places = enumerate(piece for piece in [*pieces, "x", "=", "1"] if piece.strip())
    room = 12 if spaced else 9
    glyphs = tuple(
        Glyph(text=piece, box=box(60 + room * k, 102, 68 + room * k, 110), baseline=110, font_size=10, font="CMMI10")
        for k, piece in places
    )
    latex = inert(display_latex([line("x", glyphs=glyphs)], ()) or "")
    if latex is not None:
        for where, html in markdown_renderings(f"$${latex}$$"):
            shown_parts = rendered(html)
            assert [element.name for element in shown_parts.elements] == ["p"], (where, latex)
            assert not AUTOLINK.search(shown_parts.text)


@settings(max_examples=150, deadline=None)
@given(texts)
def test_a_formula_that_a_model_wrote_is_inert(text):
    """Guards against a page whose picture says `[x](https://...)` in a formula."""
    for latex in (written_latex(rf"\[ {text} \]"), text):
        document = one(region("x", "isolate_formula", latex=latex))
        for where, html in markdown_renderings(markdown(document)):
            shown_parts = rendered(html)
            assert [element.name for element in shown_parts.elements] == ["p"], (where, latex)
            assert not AUTOLINK.search(shown_parts.text)


@pytest.mark.parametrize(
    "piece", ["\n", "\r", " ", "#", "1", "=", "`", "a@", ".", "((", "https://", "www.", "-", "[", "{", "x. ", "\\"]
)
def test_a_long_run_of_one_piece_is_written_in_steps_in_line_with_its_length(piece):
    """Guards against expressions that go back over what they have read: 20,000 line ends took 55 s.

    Of this length a square would take hours, and the run would not end.
    """
    text = piece * (200_000 // len(piece))
    bare = str.maketrans("", "", "\\`")
    assert squeezed(escaped(text)).translate(bare) == squeezed(text).translate(bare)
    inert(text)
