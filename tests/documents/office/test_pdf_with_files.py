"""Files in a PDF are further pages of it, or documents of their own; what stays unread is reported."""

from __future__ import annotations

import io
import itertools
from email.message import EmailMessage

import pymupdf
import pytest
from carrying_pdfs import add_file
from invoice_making import cii, invoice_pdf

from documents.errors import PageFailed, PageNotDrawn
from documents.office.office_file import OfficeFile
from documents.office.pdf_with_files import PdfWithFiles
from documents.render_limits import RenderLimits
from documents.values import Source


def pdf_of(text, files=(), pinned=()):
    document = pymupdf.open()
    document.new_page().insert_text((72, 100), text)
    for name, content in files:
        document.embfile_add(name, content, filename=name)
    for name, content in pinned:
        document[0].add_file_annot((300, 200), content, name)
    return document.tobytes()


def opened(content, limits=None, **source):
    source = Source(path="", media_type="application/pdf", **source)
    return PdfWithFiles(source, limits or RenderLimits(), io.BytesIO(content))


def printed(file, number):
    return " ".join(line.text for line in file.inspect(number).lines)


INNER = pdf_of("The inner page.")


def test_files_are_pages_behind_the_pdfs_own():
    """A portfolio was read as its cover alone."""
    file = opened(pdf_of("The cover.", [("tariff.csv", b"berth,fee\n1,20"), ("inner.pdf", INNER)]))
    facts = file.opened()
    assert (facts.num_pages, facts.warnings) == (3, ())
    assert [(one.name, one.media_type, one.size) for one in facts.attachments] == [
        ("tariff.csv", "text/csv", 14),
        ("inner.pdf", "application/pdf", len(INNER)),
    ]
    assert printed(file, 1) == "The cover."
    sheet = file.authored(2)
    assert (sheet.number, sheet.name) == (2, "tariff.csv")
    assert any("berth" in region.text for region in sheet.regions)
    assert file.authored(1) is None
    assert file.authored(3) is None
    assert printed(file, 3) == "The inner page."
    assert file.inspect(3).number == 3
    assert file.picture(3, None, 72, None, 0).shape[2] == 3


def test_a_page_that_is_not_drawn_says_so():
    """By it the pipeline knows that the page is to be read as its author wrote it."""
    file = opened(pdf_of("The cover.", [("tariff.csv", b"berth,fee\n1,20")]))
    with pytest.raises(PageNotDrawn):
        file.inspect(2)
    with pytest.raises(PageFailed):
        file.authored(9)


def test_a_file_pinned_to_a_page_is_read_and_reported_with_its_place_if_not():
    file = opened(pdf_of("The cover.", pinned=[("notes.txt", b"some words"), ("plan.dwg", b"AC1032\0\0")]))
    facts = file.opened()
    assert facts.num_pages == 2
    (warning,) = facts.warnings
    assert (warning.code, warning.page) == ("attachment_unread", 1)
    assert "plan.dwg" in warning.message
    assert warning.box.contains(305, 205)
    assert file.authored(2).regions[0].text == "some words"


def test_pdfs_in_pdfs_are_read_so_deep_and_no_deeper():
    content = pdf_of("level 5", [("x.txt", b"words")])
    for level in (4, 3, 2, 1, 0):
        content = pdf_of(f"level {level}", [(f"{level + 1}.pdf", content)])
    file = opened(content)
    facts = file.opened()
    texts = [printed(file, number) for number in range(1, facts.num_pages + 1)]
    assert texts == [f"level {level}" for level in range(5)]
    assert [warning.code for warning in facts.warnings] == ["attachment_unread"]
    assert "5.pdf" in facts.warnings[0].message


def test_a_mail_has_the_files_of_its_pdfs():
    """An e-invoice comes as a PDF by mail: the files in that PDF were not read, without a warning."""
    message = EmailMessage()
    message["From"], message["Subject"] = "a@b.example", "Your invoice"
    message.set_content("See the file.")
    invoice = pdf_of("The invoice.", [("lines.csv", b"pos,sum\n1,20"), ("a.bin", b"\0\1")])
    message.add_attachment(invoice, maintype="application", subtype="pdf", filename="invoice.pdf")
    source = Source(path="", media_type="message/rfc822")
    file = OfficeFile(source, RenderLimits(), io.BytesIO(message.as_bytes()))
    facts = file.opened()
    assert facts.num_pages == 3
    assert printed(file, 2) == "The invoice."
    assert file.authored(3).name == "invoice.pdf · lines.csv"
    assert [warning.message for warning in facts.warnings] == [
        "invoice.pdf: a.bin was left out: its format is not supported"
    ]


def test_settings_that_a_program_leaves_are_no_page():
    """Forms of authorities carry the settings of Distiller, which came out as a page of PostScript."""
    facts = opened(pdf_of("The cover.", [("Press Quality(1).joboptions", b"<< /ASCII85EncodePages false >>")])).opened()
    assert (facts.num_pages, facts.warnings, len(facts.attachments)) == (1, (), 1)


def test_the_data_of_an_invoice_are_no_page_and_not_unread():
    facts = opened(invoice_pdf(cii())).opened()
    assert (facts.num_pages, facts.warnings) == (1, ())
    assert [one.name for one in facts.attachments] == ["factur-x.xml"]
    assert facts.invoice.fields[0].value == "RE-2024/0815"


def test_documents_of_their_own_are_no_pages():
    file = opened(pdf_of("The cover.", [("tariff.csv", b"berth,fee\n1,20")]), attachments="documents")
    facts = file.opened()
    assert (facts.num_pages, [one.name for one in facts.attachments]) == (1, ["tariff.csv"])
    assert file.attachment("tariff.csv") == b"berth,fee\n1,20"
    with pytest.raises(PageFailed):
        file.attachment("other")


