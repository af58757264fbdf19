"""Parts of a zip are looked up as Office does, and no entry is lost."""

from __future__ import annotations

import io

from documents.office.zip_package import Package
from tests.documents.office.drawn import pages_of, zipped


def test_files_whose_names_differ_in_case_are_two() -> None:
    """Guards against a lost file: names in small letters were the keys of the list of entries."""
    content = zipped({"Report.txt": "first", "report.TXT": "second"})
    assert [page.regions[0].text for page in pages_of(content)] == ["first", "second"]


def test_a_part_is_found_by_its_name_in_another_case() -> None:
    package = Package.open(io.BytesIO(zipped({"Word/Document.xml": "<x/>"})))
    assert package.read("word/document.xml") == b"<x/>"
    assert package.read("/Word/Document.xml") == b"<x/>"
    assert package.read("word/other.xml") is None
