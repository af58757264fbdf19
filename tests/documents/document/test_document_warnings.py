"""A document without any text says so, whatever kind of file it comes from."""

from __future__ import annotations

import docx as python_docx
import openpyxl
import pptx
import pytest

from documents.document.assemble_document import assemble
from documents.values import Opened, Page
from tests.documents.office.drawn import parsed, saved
from tests.documents.page_making import page, region


def codes(pages: list[Page]) -> list[str]:
    return [warning.code for warning in assemble("d", 1, Opened(num_pages=len(pages)), pages).warnings]


def test_a_document_of_pictures_in_which_nothing_was_read_has_a_warning() -> None:
    """Guards against `succeeded` with an empty text, which looks like a document that says nothing."""
    assert codes([page(number=1), page(region("", "figure"), number=2)]) == ["no_text"]
    assert codes([page(region(" \n", "plain text"))]) == ["no_text"]
    assert codes([page(number=1), page(region("word"), number=2)]) == []
    assert codes([]) == []


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (saved(python_docx.Document()), ""),
        (saved(pptx.Presentation()), ""),
        (saved(openpyxl.Workbook()), ""),
        (b"<!doctype html><img alt='a cat' src='x.png'>", ""),
        (b" \n \n", "a.txt"),
        (b",,\n", "a.csv"),
        (b"---\ntitle: x\n---\n", "a.md"),
    ],
)
def test_files_without_a_word_have_a_warning(content: bytes, name: str) -> None:
    assert codes([one for one in parsed(content, name).pages if isinstance(one, Page)]) == ["no_text"]


def test_a_sheet_with_cells_has_text() -> None:
    book = openpyxl.Workbook()
    book.active.append(["a"])
    assert codes([one for one in parsed(saved(book)).pages if isinstance(one, Page)]) == []
