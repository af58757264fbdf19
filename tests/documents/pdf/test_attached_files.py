"""Files that a PDF carries are named, since they are not read."""

from __future__ import annotations

import pymupdf

from documents.pdf.pdf_file import PdfFile
from documents.render_limits import RenderLimits
from documents.values import Source


def opened(document, tmp_path):
    document.save(tmp_path / "a.pdf")
    return PdfFile(Source(path=str(tmp_path / "a.pdf"), media_type="application/pdf"), RenderLimits())


def new_document():
    document = pymupdf.open()
    document.new_page().insert_text((72, 100), "Open this portfolio in another viewer.")
    return document


def test_embedded_files_are_named(tmp_path):
    """A portfolio was read as its cover alone, without a warning."""
    document = new_document()
    document.embfile_add("one", b"a,b", filename="tariff.csv")
    document.embfile_add("two", b"%PDF-1.4", filename="two.pdf", ufilename="Rechnung 2.pdf")
    warnings = opened(document, tmp_path).opened().warnings
    assert [warning.code for warning in warnings] == ["attachment_unread"] * 2
    assert [warning.message.split(" was")[0] for warning in warnings] == ["tariff.csv", "Rechnung 2.pdf"]


def test_many_files_are_counted(tmp_path):
    document = new_document()
    for k in range(30):
        document.embfile_add(f"file{k}", b"x", filename=f"{k}.txt")
    warnings = opened(document, tmp_path).opened().warnings
    assert len(warnings) == 21
    assert warnings[-1].message.startswith("10 more files")


def test_a_file_pinned_to_a_page_is_named_with_its_place(tmp_path):
    document = new_document()
    document[0].add_file_annot((300, 200), b"x", "plan.dwg")
    file = opened(document, tmp_path)
    assert not file.opened().warnings
    (warning,) = file.inspect(1).warnings
    assert (warning.code, warning.page) == ("attachment_unread", 1)
    assert "plan.dwg" in warning.message
    assert warning.box.contains(305, 205)


def test_a_pdf_without_files_has_no_warning(tmp_path):
    document = new_document()
    document[0].add_text_annot((300, 200), "a note")
    file = opened(document, tmp_path)
    assert not file.opened().warnings
    assert not file.inspect(1).warnings
