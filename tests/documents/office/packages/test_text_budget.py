"""What is delivered of a file is bounded, not only what is unpacked: by cell, page, document, size of the file."""

from __future__ import annotations

import random
from email.message import EmailMessage

import pytest

from documents.media_types import XLSX, ZIP
from documents.office.packages import text_budget
from documents.office.packages.unpack_limits import MAX_CELL_CHARACTERS, MAX_PAGE_CHARACTERS
from documents.sandbox import RendererPool, RenderLimits
from documents.values import Source
from tests.documents.office.drawn import SHEET, docx, paragraph, parsed, related, written, xlsx, zipped

ODF = "urn:oasis:names:tc:opendocument:xmlns"
STRINGS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings"


def shared_strings_bomb(num_cells: int = 20_000, length: int = 30_000) -> bytes:
    """One long string that every cell of a column shows."""
    rows = "".join(f'<row r="{row}"><c r="A{row}" t="s"><v>0</v></c></row>' for row in range(1, num_cells))
    relations = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="s1" Type="{STRINGS.rpartition("/")[0]}/worksheet" Target="worksheets/sheet1.xml"/>'
        f'<Relationship Id="t" Type="{STRINGS}" Target="sharedStrings.xml"/></Relationships>'
    )
    return xlsx(
        {"s": rows},
        {
            "xl/_rels/workbook.xml.rels": relations,
            "xl/sharedStrings.xml": f'<sst xmlns="{SHEET}"><si><t>{"S" * length}</t></si></sst>',
        },
    )


def repeated_cells(length: int = 30_000) -> bytes:
    """A sheet of OpenDocument whose one cell stands for a million."""
    content = f"""<o:document-content xmlns:o="{ODF}:office:1.0" xmlns:t="{ODF}:table:1.0" xmlns:x="{ODF}:text:1.0">
    <o:body><o:spreadsheet><t:table t:name="s"><t:table-row t:number-rows-repeated="1000"><t:table-cell
    t:number-columns-repeated="1000"><x:p>{"S" * length}</x:p></t:table-cell></t:table-row></t:table>
    </o:spreadsheet></o:body></o:document-content>"""
    return zipped(
        {
            "mimetype": "application/vnd.oasis.opendocument.spreadsheet",
            "META-INF/manifest.xml": "<x/>",
            "content.xml": content,
        }
    )


def links_bomb() -> bytes:
    """One long address that thousands of links lead to."""
    link = '<w:p><w:hyperlink r:id="rId1"><w:r><w:t>here</w:t></w:r></w:hyperlink></w:p>'
    address = "https://example.org/" + "x" * 1900
    return docx(link * 20_000, {"word/_rels/document.xml.rels": related("hyperlink", address, "External")})


def wide_rows() -> bytes:
    return b"<!doctype html><table>" + b"<tr><td colspan=2000>x<td>y" * 60_000 + b"</table>"


async def delivered(path, kind: str) -> tuple[list[int], list[str]]:
    """Bytes of each page, and the codes of the document's warnings, through the child behind its walls."""
    pool = RendererPool(1, RenderLimits(page_timeout_s=300))
    try:
        source = Source(path=str(path), media_type=kind)
        opened = await pool.open(source)
        pages = [await pool.authored(source, number) for number in range(1, opened.num_pages + 1)]
        return [len(page.model_dump_json()) for page in pages if page is not None], [w.code for w in opened.warnings]
    finally:
        await pool.close()


def size_of(content: bytes, name: str = "") -> tuple[int, list[str]]:
    document = parsed(content, name)
    return sum(len(page.model_dump_json()) for page in document.pages), [one.code for one in document.warnings]


@pytest.mark.anyio
async def test_a_string_that_all_cells_share_does_not_become_a_gigabyte(tmp_path) -> None:
    """Guards against 1.2 GB of pages from a workbook of 105 kB: its one string was unpacked once and written often."""
    content = shared_strings_bomb()
    sizes, codes = await delivered(written(tmp_path, "a", content), XLSX)
    assert codes == ["cut_short"]
    assert max(sizes) < 1_000_000
    assert sum(sizes) < 200 * len(content)


