"""A DOCX is read as its reader sees it, and every block says where it stands."""

from __future__ import annotations

import io
import zipfile

import docx as python_docx
import pytest
from docx.enum.text import WD_BREAK

from documents.region_values import FormulaRegion, FurnitureRegion, TableRegion, TextRegion, TitleRegion
from tests.documents.office.drawn import OFFICE, WORD, docx, paragraph, parsed, regions_of, related, saved


@pytest.fixture
def report() -> bytes:
    """Drawn by python-docx."""
    document = python_docx.Document()
    document.core_properties.title = "Yearly report"
    document.add_heading("The year", 1)
    document.add_paragraph("It was a good one.")
    document.add_heading("Numbers", 2)
    document.add_paragraph("First", style="List Bullet")
    document.add_paragraph("Second", style="List Bullet")
    document.add_paragraph("One", style="List Number")
    document.add_paragraph("Two", style="List Number")
    table = document.add_table(3, 3)
    for row in range(3):
        for column in range(3):
            table.cell(row, column).text = f"r{row}c{column}"
    table.cell(1, 0).merge(table.cell(2, 1)).text = "merged"
    document.sections[0].header.paragraphs[0].text = "Running head"
    document.paragraphs[1].add_run().add_break(WD_BREAK.PAGE)
    return saved(document)


def test_headings_lists_and_tables_are_what_their_styles_say(report):
    """Guards against a flat text: levels, markers and merged cells are what a chunk's citation needs."""
    regions = regions_of(report)
    titles = [(region.level, region.text) for region in regions if isinstance(region, TitleRegion)]
    assert titles == [(1, "The year"), (2, "Numbers")]
    lists = [region for region in regions if isinstance(region, TextRegion) and region.items]
    assert [region.text for region in lists] == ["• First\n• Second\n1. One\n2. Two"]
    assert [item.line for item in lists[0].items] == [0, 1, 2, 3]
    (table,) = [region.table for region in regions if isinstance(region, TableRegion)]
    spans = [(cell.text, cell.row, cell.column, cell.num_rows, cell.num_columns) for cell in table.cells]
    assert ("merged", 1, 0, 2, 2) in spans
    assert ("r2c2", 2, 2, 1, 1) in spans
    assert [region.text for region in regions if isinstance(region, FurnitureRegion)] == ["Running head"]
    assert parsed(report).metadata["title"] == "Yearly report"


def test_a_place_is_a_path_that_another_library_finds_the_paragraph_by(report):
    """Guards against places that only we understand: python-docx finds the text at the path."""
    body = python_docx.Document(io.BytesIO(report)).element.body
    region = next(region for region in regions_of(report) if region.text == "It was a good one.")
    paragraphs = body.xpath("./" + region.place.path.removeprefix("body/").replace("p[", "w:p["))
    assert [element.text for element in paragraphs] == ["It was a good one.\n"] or paragraphs[0].text.startswith(
        "It was a good"
    )
    assert region.place.heading == "The year"
    table = next(region for region in regions_of(report) if isinstance(region, TableRegion))
    assert table.place.cell(0, 2).path.endswith("tbl[1]/tr[1]/tc[3]")


def test_pages_begin_where_the_file_breaks_them(report):
    assert [page.number for page in parsed(report).pages] == [1, 2]


def test_printed_pages_are_told_where_word_wrote_them():
    """Guards against counting a page break twice: Word writes the break and, after it, where it broke the page."""
    body = (
        paragraph("one")
        + '<w:p><w:r><w:br w:type="page"/></w:r><w:r><w:lastRenderedPageBreak/><w:t>two</w:t></w:r></w:p>'
    )
    assert [region.place.page for region in regions_of(docx(body))] == [1, 2]
    assert [region.place.page for region in regions_of(docx(paragraph("one")))] == [None]


def test_changes_count_as_accepted_and_are_reported():
    """Guards against both versions of a sentence in one text."""
    body = (
        '<w:p><w:r><w:t xml:space="preserve">We pay </w:t></w:r>'
        '<w:del w:id="1" w:author="A"><w:r><w:delText>ten</w:delText></w:r></w:del>'
        '<w:ins w:id="2" w:author="A"><w:r><w:t>twelve</w:t></w:r></w:ins>'
        '<w:r><w:t xml:space="preserve"> euros</w:t></w:r></w:p>'
    )
    document = parsed(docx(body))
    assert [region.text for region in document.pages[0].regions] == ["We pay twelve euros"]
    assert [warning.code for warning in document.warnings] == ["tracked_changes"]


def test_hidden_text_is_left_out_and_reported():
    body = "<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r><w:r><w:t>seen</w:t></w:r></w:p>"
    document = parsed(docx(body))
    assert [region.text for region in document.pages[0].regions] == ["seen"]
    assert [warning.code for warning in document.warnings] == ["hidden_text"]


