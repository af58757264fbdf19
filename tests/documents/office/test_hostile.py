"""Hostile files end as a named error or as what the bounds leave, in the child and quickly; nothing calls out."""

from __future__ import annotations

import contextlib
import io
import zipfile

import pytest

from documents.errors import EncryptedDocument, TooLargeUnpacked, TooManyPages, UnreadableDocument
from documents.media_types import DOCX, HTML, LOCKED_OFFICE, MAIL, XLSX, ZIP, sniff_content
from documents.office.packages.unpack_limits import MAX_CELLS
from documents.office.sheets import cell_formats
from documents.sandbox import RendererPool, RenderLimits
from documents.values import Page, Source
from tests.documents.office.drawn import (
    SHEET,
    WORD,
    docx,
    paragraph,
    parsed,
    regions_of,
    related,
    written,
    xlsx,
    zipped,
)

LAUGHS = '<!DOCTYPE lolz [<!ENTITY a "lol">' + "".join(
    f'<!ENTITY {chr(98 + k)} "{f"&{chr(97 + k)};" * 10}">' for k in range(9)
)
LAUGHS += "]>"
OUTSIDE = '<!DOCTYPE x [<!ENTITY secret SYSTEM "file:///etc/passwd">]>'


def bomb() -> bytes:
    """A part that unpacks to 200 MB."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "")
        with archive.open("word/document.xml", "w", force_zip64=True) as part:
            for _ in range(200):
                part.write(bytes(1_000_000))
    return file.getvalue()


def cells(num_rows: int, num_columns: int) -> str:
    row = "".join(f"<c><v>{column}</v></c>" for column in range(num_columns))
    return f"<row>{row}</row>" * num_rows


async def read(path, kind: str, **limits) -> list[Page]:
    """All pages, in a child behind its walls."""
    pool = RendererPool(1, RenderLimits(**limits))
    try:
        source = Source(path=str(path), media_type=kind)
        opened = await pool.open(source)
        pages = [await pool.authored(source, number) for number in range(1, opened.num_pages + 1)]
        return [page for page in pages if page is not None]
    finally:
        await pool.close()


@pytest.mark.anyio
async def test_a_zip_bomb_is_refused_by_what_it_unpacks_to(tmp_path):
    """Guards against memory that a file of 200 kB takes."""
    with pytest.raises(TooLargeUnpacked):
        await read(written(tmp_path, "a", bomb()), DOCX)


@pytest.mark.anyio
@pytest.mark.parametrize("prolog", [LAUGHS, OUTSIDE], ids=["billion laughs", "external entity"])
async def test_entities_are_refused_and_never_resolved(tmp_path, prolog):
    """Guards against a billion laughs, and against files of this machine in the text."""
    name = "j" if prolog == LAUGHS else "secret"
    content = docx(paragraph(f"&{name};"), prolog=prolog)
    with pytest.raises(UnreadableDocument, match="document type"):
        await read(written(tmp_path, "a", content), DOCX)


def test_a_document_type_is_refused_in_whatever_encoding_and_part() -> None:
    """Guards against a look at ASCII bytes alone: UTF-16 hides the declaration, and sheets are read piece by piece."""
    wide = f'<?xml version="1.0" encoding="UTF-16"?>{OUTSIDE}<w:document xmlns:w="{WORD}"><w:body>'
    wide += paragraph("&secret;") + "</w:body></w:document>"
    sheet = f'<?xml version="1.0"?>{OUTSIDE}<worksheet xmlns="{SHEET}"><sheetData>{cells(1, 2)}</sheetData></worksheet>'
    files = [docx("", {"word/document.xml": wide.encode(name)}) for name in ("utf-16", "utf-16-be")]
    files.append(xlsx({"s": ""}, {"xl/worksheets/sheet1.xml": sheet}))
    for content in files:
        with pytest.raises(UnreadableDocument, match="document type"):
            parsed(content)


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("<div>", "</div>"),
        ("<table><tr><td>", "</table>"),
        ("<ul><li>", "</ul>"),
        ("<span>", "</span>"),
        ("<b>", "</b>"),
    ],
)
@pytest.mark.parametrize("depth", [150, 3000, 60_000])
def test_words_of_a_deep_web_page_stay_in_their_order(opening: str, closing: str, depth: int) -> None:
    """Guards against a page that ends at the 256th element with all that follows, and no warning."""
    hidden = '<script>x()</script><p style="display:none">unseen</p>' if opening in ("<div>", "<ul><li>") else ""
    content = f"<!doctype html><p>first</p>{opening * depth}deep<div>er{hidden}</div>words{closing * depth}<p>last</p>"
    texts = " ".join(region.text for region in regions_of(content.encode()))
    assert texts.replace("• ", "").split() == ["first", "deep", "er", "words", "last"]


def test_xml_that_nests_deeper_than_is_read_is_no_empty_document() -> None:
    """Guards against a document without the words behind a deep place: the parser ends there."""
    deep = paragraph("before") + "<w:smartTag>" * 300 + "</w:smartTag>" * 300 + paragraph("after")
    with pytest.raises(UnreadableDocument, match="deeper"):
        parsed(docx(deep))


@pytest.mark.anyio
async def test_entities_of_a_web_page_say_nothing(tmp_path):
    content = b"<!DOCTYPE html [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><p>a &x; b</p>"
    pages = await read(written(tmp_path, "a", content), HTML)
    assert "root:" not in "".join(region.text for page in pages for region in page.regions)


@pytest.mark.anyio
async def test_relations_that_lead_outside_are_never_followed(tmp_path):
    """Guards against pictures that are fetched: the child has no socket, and the parser asks for none."""
    picture = '<w:p><w:r><w:drawing><wp:inline><wp:docPr id="1" name="x" descr="a cat"/>'
    picture += '<a:blip xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" r:link="rId1" r:embed="rId1"/>'
    picture += "</wp:inline></w:drawing></w:r></w:p>"
    relation = {"word/_rels/document.xml.rels": related("image", "http://127.0.0.1:1/cat.png", "External")}
    (page,) = await read(written(tmp_path, "a", docx(picture, relation)), DOCX)
    assert [(region.picture, region.alt) for region in page.regions] == [(None, "a cat")]


@pytest.mark.parametrize("target", ["../../../../etc/passwd", "/etc/passwd", "..\\..\\x", "word/../../../etc/passwd"])
def test_names_that_lead_out_of_the_zip_lead_nowhere(target):
    """Guards against path traversal: names are compared with those of the zip, and never opened."""
    body = paragraph("text") + '<w:p><w:r><w:pict><v:imagedata xmlns:v="urn:v" r:id="rId1"/></w:pict></w:r></w:p>'
    content = docx(body, {"word/_rels/document.xml.rels": related("image", target)})
    assert [region.text for region in regions_of(content)] == ["text"]


@pytest.mark.anyio
async def test_a_zip_of_escaping_names_is_read_and_writes_nothing(tmp_path):
    content = zipped({"../../outside.txt": "hello", "C:\\x\\y.txt": "there"})
    pages = await read(written(tmp_path, "a.zip", content), ZIP)
    assert [region.text for page in pages for region in page.regions] == ["hello", "there"]
    assert pages[0].regions[0].place.inside == ("outside.txt",)
    assert not (tmp_path.parent.parent / "outside.txt").exists()


@pytest.mark.anyio
async def test_ten_thousand_sheets_are_too_many(tmp_path):
    content = xlsx({f"s{k}": "" for k in range(10_000)})
    with pytest.raises((TooManyPages, UnreadableDocument)):
        await read(written(tmp_path, "a", content), XLSX)
    with pytest.raises(TooManyPages):
        await read(written(tmp_path, "b", xlsx({f"s{k}": "" for k in range(2001)})), XLSX)


@pytest.mark.anyio
async def test_of_a_million_cells_those_that_are_allowed_are_read(tmp_path):
    """Guards against a sheet that takes all memory; what was left out is reported."""
    path = written(tmp_path, "a", xlsx({"big": cells(10_000, 100)}))
    pool = RendererPool(1, RenderLimits(page_timeout_s=300))  # of the wall clock: processor time is bounded as ever
    try:
        source = Source(path=str(path), media_type=XLSX)
        opened = await pool.open(source)
        assert [warning.code for warning in opened.warnings] == ["cut_short"]
        first = await pool.authored(source, 1)
        assert first is not None
        assert first.regions[1].table.num_columns == 100
        assert opened.num_pages * 2000 <= 2 * MAX_CELLS
    finally:
        await pool.close()


@pytest.mark.anyio
@pytest.mark.parametrize("depth", [300, 5000])
async def test_elements_in_one_another_end_in_a_named_error_or_in_text(tmp_path, depth):
    """Guards against a child that ends because its stack does."""
    word = docx("<w:smartTag>" * depth + paragraph("deep") + "</w:smartTag>" * depth)
    page = b"<!doctype html>" + b"<div>" * depth + b"deep"
    for name, kind, content in (("a", DOCX, word), ("b", HTML, page)):
        path = written(tmp_path, name, content)
        with contextlib.suppress(UnreadableDocument):
            assert await read(path, kind)


@pytest.mark.anyio
async def test_files_in_files_are_read_so_deep_and_no_deeper(tmp_path):
    """Guards against a zip that holds itself."""
    content = zipped({"a.txt": "innermost"})
    for _ in range(30):
        content = zipped({"inner.zip": content, "a.txt": "level"})
    pages = await read(written(tmp_path, "a", content), ZIP)
    assert {region.text for page in pages for region in page.regions} == {"level"}
    assert max(len(region.place.inside) for page in pages for region in page.regions) <= 4


def test_broken_relations_leave_the_text():
    """Guards against a lost document over a part that its text does not need."""
    for broken in ("", "<not", "<Relationships/>", related("styles", "nowhere.xml")):
        content = docx(paragraph("text"), {"word/_rels/document.xml.rels": broken})
        assert [region.text for region in regions_of(content)] == ["text"]
    without = zipped({"[Content_Types].xml": "", "word/document.xml": "<x/>"})
    with pytest.raises(UnreadableDocument):
        regions_of(without)


@pytest.mark.anyio
async def test_an_encrypted_office_file_says_so(tmp_path):
    """Guards against `damaged`: an Office file behind a password is an OLE file with one known stream."""
    content = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2000) + "EncryptedPackage".encode("utf-16-le") + bytes(64)
    assert sniff_content(content) == LOCKED_OFFICE
    with pytest.raises(EncryptedDocument):
        await read(written(tmp_path, "a", content), LOCKED_OFFICE)


@pytest.mark.anyio
async def test_a_mail_of_many_parts_and_wrong_headers_is_read(tmp_path):
    parts = "".join(f"--b\r\nContent-Type: text/plain; charset=nonsense-{k}\r\n\r\npart {k}\r\n" for k in range(200))
    head = "Subject: =?utf-8?q?broken=?=\r\nFrom: a\r\nTo: b\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n"
    pages = await read(written(tmp_path, "a", (head + parts + "--b--").encode()), MAIL)
    assert sum("part" in region.text for page in pages for region in page.regions) >= 200


def test_comments_before_a_page_are_looked_through_once():
    """Guards against a pattern that takes 2^60 steps over sixty comments, in a process without walls."""
    assert sniff_content(b"<!---->" * 60 + b"x") != HTML
    assert sniff_content(b"<!-- a -->\n<!-- b -->\n<html>") == HTML


@pytest.mark.parametrize("value", ["NaN", "1e999", "-inf"])
def test_what_is_no_number_stays_as_it_stands_in_its_cell(value):
    """Guards against a sheet that ends at such a cell, or a file that is lost for one."""
    assert cell_formats.written(value, "date", since_1904=False) == value
    assert cell_formats.written("2958000", "date", since_1904=True) == "2958000"
