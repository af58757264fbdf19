"""`benchmarks.loads.letters`: what is sent must prove a lost or doubled page."""

from __future__ import annotations

import pymupdf

from benchmarks.loads.letters import heavy_page, letter


def test_each_page_of_each_letter_names_itself_once() -> None:
    """Guards against a count of pages that cannot tell one from another."""
    document = letter(12, 3)
    with pymupdf.open(stream=document.content, filetype="pdf") as pdf:
        texts = [page.get_text() for page in pdf]
    assert [[mark in text for mark in document.marks] for text in texts] == [
        [row == column for column in range(3)] for row in range(3)
    ]
    assert letter(1).content != letter(2).content


def test_a_scanned_letter_is_a_picture() -> None:
    """Guards against a load that never reaches the engine."""
    assert letter(5, scanned=True).content.startswith(b"\x89PNG")


def test_a_heavy_page_is_heavy() -> None:
    """Guards against a page that is drawn before anyone can cancel it."""
    with pymupdf.open(stream=heavy_page(1000), filetype="pdf") as pdf:
        assert len(pdf[0].read_contents()) > 20_000