def test_the_nearest_style_and_the_run_say_whether_text_is_hidden():
    """Guards against headings lost where Normal hides all and each style and run shows itself again."""
    styles = (
        f'<w:styles xmlns:w="{WORD}">'
        '<w:style w:type="paragraph" w:default="1" w:styleId="N"><w:name w:val="Normal"/>'
        "<w:rPr><w:vanish/></w:rPr></w:style>"
        '<w:style w:type="paragraph" w:styleId="H"><w:name w:val="heading 1"/><w:basedOn w:val="N"/>'
        '<w:rPr><w:vanish w:val="0"/></w:rPr></w:style></w:styles>'
    )
    further = {
        "word/styles.xml": styles,
        "word/_rels/document.xml.rels": related("styles", "styles.xml"),
    }
    body = (
        '<w:p><w:pPr><w:pStyle w:val="H"/></w:pPr><w:r><w:t>Title</w:t></w:r></w:p>'
        '<w:p><w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t>shown</w:t></w:r><w:r><w:t> hidden</w:t></w:r></w:p>'
        "<w:p><w:r><w:t>hidden</w:t></w:r></w:p>"
    )
    document = parsed(docx(body, further))
    assert [region.text for region in document.pages[0].regions] == ["Title", "shown"]
    assert [warning.code for warning in document.warnings] == ["hidden_text"]


def test_a_formula_on_its_own_line_is_latex():
    math = "<m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>α</m:t></m:r></m:den></m:f>"
    (region,) = regions_of(docx(f"<w:p><m:oMathPara><m:oMath>{math}</m:oMath></m:oMathPara></w:p>"))
    assert isinstance(region, FormulaRegion)
    assert region.latex == r"\frac{a}{\alpha}"


def test_notes_and_links_go_along():
    """Guards against a note in the middle of its sentence."""
    notes = (
        '<w:footnotes xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
        f'<w:footnote w:id="7">{paragraph("See there.")}</w:footnote></w:footnotes>'
    )
    body = '<w:p><w:r><w:t>Text</w:t></w:r><w:r><w:footnoteReference w:id="7"/></w:r></w:p>' + paragraph("After")
    content = docx(
        body,
        {"word/_rels/document.xml.rels": related("footnotes", "footnotes.xml"), "word/footnotes.xml": notes},
    )
    assert [region.text for region in regions_of(content)] == ["Text[1]", "After", "[1] See there."]
    assert regions_of(content)[-1].note == "foot"
    link = '<w:p><w:hyperlink r:id="rId1"><w:r><w:t>here</w:t></w:r></w:hyperlink></w:p>'
    relation = related("hyperlink", "https://example.org/x", "External")
    (region,) = regions_of(docx(link, {"word/_rels/document.xml.rels": relation}))
    assert [(link.text, link.uri) for link in region.links] == [("here", "https://example.org/x")]


def test_strict_files_are_read_as_transitional_ones():
    """Guards against empty documents: ISO 29500's strict form has other names for the same elements."""
    content = docx(paragraph("strict"))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    for name, part in parts.items():
        parts[name] = part.replace(
            b"http://schemas.openxmlformats.org/wordprocessingml/2006/main",
            b"http://purl.oclc.org/ooxml/wordprocessingml/main",
        )
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    assert [region.text for region in regions_of(file.getvalue())] == ["strict"]


def test_a_table_in_a_table_in_a_table_is_read_once():
    """Guards against text that is doubled with each level, and so against time that is."""
    document = python_docx.Document()
    cell = document.add_table(1, 2).cell(0, 0)
    for depth in range(12):
        cell.paragraphs[0].text = f"level {depth}"
        cell = cell.add_table(1, 1).cell(0, 0)
    cell.text = "the innermost"
    text = " ".join(region.text for region in regions_of(saved(document)))
    (table,) = [region.table for region in regions_of(saved(document)) if isinstance(region, TableRegion)]
    assert (" ".join(cell.text for cell in table.cells) + text).count("the innermost") >= 1
    assert all(cell.text.count("the innermost") <= 1 for cell in table.cells)


@pytest.mark.parametrize(
    ("first", "second", "num_pages"), [("continuous", "nextPage", 2), ("nextPage", "continuous", 1)]
)
def test_a_section_begins_as_its_own_properties_say(first: str, second: str, num_pages: int) -> None:
    """Guards against breaks at the wrong end: a section's properties stand at its end and say how it begins."""
    ends = f'<w:p><w:pPr><w:sectPr><w:type w:val="{first}"/></w:sectPr></w:pPr><w:r><w:t>one</w:t></w:r></w:p>'
    old = '<w:sectPrChange w:id="1"><w:sectPr><w:type w:val="evenPage"/></w:sectPr></w:sectPrChange>'
    body = ends.replace("</w:sectPr>", f"{old}</w:sectPr>", 1) + paragraph("two")
    body += f'<w:sectPr><w:type w:val="{second}"/></w:sectPr>'
    assert len(parsed(docx(body)).pages) == num_pages


