"""Slides, sheets, web pages, marked and plain text, mail, books and archives, against libraries that are not ours."""

from __future__ import annotations

import datetime
import io
from email.message import EmailMessage

import openpyxl
import pptx
from PIL import Image
from pptx.util import Inches

from documents.media_types import (
    CSV,
    DOCX,
    EPUB,
    HTML,
    MAIL,
    MARKDOWN,
    ODT,
    PDF,
    PLAIN_TEXT,
    PPTX,
    XLSX,
    ZIP,
    sniff_content,
)
from documents.office.parsed_file import PrintedPage
from documents.region_values import TableRegion, TitleRegion
from tests.documents.office.drawn import docx, odt, pages_of, paragraph, parsed, regions_of, saved, zipped


def png() -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (200, 100), "white").save(file, "png")
    return file.getvalue()


def test_shapes_of_a_slide_have_its_boxes():
    """Guards against boxes in a group's own units, and titles that are read last."""
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "The title"
    slide.placeholders[1].text = "first\nsecond"
    box = slide.shapes.add_textbox(Inches(1), Inches(2), Inches(3), Inches(1))
    box.text_frame.text = "in a box"
    table = slide.shapes.add_table(2, 2, Inches(1), Inches(4), Inches(4), Inches(1)).table
    table.cell(0, 0).text = "head"
    table.cell(1, 1).text = "body"
    slide.notes_slide.notes_text_frame.text = "say this"
    (page,) = pages_of(saved(deck))
    assert (page.form, page.size, page.name) == ("slide", (720, 540), "The title")
    assert isinstance(page.regions[0], TitleRegion)
    by_text = {region.text: region for region in page.regions}
    assert by_text["• first\n• second"].items[1].marker == "•"
    at = by_text["in a box"].box
    assert (at.x0, at.y0, at.x1, at.y1) == (72, 144, 288, 216)
    assert by_text["in a box"].place.shape == box.name
    assert by_text["in a box"].place.shape_id == box.shape_id
    assert by_text["say this"].place.part == "notes"
    (grid,) = [region.table for region in page.regions if isinstance(region, TableRegion)]
    assert [(cell.text, cell.row, cell.column) for cell in grid.cells] == [("head", 0, 0), ("body", 1, 1)]


