"""A DOCX with tracked changes is read as if all of them were accepted, whatever stands within them."""

from __future__ import annotations

from documents.region_values import TableRegion
from tests.documents.office.drawn import WORD, docx, paragraph, parsed, regions_of, related

CHANGED = 'w:id="1" w:author="A" w:date="2026-01-02T03:04:05Z"'


def cell(text: str) -> str:
    return f"<w:tc>{paragraph(text)}</w:tc>"


def row(*texts: str, change: str = "") -> str:
    settings = f"<w:trPr><w:{change} {CHANGED}/></w:trPr>" if change else ""
    return f"<w:tr>{settings}{''.join(map(cell, texts))}</w:tr>"


def test_a_table_around_which_something_was_changed_stays():
    """Blocks around tracked changes were dropped (docling#3152)."""
    table = f"<w:tbl>{row('Port', 'Depth')}{row('Alta', '3')}{row('Bodø', '4', change='ins')}"
    table += f"{row('Chur', '5', change='del')}</w:tbl>"
    gone = f"<w:p><w:del {CHANGED}><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>"
    new = f"<w:p><w:ins {CHANGED}><w:r><w:t>new</w:t></w:r></w:ins></w:p>"
    regions = regions_of(docx(paragraph("before") + gone + table + new + paragraph("after")))
    (table_region,) = [region for region in regions if isinstance(region, TableRegion)]
    assert [cell.text for cell in table_region.table.cells] == ["Port", "Depth", "Alta", "3", "Bodø", "4"]
    texts = [region.text for region in regions if not isinstance(region, TableRegion)]
    assert texts == ["before", "new", "after"]


def test_numbers_go_on_over_an_inserted_item():
    """The numbers of a list began again behind a change (docling PR#3897)."""
    numbering = (
        f'<w:numbering xmlns:w="{WORD}"><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/>'
        '<w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>'
    )

    def item(run: str) -> str:
        return f'<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr>{run}</w:p>'

    def run(text: str) -> str:
        return f"<w:r><w:t>{text}</w:t></w:r>"

    body = item(run("one")) + item(f"<w:ins {CHANGED}>{run('two')}</w:ins>") + item(run("three"))
    further = {"word/numbering.xml": numbering, "word/_rels/document.xml.rels": related("numbering", "numbering.xml")}
    (region,) = regions_of(docx(body, further))
    assert region.text == "1. one\n2. two\n3. three"


def test_a_hyphen_that_breaks_no_line_is_a_hyphen():
    """`w:noBreakHyphen` was lost, and two words were one (docling.rs#400)."""
    body = "<w:p><w:r><w:t>A</w:t><w:noBreakHyphen/><w:t>4 and co</w:t><w:softHyphen/><w:t>operation</w:t></w:r></w:p>"
    (region,) = parsed(docx(body)).pages[0].regions
    assert region.text == "A\u20114 and cooperation"