def nested(depth: int) -> str:
    """A table of two rows and columns, with such a table in its last cell, and so on."""
    inner = nested(depth - 1) if depth else ""
    cells = [f"{paragraph(f'd{depth} {name}')}" for name in "abcd"]
    rows = [f"<w:tr><w:tc>{cells[0]}</w:tc><w:tc>{cells[1]}</w:tc></w:tr>"]
    rows.append(f"<w:tr><w:tc>{cells[2]}</w:tc><w:tc>{cells[3]}{inner}</w:tc></w:tr>")
    return f"<w:tbl>{''.join(rows)}</w:tbl>"


def test_rows_of_a_table_in_a_cell_stay_rows() -> None:
    """Guards against the inner table's words in one row: it is a table of its own behind the outer one."""
    regions = [region for region in regions_of(docx(nested(2))) if isinstance(region, TableRegion)]
    assert [region.text for region in regions] == [f"d{k} a\td{k} b\nd{k} c\td{k} d" for k in (2, 1, 0)]
    assert regions[2].place.path == "body/tbl[1]/tr[2]/tc[2]/tbl[1]/tr[2]/tc[2]/tbl[1]"


def test_tables_in_tables_to_any_depth_are_read_once() -> None:
    text = "\n".join(region.text for region in regions_of(docx(nested(60))))
    assert all(text.count(f"d{k} {name}") == 1 for k in (60, 31, 0) for name in "abcd")


def test_a_table_of_one_column_in_a_cell_is_lines_of_the_cell() -> None:
    inner = "".join(f"<w:tr><w:tc>{paragraph(text)}</w:tc></w:tr>" for text in ("one", "two"))
    body = f"<w:tbl><w:tr><w:tc><w:tbl>{inner}</w:tbl></w:tc><w:tc>{paragraph('right')}</w:tc></w:tr></w:tbl>"
    (region,) = regions_of(docx(body))
    assert [cell.text for cell in region.table.cells] == ["one\ntwo", "right"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Table 3: Results", "table_caption"),
        ("Таблица 2. Состав", "table_caption"),
        ("Taulukko 1", "table_caption"),
        ("表 1 結果", "table_caption"),
        ("Tabelle: ohne Nummer", "table_caption"),
        ("Tablets in use", "figure_caption"),
        ("Kuva 4", "figure_caption"),
        ("Abbildung 1", "figure_caption"),
    ],
)
def test_a_caption_is_of_what_its_words_name_in_any_language(text: str, kind: str) -> None:
    """Guards against captions of tables that are a figure's because they do not begin with `tab`."""
    styles = f'<w:styles xmlns:w="{WORD}"><w:style w:type="paragraph" w:styleId="C"><w:name w:val="caption"/></w:style>'
    further = {
        "word/styles.xml": f"{styles}</w:styles>",
        "word/_rels/document.xml.rels": related("styles", "styles.xml"),
    }
    body = f'<w:p><w:pPr><w:pStyle w:val="C"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>'
    assert [region.kind for region in regions_of(docx(body, further))] == [kind]


BOX = (
    '<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
    "<mc:Choice Requires='wps'><w:drawing><w:txbxContent>{0}</w:txbxContent></w:drawing></mc:Choice>"
    "<mc:Fallback><w:pict><w:txbxContent>{0}</w:txbxContent></w:pict></mc:Fallback></mc:AlternateContent>"
)


def test_a_text_box_of_a_header_or_note_is_read_once() -> None:
    """Guards against words that are doubled: the file has them for new programs and for old ones."""
    box = f"<w:p><w:r><w:t>Draft</w:t></w:r><w:r>{BOX.format(paragraph('CONFIDENTIAL'))}</w:r></w:p>"
    header = f'<w:hdr xmlns:w="{WORD}">{box}<w:sdt><w:sdtContent>{paragraph("Page")}</w:sdtContent></w:sdt></w:hdr>'
    notes = f'<w:footnotes xmlns:w="{WORD}"><w:footnote w:id="7">{box}</w:footnote></w:footnotes>'
    relations = related("footnotes", "footnotes.xml").replace(
        "</Relationships>", f'<Relationship Id="rId2" Type="{OFFICE}/header" Target="header1.xml"/></Relationships>'
    )
    body = '<w:p><w:r><w:t>Text</w:t></w:r><w:r><w:footnoteReference w:id="7"/></w:r></w:p>'
    body += '<w:sectPr><w:headerReference w:type="default" r:id="rId2"/></w:sectPr>'
    further = {"word/_rels/document.xml.rels": relations, "word/header1.xml": header, "word/footnotes.xml": notes}
    texts = [region.text for region in regions_of(docx(body, further))]
    assert texts == ["Text[1]", "Draft\nCONFIDENTIAL\nPage", "[1] Draft\nCONFIDENTIAL"]
