"""Pages with the tables that their authors tagged, each alone and without its tree."""

from __future__ import annotations

import pymupdf

from benchmarks.tables import listed
from benchmarks.tagged_tables import with_tables, write_page
from tests.benchmarks.test_tagged_pages import MARKS, PICTURE, TREE, tagged_pdf


def test_each_document_gives_its_pages_with_tables_once(tmp_path):
    folder = tmp_path / "doi"
    folder.mkdir()
    for name, tree in (("dues v1", TREE), ("dues v2", TREE), ("eu-001", TREE), ("prose", TREE._replace(kids=()))):
        (folder / f"{name}.pdf").write_bytes(tagged_pdf(tree, MARKS, pictures=[PICTURE]))
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7")
    ((path, (page,)),) = with_tables(tmp_path)
    assert path.name == "dues v1.pdf"
    write_page(path, page, tmp_path, "tagged_held")
    (material,) = listed([tmp_path])
    assert (material.path.name, material.part) == ("dues v1-p1.pdf", "tagged_held")
    assert "<td>Skiff</td><td>12.50</td>" in material.truth
    with pymupdf.open(material.path) as document:
        assert "StructTreeRoot" not in document.xref_object(document.pdf_catalog())
        assert "Skiff" in document[0].get_text()