@pytest.mark.anyio
async def test_all_files_of_an_archive_share_one_budget(tmp_path) -> None:
    """Guards against the same workbook, fifty times in a zip: each would have a budget of its own."""
    bombs = {f"{k}.xlsx": shared_strings_bomb(2000, 30_000) for k in range(50)}
    content = zipped(bombs)
    sizes, codes = await delivered(written(tmp_path, "a", content), ZIP)
    assert "cut_short" in codes
    assert {*codes} <= {"cut_short", "attachment_unread"}, "on a slow machine the last are left out, and named"
    assert sum(sizes) < 300 * len(content)


@pytest.mark.parametrize("make", [repeated_cells, links_bomb, wide_rows])
def test_other_ways_to_repeat_are_bounded_and_reported(make) -> None:
    """Guards against cells that stand for a million, addresses of many links, and rows of empty columns."""
    size, codes = size_of(make())
    assert codes == ["cut_short"]
    assert size < 40_000_000


def test_a_cell_is_cut_at_its_limit_and_the_cells_beside_it_stay() -> None:
    content = f'name,text\nlong,"{"word " * (MAX_CELL_CHARACTERS // 4)}"\nshort,whole\n'.encode()
    document = parsed(content, "a.csv")
    cells = [cell.text for page in document.pages for region in page.regions for cell in region.table.cells]
    assert [len(text) for text in cells] == [4, 4, 4, MAX_CELL_CHARACTERS, 5, 5]
    assert [one.code for one in document.warnings] == ["cut_short"]


def test_a_long_line_of_text_is_several_paragraphs_and_loses_no_word() -> None:
    """Guards against a page as long as its file, and against a warning or a lost word where nothing is too long."""
    chosen = random.Random(1)
    words = ["".join(chosen.choices("abcdefgh", k=chosen.randint(1, 12))) for _ in range(60_000)]
    document = parsed(" ".join(words).encode(), "a.txt")
    assert " ".join(region.text for page in document.pages for region in page.regions).split() == words
    assert max(len(page.model_dump_json()) for page in document.pages) < 200_000
    assert not document.warnings


def test_a_document_is_cut_at_its_budget_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_budget, "MIN_CHARACTERS", 100)
    monkeypatch.setattr(text_budget, "MAX_EXPANSION", 0)
    mail = EmailMessage()
    mail["Subject"] = "Tides"
    mail.set_content("word " * 100)
    for content, name in ((docx(paragraph("word " * 100)), ""), (mail.as_bytes(), "a.eml"), (b"word " * 90, "a.md")):
        document = parsed(content, name)
        assert sum(len(region.text) for page in document.pages for region in page.regions) <= 100
        assert "cut_short" in [one.code for one in document.warnings]


def test_a_slide_has_a_limit_of_its_own() -> None:
    """Guards against one slide of a hundred megabytes: slides are never divided."""
    shape = '<p:sp><p:nvSpPr><p:cNvPr id="1" name="s"/></p:nvSpPr>'
    shape += "<p:txBody><a:p><a:r><a:t>{}</a:t></a:r></a:p></p:txBody></p:sp>"
    names = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
    names += 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    names += 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    slides = '<p:sldIdLst><p:sldId id="1" r:id="rId1"/></p:sldIdLst>'
    shapes = shape.format("word " * 10_000) * 100
    content = zipped(
        {
            "[Content_Types].xml": "",
            "_rels/.rels": related("officeDocument", "ppt/presentation.xml"),
            "ppt/presentation.xml": f"<p:presentation {names}>{slides}</p:presentation>",
            "ppt/_rels/presentation.xml.rels": related("slide", "slide1.xml"),
            "ppt/slide1.xml": f"<p:sld {names}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>",
        }
    )
    document = parsed(content)
    (page,) = document.pages
    assert 0.9 * MAX_PAGE_CHARACTERS < sum(len(region.text) for region in page.regions) <= MAX_PAGE_CHARACTERS
    assert [one.code for one in document.warnings] == ["cut_short"]
