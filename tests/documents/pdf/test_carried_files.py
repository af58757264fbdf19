"""The files that a PDF carries are listed once each, with their place, and read within limits."""

from __future__ import annotations

import io
import random

import pymupdf
import pytest
from carrying_pdfs import add_file

from documents.errors import TooLargeUnpacked, UnreadableDocument
from documents.pdf.carried_files import MAX_FILES, MAX_OTHER_BYTES, MAX_PAGES
from documents.pdf.pdf_file import PdfFile
from documents.render_limits import RenderLimits
from documents.values import Source


def opened(document, **limits):
    source = Source(path="", media_type="application/pdf")
    return PdfFile(source, RenderLimits(**limits), io.BytesIO(document.tobytes()))


def new_document():
    document = pymupdf.open()
    document.new_page().insert_text((72, 100), "Open this portfolio in another viewer.")
    return document


def test_embedded_files_are_listed_and_read():
    document = new_document()
    document.embfile_add("one", b"a,b", filename="tariff.csv")
    document.embfile_add("two", b"%PDF-1.4", filename="two.pdf", ufilename="Rechnung 2.pdf")
    file = opened(document)
    files, is_cut = file.carried_files()
    assert [one.name for one in files] == ["tariff.csv", "Rechnung 2.pdf"]
    assert [file.carried_content(one, 100) for one in files] == [b"a,b", b"%PDF-1.4"]
    assert not is_cut


def test_a_file_pinned_to_a_page_has_its_place():
    document = new_document()
    document.new_page(width=400, height=700)
    document[1].set_rotation(90)
    document[1].add_file_annot(pymupdf.Point(300, 200) * document[1].derotation_matrix, b"x", "plan.dwg")
    ((pinned,), _) = opened(document).carried_files()
    assert (pinned.name, pinned.page) == ("plan.dwg", 2)
    assert 250 < pinned.box.center[0] < 350
    assert 150 < pinned.box.center[1] < 250


def test_a_file_that_is_embedded_and_associated_is_one():
    """A PDF of an e-invoice names its XML in both lists."""
    document = new_document()
    add_file(document, "factur-x.xml", b"<a/>", "Data", is_associated=True)
    ((file,), _) = opened(document).carried_files()
    assert (file.name, file.relation) == ("factur-x.xml", "Data")


def test_a_file_that_is_only_associated_is_listed():
    document = new_document()
    add_file(document, "a.xml", b"<a/>", is_named=False, is_associated=True)
    ((file,), _) = opened(document).carried_files()
    assert file.name == "a.xml"


def test_a_link_to_a_file_elsewhere_is_none():
    document = new_document()
    document.xref_set_key(add_file(document, "a.txt", b"x"), "EF", "null")
    assert opened(document).carried_files() == ([], False)


def test_what_unpacks_to_too_much_is_not_unpacked():
    """A file of 30 kB may unpack to 30 MB, and one of 300 kB to 300 MB."""
    document = new_document()
    document.embfile_add("one", b"\0" * 30_000_000, filename="bomb.txt")
    content = document.tobytes(deflate=True)
    assert len(content) < 100_000
    file = PdfFile(Source(path="", media_type="application/pdf"), RenderLimits(), io.BytesIO(content))
    ((bomb,), _) = file.carried_files()
    with pytest.raises(TooLargeUnpacked):
        file.carried_content(bomb, 1_000_000)
    assert len(file.carried_content(bomb, 30_000_000)) == 30_000_000


def test_a_damaged_content_is_reported_as_such():
    document = new_document()
    document.embfile_add("one", b"abc" * 1000, filename="a.txt")
    xref = next(x for x in range(1, document.xref_length()) if document.xref_get_key(x, "Params")[0] == "dict")
    document.update_stream(xref, b"no deflated bytes", compress=False)
    document.xref_set_key(xref, "Filter", "/FlateDecode")
    file = opened(document)
    ((damaged,), _) = file.carried_files()
    with pytest.raises(UnreadableDocument):
        file.carried_content(damaged, 1000)


@pytest.mark.parametrize("filters", ["{} 0 R", "[{} 0 R]"])
def test_a_filter_that_stands_elsewhere_is_applied(filters):
    """The packed bytes were taken for the content."""
    document = new_document()
    document.embfile_add("one", b"abc" * 1000, filename="a.txt")
    document = pymupdf.open(stream=document.tobytes(deflate=True))
    xref = next(x for x in range(1, document.xref_length()) if document.xref_get_key(x, "Params")[0] == "dict")
    assert document.xref_get_key(xref, "Filter")[1] == "/FlateDecode"
    name = document.get_new_xref()
    document.update_object(name, "/FlateDecode")
    document.xref_set_key(xref, "Filter", filters.format(name))
    file = opened(document)
    ((carried,), _) = file.carried_files()
    assert file.carried_content(carried, 5000) == b"abc" * 1000


def test_a_filter_of_no_kind_is_not_taken_for_none():
    document = new_document()
    document.embfile_add("one", random.Random(1).randbytes(MAX_OTHER_BYTES + 1), filename="a.txt")
    xref = next(x for x in range(1, document.xref_length()) if document.xref_get_key(x, "Params")[0] == "dict")
    document.xref_set_key(xref, "Filter", "(FlateDecode)")
    file = opened(document)
    ((carried,), _) = file.carried_files()
    with pytest.raises(UnreadableDocument):
        file.carried_content(carried, 100_000)


def test_more_files_than_allowed_are_cut():
    document = new_document()
    for k in range(MAX_FILES + 1):
        document.embfile_add(f"file{k}", b"x", filename=f"{k}.txt")
    files, is_cut = opened(document).carried_files()
    assert (len(files), is_cut) == (MAX_FILES, True)


def test_pages_that_are_not_looked_at_are_reported():
    document = new_document()
    for _ in range(MAX_PAGES):
        document.new_page()
    assert opened(document, max_pages=3000).carried_files() == ([], True)


@pytest.mark.parametrize("names", ["<</Names 5>>", "<</Kids [1 0 R]>>", "<</Names [(a) (b) (c)]>>"])
def test_a_damaged_list_loses_no_page(names):
    document = new_document()
    document.xref_set_key(document.pdf_catalog(), "Names", f"<</EmbeddedFiles {names}>>")
    file = opened(document)
    assert file.carried_files() == ([], False)
    assert file.inspect(1).lines


def test_a_pdf_without_files_has_none():
    document = new_document()
    document[0].add_text_annot((300, 200), "a note")
    file = opened(document)
    assert file.carried_files() == ([], False)
    assert not file.opened().warnings
