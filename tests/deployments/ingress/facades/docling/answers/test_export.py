"""Exports in docling's forms: what a client called its file, and what the file says of itself, is text in them."""

from __future__ import annotations

import io
import re
import struct
import zipfile
from datetime import UTC, datetime
from typing import Any

import pytest
from docling_core.types.doc.document import DoclingDocument
from markdown_it import MarkdownIt

from deployments.ingress.facades.docling.answers.export import exported, zipped
from deployments.ingress.facades.docling.task import ResponseFormat
from deployments.ingress.operations.conversions import Converted
from deployments.values.jobs import Job
from documents.boxes import BoundingBox
from documents.region_values import FigureRegion, FormulaRegion, TitleRegion
from documents.values import Document, Page

HOSTILE = '<img src=x onerror=alert(1)>](//a.bb) `"$$&lt;'
PLACE = BoundingBox(x0=60, y0=60, x1=500, y1=80)
PNG = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + struct.pack(">II", 4, 3)
MARKDOWN_TAGS = ["<h2>", "<code>", "<p>", "<code>", "<p>"]  # `//a.bb` is code, as all addresses that are no links
FORM = ResponseFormat(formats=("md", "html", "json", "text"))
TAG = re.compile(r"<[a-z][^>]*>")


def converted(name: str) -> Converted:
    regions = (
        TitleRegion(kind="title", text=HOSTILE, box=PLACE, score=0.9),
        FormulaRegion(kind="isolate_formula", text=HOSTILE, latex=HOSTILE, box=PLACE, score=0.9),
        FigureRegion(kind="figure", box=PLACE, score=0.9),
    )
    document = Document(
        id=HOSTILE,
        revision=1,
        pages=(Page(number=1, size=(612, 792), regions=regions),),
        metadata={"title": HOSTILE, HOSTILE: HOSTILE},
    )
    about: dict[str, Any] = {"id": "job_1", "document_id": "d", "revision": 1, "num_pages": 1, "status": "succeeded"}
    job = Job.model_validate(about | {"file_name": name, "created_at": datetime.now(UTC)})
    return Converted(job, document, {"figures/page-0001-01.png": PNG})


def tags(html: str) -> list[str]:
    return [tag for tag in TAG.findall(html) if not tag.startswith('<img src="')]


@pytest.mark.parametrize("name", [f"{HOSTILE}.pdf", f"../{HOSTILE}\r\n# x.pdf", "![x](y).pdf"])
def test_a_hostile_file_name_is_text_in_every_form(name: str) -> None:
    """Guards against a file name that is markup where its export is shown."""
    export = exported(converted(name), FORM)
    assert export.md_content is not None
    assert export.html_content is not None
    assert tags(MarkdownIt("commonmark", {"html": True}).render(export.md_content)) == MARKDOWN_TAGS
    head = ["<html>", "<head>", '<meta charset="UTF-8">', "<title>", "<body>"]
    assert tags(export.html_content) == [*head, "<h2>", "<p>", "<figure>"]
    DoclingDocument.model_validate(export.json_content)


def test_a_hostile_file_name_is_no_markup_in_a_zip() -> None:
    """Guards against the addresses of pictures, which begin with the file's name."""
    with zipfile.ZipFile(io.BytesIO(zipped([converted("![x](y) [z]\n<b>.pdf")], FORM))) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".md"))
        html = MarkdownIt("commonmark", {"html": True}).render(archive.read(name).decode())
        (address,) = re.findall(r'<img src="([^"]*)"', html)
        assert address in archive.namelist()
        assert tags(html) == MARKDOWN_TAGS


def test_no_two_documents_have_one_name_in_a_zip() -> None:
    """`report`, `report-3`, `report`: the third took the second's name, and unpacking lost a document."""
    names = ["report.txt", "report-2.txt", "report-3.txt", "Report.pdf", "report.md", "errors.pdf"]
    with zipfile.ZipFile(io.BytesIO(zipped([converted(name) for name in names], FORM))) as archive:
        written = [name.lower() for name in archive.namelist() if name.endswith(".json")]
    assert len(set(written)) == len(written) == len(names)
    assert "errors.json" not in written  # tells what is missing


@pytest.mark.parametrize(("first_level", "lines"), [(2, ["## Log", "### Keepers"]), (1, ["# Log", "## Keepers"])])
def test_headings_begin_at_the_level_that_docling_writes(first_level: int, lines: list[str]) -> None:
    """The oracle is docling's own writer, over our JSON."""
    regions = tuple(
        TitleRegion(kind="title", text=text, level=level, box=PLACE, score=0.9)
        for level, text in ((1, "Log"), (2, "Keepers"))
    )
    document = Document(id="d", revision=1, pages=(Page(number=1, size=(612, 792), regions=regions),))
    one = Converted(converted("a.pdf").job, document, {})
    export = exported(one, FORM.model_copy(update={"heading_level": first_level}))
    assert (export.md_content or "").split("\n\n") == [lines[0], f"{lines[1]}\n"]
    if first_level == FORM.heading_level:
        assert DoclingDocument.model_validate(export.json_content).export_to_markdown().split("\n\n") == lines
