"""One reader for all pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from documents.exports.markdown import markdown
from documents.values import Document
from tests.pages.page_reader import page_reader


@pytest.fixture(scope="session")
def read() -> Iterator[Callable[[Path], Document]]:
    """Reads the document of a file."""
    with page_reader() as read_document:
        yield read_document


@pytest.fixture(scope="session")
def read_markdown(read: Callable[[Path], Document]) -> Callable[[Path], str]:
    """Reads the Markdown of a file."""
    return lambda path: markdown(read(path))