def test_without_attachments_only_the_pdf_is_there():
    facts = opened(pdf_of("The cover.", [("a.bin", b"\0\1")]), attachments="none").opened()
    assert (facts.num_pages, facts.warnings, facts.attachments) == (1, (), ())


@pytest.mark.parametrize("relation", ["Source", "Alternative"])
def test_the_source_of_the_pages_is_listed_and_not_read_twice(relation):
    """A hybrid PDF holds the text document that it was printed from: all its words stood twice."""
    document = pymupdf.open(stream=pdf_of("The cover."))
    add_file(document, "cover.txt", b"The cover.", relation)
    facts = opened(document.tobytes()).opened()
    assert (facts.num_pages, facts.warnings) == (1, ())
    assert [one.name for one in facts.attachments] == ["cover.txt"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("damaged.pdf", b"%PDF-1.4 and nothing else"),
        ("damaged.docx", b"PK\3\4 and nothing else"),
        ("empty.txt", b""),
        ("unknown.bin", b"\0\1\2"),
        ("data.xml", b"<?xml version='1.0'?><a>words</a>"),
    ],
)
def test_what_cannot_be_read_is_reported_and_loses_no_page(name, content):
    file = opened(pdf_of("The cover.", [(name, content)]))
    facts = file.opened()
    assert facts.num_pages == 1
    assert [warning.code for warning in facts.warnings] == ["attachment_unread"]
    assert name in facts.warnings[0].message
    assert printed(file, 1) == "The cover."


def test_a_parser_that_fails_on_a_file_inside_loses_no_page(monkeypatch):
    def failing(content, media_type, inner):
        raise KeyError("a fault of ours")

    monkeypatch.setattr("documents.office.pdf_with_files.parse_content", failing)
    facts = opened(pdf_of("The cover.", [("a.csv", b"a,b")])).opened()
    assert (facts.num_pages, facts.warnings[0].code) == (1, "attachment_unread")


def test_more_pages_than_allowed_leave_the_file_out_and_keep_the_pdf():
    many = pymupdf.open()
    for _ in range(10):
        many.new_page()
    limits = RenderLimits(max_pages=5)
    facts = opened(pdf_of("The cover.", [("many.pdf", many.tobytes())]), limits).opened()
    assert (facts.num_pages, [warning.code for warning in facts.warnings]) == (1, ["attachment_unread"])


def test_what_all_files_unpack_to_is_bounded(monkeypatch):
    monkeypatch.setattr("documents.office.packages.reading_allowance.MAX_UNPACKED_BYTES", 1500)
    file = opened(pdf_of("The cover.", [(f"{k}.txt", b"word " * 200) for k in range(3)]))
    facts = file.opened()
    assert facts.num_pages == 2
    assert [warning.message.partition(" ")[0] for warning in facts.warnings] == ["1.txt", "2.txt"]


def test_what_files_in_inner_pdfs_unpack_to_counts_to_the_document(monkeypatch):
    """Each PDF inside had the whole limit again."""
    inner = pdf_of("An inner page.", [(f"{k}.txt", b"word " * 2000) for k in range(2)])
    monkeypatch.setattr("documents.office.packages.reading_allowance.MAX_UNPACKED_BYTES", 2 * len(inner) + 35_000)
    facts = opened(pdf_of("The cover.", [("a.pdf", inner), ("b.pdf", inner)])).opened()
    assert (facts.num_pages, len(facts.warnings)) == (1 + 3 + 2, 1)
    assert facts.warnings[0].message.startswith("b.pdf: 1.txt was left out")


def test_files_that_begin_too_late_are_left_out_and_keep_the_pdf(monkeypatch):
    """Files that took longer than a call may take ended it, and with it the whole document."""
    seconds = itertools.count()
    monkeypatch.setattr("documents.office.packages.reading_allowance.process_time", lambda: next(seconds))
    content = pdf_of("The cover.", [(f"{k}.txt", b"words") for k in range(20)])
    facts = opened(content, RenderLimits(page_cpu_s=10)).opened()
    assert 1 < facts.num_pages < 8
    assert len(facts.warnings) == 21 - facts.num_pages
    assert all("takes too long" in warning.message for warning in facts.warnings)


def test_a_file_of_too_many_pages_leaves_room_for_the_next():
    many = pymupdf.open()
    for _ in range(10):
        many.new_page()
    files = [("many.pdf", many.tobytes()), ("a.pdf", INNER), ("b.pdf", INNER)]
    facts = opened(pdf_of("The cover.", files), RenderLimits(max_pages=10)).opened()
    assert (facts.num_pages, len(facts.warnings)) == (3, 1)


def test_of_many_files_that_are_left_out_the_rest_is_counted():
    """Each PDF inside had thirty warnings of its own: five levels of them made thousands."""
    inner = pdf_of("An inner page.", [(f"{k}.bin", b"\0\1") for k in range(40)])
    facts = opened(pdf_of("The cover.", [(f"{k}.pdf", inner) for k in range(3)])).opened()
    assert (facts.num_pages, len(facts.warnings)) == (4, 31)
    assert facts.warnings[-1].message == "90 further files were left out or read in part"


def test_names_are_no_paths():
    file = opened(pdf_of("The cover.", [("../../etc/passwd.txt", b"words")]))
    assert [one.name for one in file.opened().attachments] == ["etc/passwd.txt"]


def test_labels_of_pages_count_the_pages_of_files():
    document = pymupdf.open(stream=pdf_of("The cover.", [("a.txt", b"words")]))
    document.set_page_labels([{"startpage": 0, "prefix": "A-", "style": "D", "firstpagenum": 1}])
    assert opened(document.tobytes()).opened().page_labels == ("A-1", "")
