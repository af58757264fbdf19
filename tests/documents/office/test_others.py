"""Slides, sheets, web pages, marked and plain text, mail, books and archives, against libraries that are not ours."""

from __future__ import annotations

import datetime
import io
from email.message import EmailMessage

import openpyxl
import pptx
import pytest
from lxml import html
from PIL import Image
from pptx.util import Inches

from documents.media_types import CSV, DOCX, EPUB, HTML, MAIL, MARKDOWN, ODT, PDF, PLAIN, PPTX, XLSX, ZIP, sniff_content
from documents.office.parsed_file import PrintedPage
from documents.values import FigureRegion, TableRegion, TextRegion, TitleRegion
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


def test_elements_of_a_web_page_are_found_by_their_paths():
    """Guards against paths that lead a browser elsewhere: lxml finds the element with the text."""
    content = """<!doctype html><html><head><title>T</title><script>x()</script></head><body>
    <h1>Head</h1><div>loose <p>one</p><p>two <a href="https://example.org">link</a></p><ul><li>a<ul><li>b</li></ul></li></ul></div>
    <table><tr><th>x</th><th>y</th></tr><tr><td rowspan=2>1</td><td>2</td></tr><tr><td>3</td></tr></table>
    <p style="display:none">unseen</p><pre>a  b\n c</pre><img src="http://127.0.0.1/x.png" alt="A cat"></body></html>"""
    regions = regions_of(content.encode())
    tree = html.document_fromstring(content)
    for region in regions:
        if isinstance(region, TextRegion) and not region.items and not region.code:
            (element,) = tree.xpath(region.place.path)
            text = " ".join(element.text_content().split())
            assert text[region.place.start : region.place.end] == region.text
    texts = [region.text for region in regions]
    assert "unseen" not in "".join(texts)
    assert "x()" not in "".join(texts)
    (listed,) = [region for region in regions if isinstance(region, TextRegion) and region.items]
    assert [(item.marker, item.level) for item in listed.items] == [("•", 1), ("•", 2)]
    (table,) = [region for region in regions if isinstance(region, TableRegion)]
    assert [(cell.text, cell.row, cell.column, cell.num_rows) for cell in table.table.cells][2:] == [
        ("1", 1, 0, 2),
        ("2", 1, 1, 1),
        ("3", 2, 1, 1),
    ]
    (figure,) = [region for region in regions if isinstance(region, FigureRegion)]
    assert (figure.alt, figure.picture) == ("A cat", None)
    assert [region.text for region in regions if isinstance(region, TextRegion) and region.code] == ["a  b\n c"]


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


def test_separated_values_are_one_table_whatever_parts_them():
    for separator in (",", ";", "\t"):
        content = f'name{separator}"a{separator}b"\n1{separator}2\n'.encode()
        (region,) = regions_of(content, "a.csv")
        assert [cell.text for cell in region.table.cells] == ["name", f"a{separator}b".replace("\t", " "), "1", "2"]
        assert region.place.cell(1, 1).range == "B2"


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
        (b"hello", "", PLAIN),
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


def test_blocks_and_fields_in_one_another_do_not_glue_their_words() -> None:
    """Guards against `OneTwo`: blocks within headings, captions and code, fields and buttons beside one another."""
    content = b"""<!doctype html><h2><div>One</div><div>Two</div></h2>
    <figure><figcaption><p>Three</p><p>Four</p></figcaption></figure><pre>five<br>six</pre>
    <p>a<input value="seven"><input value="eight"><button>Save</button><button>Cancel</button></p>"""
    texts = [region.text for region in regions_of(content)]
    assert texts == ["One Two", "Three Four", "five\nsix", "a seven eight Save Cancel"]


def test_words_below_the_depth_that_is_walked_stay_words() -> None:
    """Guards against words that are lost or glued where elements lie deeper than they are walked one by one."""
    for name in ("div", "span"):
        content = f"<!doctype html><p>first</p>{f'<{name}>' * 200}<p>deep</p><p>deeper</p><b>bold</b>"
        text = " ".join(region.text for region in regions_of(content.encode()))
        assert text.split() == ["first", "deep", "deeper", "bold"]


def test_columns_beyond_the_bound_are_reported() -> None:
    """Guards against cells that are lost without a word."""
    document = parsed((",".join(str(k) for k in range(2100)) + "\n").encode(), "a.csv")
    assert [warning.code for warning in document.warnings] == ["cut_short"]
    assert "100 cells" in document.warnings[0].message


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


LISTS = "<tr><td>Heat pump</td><td><ul><li>quiet</li><li>cheap</li></ul></td><td><ul><li>dear</li></ul></td></tr>"
LISTS += "<tr><td>Gas</td><td><ol><li>small</li></ol></td><td><h4>Risks</h4><p>price</p><p>smoke</p></td></tr>"
HEAD = "<tr><{0}>Option</{0}><{0}>For</{0}><{0}>Against</{0}></tr>"