def test_cells_of_a_sheet_have_their_ranges_and_values():
    """Guards against serial numbers for dates, formulas for values, and cells that are cited one row off."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Figures"
    sheet["B2"], sheet["C2"] = "Day", "Share"
    sheet["B3"], sheet["C3"] = datetime.date(2024, 2, 29), 0.256
    sheet["C3"].number_format = "0%"
    sheet["B4"], sheet["C4"] = datetime.datetime(2024, 3, 1, 12, 30), 12.5  # noqa: DTZ001  cells tell no zone
    sheet["B8"] = "apart"
    sheet["D10"], sheet["E11"] = "one", "two"
    sheet.merge_cells("D10:E10")
    book.create_sheet("Hidden").sheet_state = "hidden"
    document = parsed(saved(book))
    title, table, alone, merged = document.pages[0].regions
    assert (title.text, document.pages[0].name, document.pages[0].form) == ("Figures", "Figures", "sheet")
    assert (table.place.range, alone.place.range, merged.place.range) == ("B2:C4", "B8", "D10:E11")
    assert [cell.text for cell in table.table.cells] == [
        "Day",
        "Share",
        "2024-02-29",
        "26%",
        "2024-03-01 12:30:00",
        "12.5",
    ]
    assert table.table.num_header_rows == 1
    assert table.place.cell(2, 1).range == "C4"
    assert [(cell.text, cell.num_columns) for cell in merged.table.cells] == [("one", 2), ("two", 1)]
    assert [warning.code for warning in document.warnings] == ["hidden_text"]


def test_lines_of_marked_and_plain_text_are_counted_as_an_editor_does():
    content = b"# Head\n\nfirst *line*\nsecond\n\n- a\n- b\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\n```\ncode\n```\n"
    regions = regions_of(content, "a.md")
    assert [(region.text, region.place.first, region.place.last) for region in regions] == [
        ("Head", 1, 1),
        ("first line second", 3, 4),
        ("• a\n• b", 6, 6),
        ("x\ty\n1\t2", 9, 11),
        ("code", 13, 15),
    ]
    regions = regions_of(b"one\ntwo\n\n\nthree", "a.txt")
    assert [(region.text, region.place.first, region.place.last) for region in regions] == [
        ("one\ntwo", 1, 2),
        ("three", 5, 5),
    ]


def test_attachments_of_a_mail_are_pages_of_their_own():
    """Guards against mail without its attachments, and against places that do not say where they are."""
    mail = EmailMessage()
    mail["Subject"], mail["From"], mail["To"] = "Zürich", "a@example.org", "b@example.org"
    mail.set_content("plain words")
    mail.add_alternative("<p>marked <b>words</b></p>", subtype="html")
    mail.add_attachment(docx(paragraph("attached")), maintype="application", subtype="octet-stream", filename="a.docx")
    mail.add_attachment(png(), maintype="image", subtype="png", filename="scan.png")
    mail.add_attachment(b"\x00\x01\x02", maintype="application", subtype="octet-stream", filename="b.bin")
    document = parsed(mail.as_bytes(), "a.eml")
    first, attached, scanned = document.pages
    assert [region.text for region in first.regions] == [
        "Zürich",
        "From: a@example.org\nTo: b@example.org",
        "marked words",
    ]
    assert first.regions[2].place.part == "1.2"
    assert attached.regions[0].place.inside == ("a.docx",)
    assert attached.regions[0].place.path == "body/p[1]"
    assert scanned == PrintedPage("scan.png", 1)
    assert document.read_part("scan.png") == png()
    assert [warning.code for warning in document.warnings] == ["attachment_unread"]


def test_a_mail_within_a_mail_is_read_with_its_attachments() -> None:
    """Guards against forwarded mails that vanish: the library says that they are of several parts."""
    inner = EmailMessage()
    inner["Subject"], inner["From"] = "Inner", "c@example.org"
    inner.set_content("inner words")
    inner.add_attachment(b"deep words", maintype="text", subtype="plain", filename="deep.txt")
    mail = EmailMessage()
    mail["Subject"], mail["From"] = "Outer", "a@example.org"
    mail.set_content("outer words")
    mail.add_attachment(inner)
    texts = [(region.place.inside, region.text) for region in regions_of(mail.as_bytes(), "a.eml")]
    assert ((), "outer words") in texts
    assert (("part 2",), "inner words") in texts
    assert (("part 2", "deep.txt"), "deep words") in texts


def test_chapters_of_a_book_come_in_the_order_of_its_spine():
    chapter = "<html><head><title>{0}</title></head><body><h1>{0}</h1><p>text &nbsp; of {0}</p></body></html>"
    content = zipped(
        {
            "META-INF/container.xml": '<container><rootfiles><rootfile full-path="x/a.opf"/></rootfiles></container>',
            "x/a.opf": """<package><manifest><item id="2" href="b.xhtml" media-type="application/xhtml+xml"/>
                <item id="1" href="a%20a.xhtml" media-type="application/xhtml+xml"/></manifest>
                <spine><itemref idref="1"/><itemref idref="2"/></spine></package>""",
            "x/a a.xhtml": chapter.format("One"),
            "x/b.xhtml": chapter.format("Two"),
        }
    )
    assert sniff_content(content) == EPUB
    pages = pages_of(content)
    assert [page.name for page in pages] == ["One", "Two"]
    assert pages[1].regions[1].text == "text of Two"
    assert (pages[1].regions[1].place.file, pages[1].regions[1].place.chapter) == ("x/b.xhtml", "Two")


def test_what_a_file_is_its_content_says():
    """Guards against a name that decides: it only says which kind of text a text is."""
    deck, book = saved(pptx.Presentation()), saved(openpyxl.Workbook())
    for content, name, kind in (
        (docx(""), "a.pdf", DOCX),
        (deck, "a.docx", PPTX),
        (book, "", XLSX),
        (zipped({"x/a.docx": docx("")}), "", ZIP),
        (zipped({"mimetype": ODT, "content.xml": ""}), "", ZIP),
        (b"<!-- x --><HTML>", "a.txt", HTML),
        (b"hello", "a.md", MARKDOWN),
        (b"hello", "a.csv", CSV),
        (b"hello", "", PLAIN_TEXT),
        (b"From: a\nSubject: b\n\nhello", "", MAIL),
        (b"%PDF-1.7", "a.txt", PDF),
        (b"<svg>", "a.txt", None),
        (b"{\\rtf1 hello", "a.txt", None),
        (b"\x00\x01\x02\x03", "a.txt", None),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "a.doc", None),
    ):
        assert sniff_content(content, name) == kind, (content[:20], name)


def test_a_plain_part_beside_one_of_markup_is_read_where_both_do_not_say_the_same() -> None:
    """Guards against the words of a list's footer, which is a part of its own behind an HTML mail."""
    mail = EmailMessage()
    mail["Subject"] = "Tides"
    mail.make_mixed()
    for words, kind in (("<p>The tide is high.</p>", "html"), ("To leave this list, write to us.", "plain")):
        part = EmailMessage()
        part.set_content(words, subtype=kind)
        mail.attach(part)
    text = " ".join(region.text for region in regions_of(mail.as_bytes(), "a.eml"))
    assert "The tide is high." in text
    assert "To leave this list" in text


