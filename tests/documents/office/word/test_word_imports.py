"""Parts that Word imports where a DOCX names them are read in their places."""

from __future__ import annotations

import pytest

from documents.region_values import FigureRegion, TableRegion, TitleRegion
from tests.documents.office.drawn import OFFICE, RELATIONS, docx, paragraph, parsed

PAGE = "<html><body><h2>Turbines</h2><p>Imported</p><table><tr><td>Blade</td><td>42</td></tr></table></body></html>"
ARCHIVE = (
    "MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=x\r\n\r\n--x\r\n"
    "Content-Type: text/html; charset=iso-8859-2\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
    "<p>Gda=F1sk</p>\r\n--x\r\nContent-Type: application/octet-stream\r\n\r\nrest\r\n--x--\r\n"
)


def with_chunk(name: str, content: str | bytes, *, kind: str = "", body: str = "") -> bytes:
    """A DOCX that imports a part between two paragraphs, or in `body`."""
    chunk = '<w:altChunk r:id="rId9"/>'
    relation = f'<Relationship Id="rId9" Type="{OFFICE}/aFChunk" Target="{name}"/>'
    ending = name.rpartition(".")[2]
    types = '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    types += f'<Default Extension="{ending}" ContentType="{kind or "application/xml"}"/></Types>'
    further: dict[str, str | bytes] = {
        "[Content_Types].xml": types,
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{RELATIONS}">{relation}</Relationships>',
        f"word/{name}": content,
    }
    return docx(body.format(chunk) or paragraph("Before") + chunk + paragraph("After"), further)


def texts_of(content: bytes) -> list[str]:
    return [region.text for page in parsed(content).pages for region in page.regions]


@pytest.mark.parametrize(
    ("name", "content", "kind", "texts"),
    [
        ("chunk.htm", PAGE, "", ["Turbines", "Imported", "Blade\t42"]),
        ("chunk.dat", "<p>A part without a head</p>", "text/html; charset=utf-8", ["A part without a head"]),
        ("chunk.mht", ARCHIVE, "message/rfc822", ["Gdańsk"]),
        ("chunk.dat", ARCHIVE, "application/x-mimearchive", ["Gdańsk"]),
        ("chunk.txt", "One line\n\nAnother", "text/plain", ["One line", "Another"]),
        ("chunk.docx", docx(paragraph("Inner")), "", ["Inner"]),
    ],
)
def test_a_part_is_read_in_its_place(name: str, content: str | bytes, kind: str, texts: list[str]) -> None:
    """Guards against content that Word shows and no reader found, not even a warning."""
    document = with_chunk(name, content, kind=kind)
    assert texts_of(document) == ["Before", *texts, "After"]
    assert not parsed(document).warnings


def test_a_part_has_its_own_places_and_headings() -> None:
    document = parsed(with_chunk("chunk.htm", PAGE))
    title, text, table = document.pages[0].regions[1:4]
    assert isinstance(title, TitleRegion)
    assert isinstance(table, TableRegion)
    assert text.place.inside == ("word/chunk.htm",)
    assert [entry.title for entry in document.outline] == ["Turbines"]
    assert document.pages[0].regions[4].place.heading == "Turbines"
    assert [region.order for region in document.pages[0].regions] == list(range(5))


def test_a_part_in_a_cell_stands_behind_its_table() -> None:
    cells = "<w:tbl><w:tr><w:tc>{}" + paragraph("left") + f"</w:tc><w:tc>{paragraph('right')}</w:tc></w:tr></w:tbl>"
    assert texts_of(with_chunk("chunk.htm", "<p>Imported</p>", body=cells)) == ["left\tright", "Imported"]


def test_a_picture_of_an_imported_part_is_read_from_there() -> None:
    """Guards against pictures that are looked up in the outer file, where another may have the same name."""
    blip = '<w:p><w:r><w:drawing><a:blip xmlns:a="urn:a" r:embed="rId1"/></w:drawing></w:r></w:p>'
    relation = f'<Relationship Id="rId1" Type="{OFFICE}/image" Target="media/a.png"/>'
    inner = docx(
        blip,
        {
            "word/_rels/document.xml.rels": f'<Relationships xmlns="{RELATIONS}">{relation}</Relationships>',
            "word/media/a.png": b"inner picture",
        },
    )
    document = parsed(with_chunk("chunk.docx", inner))
    (figure,) = [region for region in document.pages[0].regions if isinstance(region, FigureRegion)]
    assert document.read_part(figure.picture) == b"inner picture"


@pytest.mark.parametrize(
    ("name", "content"),
    [("chunk.rtf", r"{\rtf1 words}"), ("chunk.bin", bytes(range(64))), ("chunk.html", ""), ("chunk.pdf", b"%PDF-1.7")],
)
def test_what_cannot_be_read_is_reported(name: str, content: str | bytes) -> None:
    document = parsed(with_chunk(name, content))
    assert [region.text for region in document.pages[0].regions] == ["Before", "After"]
    assert [warning.code for warning in document.warnings] == ["attachment_unread"]


def test_a_part_that_the_file_does_not_have_is_reported() -> None:
    document = parsed(docx('<w:altChunk r:id="rId404"/>' + paragraph("After")))
    assert [warning.code for warning in document.warnings] == ["attachment_unread"]


def test_parts_in_parts_end() -> None:
    """Guards against a file that unpacks without an end."""
    content = docx(paragraph("the innermost"))
    for _ in range(10):
        content = with_chunk("chunk.docx", content)
    document = parsed(content)
    texts = [region.text for region in document.pages[0].regions]
    assert "the innermost" not in texts
    assert texts.count("Before") == 4
    assert [warning.code for warning in document.warnings] == ["attachment_unread"]