@pytest.mark.parametrize(
    "table",
    [
        f"<table><thead>{HEAD.format('th')}</thead><tbody>{LISTS}</tbody></table>",
        f"<table>{HEAD.format('th')}{LISTS}</table>",
        f"<table><thead>{HEAD.format('td')}</thead>{LISTS}</table>",
        f"<table><caption>Heating</caption>{HEAD.format('td')}{LISTS}</table>",
        f"<table role=grid>{HEAD.format('td')}{LISTS}</table>",
    ],
)
def test_a_table_of_data_may_have_lists_and_headings_in_its_cells(table: str) -> None:
    """Guards against a drawback that goes on the list of advantages: a table of many lists was taken for layout."""
    (grid,) = [region.table for region in regions_of(f"<!doctype html>{table}".encode()) if hasattr(region, "table")]
    cells = {(cell.row, cell.column): cell.text for cell in grid.cells}
    assert [cells[1, column] for column in range(3)] == ["Heat pump", "quiet\ncheap", "dear"]
    assert [cells[2, column] for column in range(3)] == ["Gas", "small", "Risks\nprice\nsmoke"]


def test_a_table_in_a_cell_of_data_is_lines_of_the_cell_and_one_that_lays_out_is_read_by_itself() -> None:
    inner = "<table><tr><th>size</th><th>price</th></tr><tr><td>10</td><td>3</td></tr></table>"
    data = f"<!doctype html><table><tr><th>item</th><th>sizes</th></tr><tr><td>rope</td><td>{inner}</td></tr></table>"
    (grid,) = [region.table for region in regions_of(data.encode()) if hasattr(region, "table")]
    assert [cell.text for cell in grid.cells] == ["item", "sizes", "rope", "size price\n10 3"]
    for role in ("", "role=presentation"):
        layout = f"<!doctype html><table {role}><tr><td><h2>News</h2></td><td>{inner}</td></tr></table>"
        regions = regions_of(layout.encode())
        assert [region.text for region in regions] == ["News", "size\tprice\n10\t3"]
    menu = "<!doctype html><table><tr><td><ul><li>a</li></ul></td><td><ul><li>b</li></ul></td></tr></table>"
    assert not any(hasattr(region, "table") for region in regions_of(menu.encode()))


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        ("Brot;1,50", ["Brot|1,50"]),
        ("Brot;1,50\nMilch;0,99\n", ["Brot|1,50", "Milch|0,99"]),
        ("Menge, kg;Preis, EUR\n10;1,50\n", ["Menge, kg|Preis, EUR", "10|1,50"]),
        ("1,5;2,5;3,5\n4,5;5,5;6,5\n", ["1,5|2,5|3,5", "4,5|5,5|6,5"]),
        ("1.234,50 €;12.3.2024;Müller, Anna\n", ["1.234,50 €|12.3.2024|Müller, Anna"]),
        ("Smith, John\t12\nDoe, Jane\t7\n", ["Smith, John|12", "Doe, Jane|7"]),
        ("a, b|1,5\nc, d|2,5\n", ["a, b|1,5", "c, d|2,5"]),
        ("name,price,note\nrope,1.50,red; long\nanchor,12.00,iron; heavy\n", None),
        (
            'name,text\nrope,"long; red, 10 m; new"\nanchor,"a; b; c"\n',
            ["name|text", "rope|long; red, 10 m; new", "anchor|a; b; c"],
        ),
        ('id;text\n1;"two\nlines, and, commas"\n2;x\n', ["id|text", "1|two\nlines, and, commas", "2|x"]),
        ("1, 2, 3\n4, 5, 6\n", ["1|2|3", "4|5|6"]),
        ("52.1,13.4;Berlin\n48.1,11.6;Munich\n", ["52.1,13.4|Berlin", "48.1,11.6|Munich"]),
    ],
)
def test_the_separator_is_the_one_that_leaves_whole_cells(content: str, rows: list[str] | None) -> None:
    """Guards against German files that are cut at their decimal commas: ties went to the first separator."""
    rows = rows or ["name|price|note", "rope|1.50|red; long", "anchor|12.00|iron; heavy"]
    (region,) = regions_of(content.encode(), "a.csv")
    cells: dict[int, list[str]] = {}
    for cell in region.table.cells:
        cells.setdefault(cell.row, []).append(cell.text)
    assert ["|".join(row) for row in cells.values()] == rows


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


def test_the_separator_that_a_csv_names_is_taken_and_not_shown() -> None:
    """Guards against a table whose header says `sep=;`, a line for spreadsheet programs alone."""
    (region,) = parsed(b"sep=;\r\na;b,c\r\n1;2,5\r\n", "a.csv").pages[0].regions
    assert region.text == "a\tb,c\n1\t2,5"
