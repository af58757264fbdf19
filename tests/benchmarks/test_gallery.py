"""A gallery shows what was read, and nothing that a page prints can act in it."""

from __future__ import annotations

import asyncio
from pathlib import Path

from benchmarks.gallery import draw, rendered, shown
from configs import Settings
from documents.boxes import BoundingBox
from documents.region_values import Table, TableCell, TableRegion, TextRegion
from documents.values import Document, Page

DATA = Path(__file__).parents[1] / "data"
BOX = BoundingBox(x0=60, y0=300, x1=550, y1=320)


def test_a_document_is_shown_as_pictures_beside_its_text(tmp_path: Path) -> None:
    """Guards against a gallery of broken pictures."""
    asyncio.run(draw([DATA / "letter.pdf"], tmp_path, Settings()))
    assert (tmp_path / "letter.pdf-1.png").read_bytes().startswith(b"\x89PNG")
    page = (tmp_path / "letter.pdf.html").read_text(encoding="utf-8")
    assert '<img src="letter.pdf-1.png"' in page
    assert page.count("<p>") >= 2
    assert 'href="letter.pdf.html"' in (tmp_path / "index.html").read_text(encoding="utf-8")


def test_what_a_page_prints_is_no_tag_and_no_link() -> None:
    """Guards against a script in a page's text, its name or a cell, that runs when a person looks."""
    bad = "<script>alert(1)</script> [x](javascript:alert(1)) <table>"
    cell = TableCell(row=0, column=0, num_columns=2, text=bad, box=BOX)
    table = Table(num_rows=1, num_columns=2, num_header_rows=0, cells=(cell,))
    regions = (
        TextRegion(kind="plain text", box=BOX, score=0.9, text=bad),
        TableRegion(kind="table", box=BOX, score=0.9, text=bad, table=table, order=1),
    )
    document = Document(id="d", revision=1, pages=(Page(number=1, size=(612, 792), regions=regions),))
    page = shown(document, "<b>.pdf", "succeeded")
    assert "<script" not in page
    assert "<a " not in page
    assert "<b>" not in page
    assert page.count("<table>") == 1


def test_tables_of_markdown_are_tables() -> None:
    assert "<td>1</td>" in rendered("| a | b |\n| --- | --- |\n| 1 | 2 |\n")
