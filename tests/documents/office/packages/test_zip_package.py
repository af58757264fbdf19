"""Parts of a zip are looked up as Office does, and no entry is lost."""

from __future__ import annotations

import io
import warnings
import zipfile

from documents.office.packages.zip_package import Package
from tests.documents.office.drawn import docx, pages_of, paragraph, parsed, zipped


def test_files_whose_names_differ_in_case_are_two() -> None:
    """Guards against a lost file: names in small letters were the keys of the list of entries."""
    content = zipped({"Report.txt": "first", "report.TXT": "second"})
    assert [page.regions[0].text for page in pages_of(content)] == ["first", "second"]


def test_a_part_is_found_by_its_name_in_another_case() -> None:
    package = Package.open(io.BytesIO(zipped({"Word/Document.xml": "<x/>"})))
    assert package.read("word/document.xml") == b"<x/>"
    assert package.read("/Word/Document.xml") == b"<x/>"
    assert package.read("word/other.xml") is None


def doubled(parts: list[tuple[str, str | bytes]]) -> bytes:
    """A zip with several entries of one name."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, content in parts:
            archive.writestr(name, content)
    return file.getvalue()


def test_all_entries_of_one_name_in_an_archive_are_read() -> None:
    """Guards against four hundred and ninety-nine files that are lost without a word: names were the keys."""
    content = doubled([("a.txt", f"text {number}") for number in range(50)])
    document = parsed(content)
    texts = {region.text for page in document.pages for region in page.regions}
    assert texts == {f"text {number}" for number in range(50)}
    assert len({region.place.inside for page in document.pages for region in page.regions}) == 50


def test_two_parts_of_one_name_in_a_document_are_reported() -> None:
    """Guards against a document that one program shows otherwise than another, without a warning."""
    with zipfile.ZipFile(io.BytesIO(docx(paragraph("first")))) as archive:
        parts = [(name, archive.read(name)) for name in archive.namelist()]
    with zipfile.ZipFile(io.BytesIO(docx(paragraph("second")))) as archive:
        parts.append(("word/document.xml", archive.read("word/document.xml")))
    document = parsed(doubled(parts))
    assert [region.text for page in document.pages for region in page.regions] == ["second"]
    assert [warning.code for warning in document.warnings] == ["cut_short"]