def test_words_with_metadata_are_read() -> None:
    """Guards against lost words: `text:meta` marks words for machines, and a reader sees them as any other."""
    names = "urn:oasis:names:tc:opendocument:xmlns"
    content = f"""<office:document-content xmlns:office="{names}:office:1.0" xmlns:text="{names}:text:1.0"><office:body>
    <office:text><text:p>by <text:meta xml:id="a">the author</text:meta> of it</text:p></office:text></office:body>
    </office:document-content>"""
    file = zipped({"content.xml": content, "META-INF/manifest.xml": "<x/>"})
    assert [region.text for region in regions_of(file)] == ["by the author of it"]


def test_rows_of_a_table_in_a_cell_of_an_odt_stay_rows() -> None:
    """Guards against the inner table's words in one cell, line by line."""

    def table(*rows: tuple[str, ...]) -> str:
        cells = ["".join(f"<table:table-cell>{cell}</table:table-cell>" for cell in row) for row in rows]
        return f"<table:table>{''.join(f'<table:table-row>{row}</table:table-row>' for row in cells)}</table:table>"

    def words(*texts: str) -> tuple[str, ...]:
        return tuple(f"<text:p>{text}</text:p>" for text in texts)

    inner = table(words("Article", "Pieces"), words("Bolt", "40"))
    content = odt(table(words("Customer", "Order"), (words("Ltd")[0], words("Of:")[0] + inner)))
    assert [region.text for region in regions_of(content)] == [
        "Customer\tOrder\nLtd\tOf:",
        "Article\tPieces\nBolt\t40",
    ]


def test_hidden_text_of_an_odt_is_left_out_and_reported() -> None:
    """Guards against words for machines alone, which no reader of the file ever sees."""
    hidden = '<style:style style:name="T1"><style:text-properties text:display="none"/></style:style>'
    heir = '<style:style style:name="T2" style:parent-style-name="T1"><style:text-properties/></style:style>'
    shown = heir.replace("T2", "T3").replace("properties", 'properties text:display="true"')
    spans = "".join(f'<text:span text:style-name="T{k}"> span {k}</text:span>' for k in (1, 2, 3))
    styles = f"<office:automatic-styles>{hidden}{heir}{shown}</office:automatic-styles>"
    document = parsed(odt(f"<text:p>to be seen{spans} all</text:p>", styles))
    (page,) = document.pages
    assert [region.text for region in page.regions] == ["to be seen span 3 all"]
    assert [(warning.code, warning.message) for warning in document.warnings] == [
        ("hidden_text", "hidden text was left out: 2 passages")
    ]
